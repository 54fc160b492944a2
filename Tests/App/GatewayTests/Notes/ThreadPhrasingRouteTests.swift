import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// Names and summaries of proposals by a model, over HTTP.
@Suite(.serialized) struct ThreadPhrasingRoutes {
    private func fill(_ gateway: LiveGateway, tags: [String] = []) async throws {
        let drafts = (1...5).map { room in
            NoteDraft(
                title: "Roof", content: "The roof of the old house leaks in room \(room).",
                createdAt: Int64(Date.now.timeIntervalSince1970), tags: room == 2 ? tags : [])
        }
        _ = try await gateway.store.notes.insert(drafts)
        try await gateway.backfill()
    }

    @discardableResult
    private func run(_ gateway: LiveGateway) async throws -> Job {
        let begun = try await gateway.request("POST", "/api/jobs/threads")
        let id = try JSONDecoder().decode(Job.self, from: begun.data).id
        _ = try await gateway.request("GET", "/api/jobs/\(id)/events")
        return try JSONDecoder().decode(Job.self, from: try await gateway.request("GET", "/api/jobs/\(id)").data)
    }

    private func proposal(_ gateway: LiveGateway) async throws -> ThreadProposal {
        let list = try await gateway.request("GET", "/api/threads/proposals")
        return try #require(try JSONDecoder().decode(ThreadProposalList.self, from: list.data).proposals.first)
    }

    @Test(.slow) func `a job lets the model phrase, and a fault leaves the distinctive words`() async throws {
        var options = FakeOllama.Options()
        let answer = """
            {"names":["The leaking roof"],"sentences":[{"text":"The roof of the old house leaks in room 3.","notes":[1,2,3,4,5]},
            {"text":"The cellar is on fire.","notes":[1]}]}
            """
        options.script = FakeOllama.Script([.text(answer)])
        let settings = ["goals_zone": "UTC", "threads_model": "gemma3:270m"]
        try await LiveGateway.with(options, settings: settings) { gateway in
            try await fill(gateway)
            gateway.fake.setFaults(["status=500", "status=500", "status=500", "status=500"])
            let failed = try await run(gateway)
            #expect(failed.state == .done && failed.message?.contains("without an answer of gemma3:270m") == true)
            #expect(try await proposal(gateway).phrasing == nil)
            gateway.fake.setFaults([])
            let done = try await run(gateway)
            #expect(done.state == .done && done.message?.hasSuffix("; 1 phrased by gemma3:270m") == true, "\(done)")
            let found = try await proposal(gateway)
            #expect(
                found.name == "The leaking roof" && found.summary == "The roof of the old house leaks in room 3.",
                "\(found)")
            #expect(found.phrasing?.sentences.first?.notes.isEmpty == false)
            let asked = gateway.fake.statistics.requests["/api/chat"]
            try await run(gateway)
            #expect(gateway.fake.statistics.requests["/api/chat"] == asked)
        }
    }

    @Test func `a model that phrases waits behind every request of a person`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 20
        options.tokens = 100_000
        let settings = ["goals_zone": "UTC", "threads_model": "gemma3:270m", "max_in_flight": "1"]
        try await LiveGateway.with(options, settings: settings) { gateway in
            func waiting() async throws -> Int {
                let stats = try await gateway.done("GET", "/api/admin/stats").object
                let waiting = (stats["admission"] as? [String: Any])?["waiting"] as? [String: Int]
                return waiting?.values.reduce(0, +) ?? -1
            }
            try await fill(gateway)
            let first = try await gateway.ask("Tell me of the first.", ["kind": "plain"])
            try await waitUntil { gateway.lastAsked.contains("Tell me of the first") }
            let job = try await gateway.request("POST", "/api/jobs/threads").object["id"] as? Int ?? 0
            try await waitUntil { try await waiting() == 1 }
            let second = try await gateway.ask("Tell me of the second.", ["kind": "plain"])
            try await waitUntil { try await waiting() == 2 }
            try await gateway.done("DELETE", "/api/chat/runs/\(first.id)")
            try await waitUntil { gateway.fake.statistics.requests["/api/chat"] == 2 }
            #expect(gateway.lastAsked.contains("Tell me of the second"))
            #expect(try await waiting() == 1)
            // Stopped while it waits, the job asks nothing.
            _ = try await gateway.request("DELETE", "/api/jobs/\(job)")
            try await waitUntil { try await waiting() == 0 }
            try await gateway.done("DELETE", "/api/chat/runs/\(second.id)")
            #expect(gateway.fake.statistics.requests["/api/chat"] == 2)
        }
    }

    @Test func `a provider elsewhere gets no private note, and the job says so`() async throws {
        var options = FakeProvider.Options()
        options.key = nil
        try await FakeProvider.withServer(options) { provider in
            let settings = [
                "providers": #"{"away": {"kind": "openai", "url": "\#(provider.baseURL)/v1"}}"#,
                "threads_model": "away/small", "private": "tag:private", "goals_zone": "UTC",
            ]
            try await LiveGateway.with(settings: settings) { gateway in
                try await fill(gateway, tags: ["private"])
                let job = try await run(gateway)
                #expect(job.message?.hasSuffix("; 1 private note withheld from away/small") == true, "\(job)")
                let body = try #require(provider.lastRequest).body
                #expect(body.contains("leaks in room 3") && !body.contains("leaks in room 2"))
                let found = try await proposal(gateway)
                #expect(found.phrasing?.withheld == 1 && found.phrasing?.sentences == [])
                #expect(gateway.fake.statistics.requests["/api/chat"] == nil)
            }
        }
    }
}
