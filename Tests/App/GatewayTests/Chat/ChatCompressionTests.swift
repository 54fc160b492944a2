import ChatRoom
import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import JobRoom
import Storage
import TestSupport
import Testing

/// Old messages that no longer fit into a prompt: a job summarises them, and nothing is deleted.
@Suite(.serialized) struct ChatCompression {
    private static let small = ["chat_context": "1024", "chat_answer": "64"]

    /// A session of so many long messages that another program wrote.
    private func fill(_ gateway: LiveGateway, _ session: String, messages: Int) async throws -> [Int64] {
        try await gateway.done("PUT", "/api/sessions/\(session)", #"{"title":"long"}"#)
        var ids: [Int64] = []
        for number in 0..<messages {
            let role = number % 2 == 0 ? "user" : "assistant"
            let text = "message \(number): " + String(repeating: "words of the sea ", count: 50)
            let message = try await gateway.done(
                "POST", "/api/sessions/\(session)/messages", #"{"role":"\#(role)","content":"\#(text)"}"#, 201)
            ids.append(try #require(message.object["id"] as? Int64))
        }
        return ids
    }

    private func session(_ gateway: LiveGateway, _ id: String) async throws -> Session {
        try JSONDecoder().decode(Session.self, from: try await gateway.done("GET", "/api/sessions/\(id)").data)
    }

    private func jobs(_ gateway: LiveGateway) async throws -> [Job] {
        try JSONDecoder().decode(JobList.self, from: try await gateway.done("GET", "/api/jobs?limit=50").data).jobs
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `messages that were left out are summarised, and later prompts get the summary`(_ place: NotesPlace)
        async throws
    {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script(
            [.text("short answer")] + Array(repeating: .text("They spoke of the harbour wall."), count: 12))
        try await LiveGateway.with(options, notesIn: place, settings: Self.small) { gateway in
            let ids = try await fill(gateway, "s", messages: 12)
            let first = try await gateway.answer("and now?", ["session": "s", "kind": "plain"]).run
            let leftOut = try #require(first.record?.leftOut.first { $0.part == "history" })
            #expect(leftOut.count > 4)
            try await waitUntil { try await session(gateway, "s").compressionState == "hybrid" }
            let shown = try await session(gateway, "s")
            #expect(shown.summaryText == "They spoke of the harbour wall." && shown.compressedAt != nil)
            #expect(shown.compressedThrough == ids[leftOut.count - 1] && shown.compressionError == nil)
            // The job ends after its summary is stored.
            try await waitUntil { try await jobs(gateway).first?.state == .done }
            let job = try #require(try await jobs(gateway).first)
            #expect(job.kind == .compress && job.done == leftOut.count, "\(job)")
            #expect(job.total == job.done)
            // One request summarises what fits; the next one gets its summary.
            #expect(gateway.lastAsked.contains("Summary of what came before"))
            let messages = try await gateway.done("GET", "/api/sessions/s/messages").objects("messages")
            #expect(messages.count == 14)
            let second = try await gateway.answer("and now?", ["session": "s", "kind": "plain"]).run
            #expect(gateway.lastAsked.contains("the harbour wall"))
            #expect(second.record?.leftOut.first { $0.part == "compressed" }?.count == leftOut.count)
            // A branch from a message that the summary covers does not know what came later.
            _ = try await gateway.answer("and then?", ["session": "s", "kind": "plain", "parent": ids[1]])
            let branch = gateway.lastAsked
            #expect(branch.contains("message 1:") && !branch.contains("harbour wall"))
            let metrics = try await gateway.metrics()
            #expect(metrics[#"selene_chat_summaries_total{outcome="done"}"#] >= 1)
            #expect(metrics[#"selene_chat_left_out_total{part="compressed"}"#] == Double(leftOut.count))
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `a failed attempt is repeated after a pause, and the session says why`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place, settings: Self.small) { gateway in
            _ = try await fill(gateway, "s", messages: 6)
            gateway.fake.setFaults(["status=500@/api/chat#1"])
            let asked = try await gateway.request("POST", "/api/sessions/s/compress")
            #expect(asked.status == 202 && asked.object["compression_state"] as? String == "processing")
            try await waitUntil { try await session(gateway, "s").compressionError != nil }
            let failed = try await session(gateway, "s")
            #expect(failed.compressionState == "processing" && failed.compressionError?.contains("500") == true)
            try await waitUntil { try await session(gateway, "s").compressionState == "hybrid" }
            #expect(try await session(gateway, "s").compressionError == nil)
            // The row of a job follows that of its session.
            try await waitUntil { try await jobs(gateway).map(\.state) == [.done, .failed] }
            // All but the last four are summarised now.
            let again = try await gateway.request("POST", "/api/sessions/s/compress", #"{"model":"llama3.2"}"#)
            #expect(again.status == 200)
            #expect(try await gateway.request("POST", "/api/sessions/none/compress").status == 404)
        }
    }

    @Test(.slow) func `a cancelled job is not tried again, and a shutdown keeps the request`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 1
        options.tokens = 100_000
        try await LiveGateway.with(options, settings: Self.small) { gateway in
            let ids = try await fill(gateway, "s", messages: 6)
            #expect(try await gateway.request("POST", "/api/sessions/s/compress").status == 202)
            #expect(await gateway.fake.waitUntil { $0.running == 1 })
            let job = try #require(try await jobs(gateway).first)
            #expect(try await gateway.request("DELETE", "/api/jobs/\(job.id)").status == 200)
            try await waitUntil { try await session(gateway, "s").compressionState == "full" }
            #expect(try await session(gateway, "s").compressionError == "cancelled")
            #expect(try await gateway.store.summaries.next() == nil)
            #expect(await gateway.fake.waitUntil { $0.cancelled == 1 && $0.running == 0 })
            #expect(try await gateway.request("POST", "/api/sessions/s/compress").status == 202)
            #expect(await gateway.fake.waitUntil { $0.running == 1 })
            await gateway.shutDown()
            #expect(await gateway.fake.waitUntil { $0.cancelled == 2 && $0.running == 0 })
            try await gateway.withOtherStore { store in
                let next = try await store.summaries.next()
                let latest = try await store.jobs.list(limit: 1).first
                #expect(next?.message == ids[1] && latest?.job.state == .interrupted)
            }
        }
    }

    @Test(.slow) func `answers from private notes and their summaries stay on this machine`() async throws {
        var options = FakeProvider.Options()
        options.key = nil
        var own = FakeOllama.Options()
        own.script = FakeOllama.Script([
            .text("It is at Skagen [1]."), .text("Yes [1]."), .text("No [1]."), .text("ok"),
            .text("They met at Skagen."),
        ])
        try await FakeProvider.withServer(options) { provider in
            let providers = #"{"away": {"kind": "openai", "url": "\#(provider.baseURL)/v1"}}"#
            try await LiveGateway.with(own, settings: ["providers": providers]) { gateway in
                _ = try await gateway.store.notes.insert([
                    NoteDraft(
                        title: "harbour", content: "The secret anchorage is at Skagen.", createdAt: 1,
                        tags: ["private"])
                ])
                for question in [
                    "Where is the secret anchorage?", "How deep is Skagen harbour?", "Who knows Skagen town?",
                ] {
                    let run = try await gateway.answer(question, ["session": "s", "tools": false]).run
                    #expect(run.record?.passages.map(\.note) == [1])
                }
                let run = try await gateway.answer(
                    "Which anchorage is the best in Denmark?", ["session": "s", "model": "away/small"]
                ).run
                #expect(run.record?.withheld == [1])
                #expect(run.record?.leftOut.contains { $0.part == "history" && $0.count == 3 } == true)
                let sent = try #require(provider.lastRequest).body
                #expect(sent.contains("withheld") && !sent.contains("at Skagen"))
                #expect(sent.contains("How deep is"), "what the user asked is no note")
                // The summary by the other machine's model does not know them, either.
                let asked = try await gateway.request("POST", "/api/sessions/s/compress", #"{"model":"away/small"}"#)
                #expect(asked.status == 202)
                try await waitUntil { try await session(gateway, "s").compressionState == "hybrid" }
                let compressed = try #require(provider.lastRequest).body
                #expect(compressed.contains("Summarise this conversation") && !compressed.contains("at Skagen"))
                // The row of the job follows that of the session.
                try await waitUntil {
                    try await jobs(gateway).first?.message?.contains("2 withheld from away/small") == true
                }
                // One of a model on this machine does, and stays here.
                _ = try await gateway.answer("Next?", ["session": "s", "kind": "plain"])
                #expect(try await gateway.request("POST", "/api/sessions/s/compress").status == 202)
                try await waitUntil { try await session(gateway, "s").compressionState == "hybrid" }
                _ = try await gateway.answer("And again?", ["session": "s", "model": "away/small"])
                #expect(try #require(provider.lastRequest).body.contains("at Skagen") == false)
            }
        }
    }

    @Test func `without automatic summaries, messages are only left out`() async throws {
        try await LiveGateway.with(settings: Self.small.merging(["chat_compress": "off"]) { $1 }) { gateway in
            _ = try await fill(gateway, "s", messages: 12)
            let run = try await gateway.answer("and now?", ["session": "s", "kind": "plain"]).run
            #expect(run.record?.leftOut.contains { $0.part == "history" } == true)
            #expect(try await gateway.store.summaries.next() == nil)
        }
    }
}
