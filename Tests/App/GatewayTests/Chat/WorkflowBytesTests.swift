import ChatRoom
import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// What workflows send: a provider on another machine, which records every byte, gets nothing that is private.
@Suite(.serialized) struct WorkflowBytes {
    /// Words of private notes, and of what was said to a model on this machine.
    private static let secrets = [
        "Skagen", "frightens", "anchorage", "surgeon", "Clara", "walnuts", "Lindqvist", "cello", "remembered answer",
    ]

    private func with(
        _ settings: [String: String], _ body: (LiveGateway, FakeProvider) async throws -> Void
    ) async throws {
        var options = FakeProvider.Options()
        options.key = nil
        var ollama = FakeOllama.Options()
        ollama.script = FakeOllama.Script(Array(repeating: .text("A remembered answer."), count: 3))
        try await FakeProvider.withServer(options) { provider in
            let own = [
                "providers": #"{"away": {"kind": "openai", "url": "\#(provider.baseURL)/v1"}}"#,
                "private": "tag:private, type:diary, thread:Health", "memories": "on", "goals_zone": "UTC",
            ]
            try await LiveGateway.with(ollama, settings: own.merging(settings) { $1 }) { gateway in
                let now = Int64(Date.now.timeIntervalSince1970)
                _ = try await gateway.store.notes.insert([
                    NoteDraft(
                        title: "harbour", content: "The secret anchorage is at Skagen. Call Lindqvist by Friday.",
                        createdAt: now - 60, tags: ["Private"]),
                    NoteDraft(
                        title: "diary", content: "A secret anchorage frightens me.", createdAt: now - 30,
                        noteType: "diary"),
                    NoteDraft(
                        title: "knee", content: "The surgeon called about the knee.", createdAt: now - 20,
                        threads: ["Health"]),
                    NoteDraft(title: "bread", content: "Flour, water and salt make bread.", createdAt: now),
                ])
                try await body(gateway, provider)
            }
        }
    }

    /// Runs every workflow by hand, to its end.
    private func work(_ gateway: LiveGateway) async throws {
        for path in [
            "/api/briefing/associations/compute", "/api/jobs/threads", "/api/jobs/actions", "/api/jobs/briefing",
            "/api/jobs/memories",
        ] {
            let begun = try await gateway.request("POST", path)
            #expect([200, 202].contains(begun.status), "\(path): \(begun.text)")
            let id = try #require(begun.object["id"] as? Int)
            try await waitUntil {
                try await gateway.done("GET", "/api/jobs/\(id)").object["state"] as? String != "running"
            }
            let job = try await gateway.done("GET", "/api/jobs/\(id)")
            // Without vectors there are no pairs, which is no matter here.
            let hasPairs = path != "/api/briefing/associations/compute" && path != "/api/jobs/threads"
            #expect(!hasPairs || job.object["state"] as? String == "done", "\(job.text)")
        }
        try await gateway.done("GET", "/api/briefing/today")
    }

    private func leaks(_ provider: FakeProvider) -> [String] {
        provider.received.flatMap { request in
            let all = request.target + " " + request.headers.map { $0.key + ":" + $0.value }.joined() + request.body
            return Self.secrets.filter { all.contains($0) }.map { "\($0) in \(request.target)" }
        }
    }

    @Test(.slow) func `briefing, threads, actions and memories send a provider elsewhere nothing`() async throws {
        try await with(["generate_model": "away/small", "memories_model": "away/small"]) { gateway, provider in
            // Said to a model on this machine.
            let said = try await gateway.answer(
                "My name is Clara. I'm allergic to walnuts and I play the cello.",
                ["model": "gemma3:270m", "kind": "plain"]
            ).run
            #expect(said.state == .done, "\(said.error ?? "")")
            try await waitUntil { try await !gateway.store.memories.hasUnreadRuns() }
            try await work(gateway)
            #expect(provider.received.isEmpty, "\(provider.received.map(\.target))")
            #expect(try await gateway.store.memories.page(limit: 10).items.count == 3)
            // The session goes on elsewhere: neither memories nor the answer that they went into leave.
            let used = try await gateway.answer(
                "What may I eat?", ["model": "gemma3:270m", "kind": "plain", "session": "s2"]
            ).run
            #expect(used.record?.memories.isEmpty == false)
            let away = try await gateway.answer(
                "And what else is in bread?", ["model": "away/small", "session": used.session]
            ).run
            #expect(away.state == .done && away.record?.memories == [], "\(away.error ?? "")")
            #expect(away.record?.leftOut.contains { $0.part == "memory" } == true)
            try await waitUntil { try await !gateway.store.memories.hasUnreadRuns() }
            #expect(provider.received.contains { $0.body.contains("what else is in bread") })
            #expect(leaks(provider) == [])
        }
    }

    @Test(.slow) func `with an embedding model elsewhere, no text of a memory is embedded`() async throws {
        try await with(["embed_model": "away/small"]) { gateway, provider in
            let more: [String: Any] = ["model": "gemma3:270m", "kind": "plain"]
            _ = try await gateway.answer("I live in Leipzig.", more)
            try await waitUntil { try await !gateway.store.memories.hasUnreadRuns() }
            #expect(try await gateway.store.memories.page(limit: 10).items.map(\.content) == ["Lives in Leipzig"])
            try await work(gateway)
            #expect(!provider.received.contains { $0.body.contains("Lives in Leipzig") })
            #expect(leaks(provider) == [])
        }
    }
}
