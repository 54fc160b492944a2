import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import NIOCore
import Storage
import StoreTestSupport
import TestSupport
import Testing
import Transport

/// Gateways whose notes and chats are in PostgreSQL.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct SharedChatTests {
    /// Runs two gateways on one database.
    private func with(
        _ options: FakeOllama.Options = .init(), settings: [String: String] = [:],
        _ body: (_ first: LiveGateway, _ second: LiveGateway) async throws -> Void
    ) async throws {
        var (options, settings) = (options, settings)
        settings["store"] = try await #require(await PostgresServer.shared()).migrated()
        options.dimensions = 8
        try await LiveGateway.with(options, settings: settings) { first in
            try await LiveGateway.with(options, settings: settings) { second in try await body(first, second) }
        }
    }

    @Test(.slow) func `a conversation goes on at another gateway, and its answer is read there`() async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script([.text("The tide turns at noon [1].")])
        try await with(options) { first, second in
            try await first.create([NoteDraft(title: "tide", content: "The tide turns at noon.", createdAt: 1)])
            let run = try await first.answer("When does the tide turn?", ["session": "s"]).run
            #expect(run.record?.citations.map(\.verdict) == [.supported])
            var reader = ChatReader(run.id)
            try await reader.read(second)
            #expect(reader.string == run.text && reader.names.last == "done")
            #expect(try await second.run(run.id).record == run.record)
            let next = try await second.answer("And what did I ask?", ["session": "s", "kind": "plain"]).run
            #expect(second.fake.statistics.lastBody.contains("When does the tide turn?"))
            let messages = try await first.done("GET", "/api/sessions/s/messages").objects("messages")
            #expect(messages.map { $0["run"] as? String } == [nil, run.id, nil, next.id])
            #expect(messages[2]["parent_id"] as? Int64 == run.message)
            let runs = try await first.done("GET", "/api/chat/runs?session=s").objects("runs")
            #expect(runs.map { $0["id"] as? String } == [next.id, run.id])
        }
    }

    @Test(.slow) func `another gateway sees a run in progress, follows it to its end and stops it`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 100
        options.tokens = 100_000
        try await with(options) { first, second in
            let run = try await first.ask("tell me all about the sea", ["session": "s", "kind": "plain"])
            try await waitUntil { try await second.run(run.id).text?.isEmpty == false }
            let busy = try await second.post("/api/chat/runs", #"{"id":"b","question":"x?","session":"s"}"#)
            #expect(busy.status == 409 && busy.code == "session_busy")
            let again = try await second.post(
                "/api/chat/runs", #"{"id":"\#(run.id)","question":"tell me all about the sea","session":"s"}"#)
            #expect(again.status == 200)
            let reading = Task {
                var reader = ChatReader(run.id)
                try await reader.readAll(second)
                return reader
            }
            // What is stored arrives while the run goes on.
            let stream = try await second.open("GET", "/api/chat/runs/\(run.id)/events")
            var seen = ""
            for try await piece in stream.body {
                seen += String(decoding: piece.readableBytesView, as: UTF8.self)
                if seen.contains("event: snapshot"), seen.contains("event: delta") { break }
            }
            stream.body.cancel()
            #expect(!seen.contains("event: done"))
            let stopped = try await second.request("DELETE", "/api/chat/runs/\(run.id)")
            #expect(stopped.status == 200 && stopped.object["state"] as? String == "stopped", "\(stopped.text)")
            #expect(await first.fake.waitUntil { $0.cancelled == 1 && $0.inFlight == 0 })
            let reader = try await reading.value
            let end = try await first.run(run.id)
            #expect(end.state == .stopped && end.stopReason == "asked" && reader.string == end.text)
        }
    }

    @Test(.slow) func `a run of a gateway that ends goes on at another`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 50
        options.tokens = 200
        try await with(options) { first, second in
            let run = try await first.ask("tell me a story", ["session": "s", "kind": "plain"])
            try await waitUntil { try await first.run(run.id).text?.isEmpty == false }
            await first.shutDown()
            let kept = try await second.run(run.id)
            #expect(kept.state == .interrupted && kept.text?.isEmpty == false && kept.message != nil)
            try await second.done("POST", "/api/chat/runs/\(run.id)/continue")
            var reader = ChatReader(run.id)
            try await reader.readAll(second)
            let end = try await second.run(run.id)
            #expect(end.state == .done && end.life == 1 && end.message == kept.message)
            #expect(end.text?.hasPrefix(kept.text ?? "-") == true && reader.string == end.text)
        }
    }

    @Test(.slow) func `books and threads are known, and no memory is learned`() async throws {
        try await with { first, second in
            try await first.create([
                NoteDraft(title: "tide", content: "The tide turns at noon.", createdAt: 1, threads: ["Sea"])
            ])
            let book = try await second.post(
                "/api/chat/runs", #"{"id":"b","question":"x?","kind":"book","scope":{"book":1}}"#)
            #expect(book.status == 404 && book.error == "there is no book 1", "\(book.text)")
            let options: [String: Any] = ["kind": "deep_dive", "scope": ["thread": "sea"], "tools": false]
            let run = try await second.answer("When does the tide turn? My name is Ada.", options).run
            #expect(run.record?.passages.map(\.title) == ["tide"])
            #expect(second.fake.statistics.lastBody.contains("Thread \\\"Sea\\\", 1 note"))
            let unknown = try await second.post(
                "/api/chat/runs", #"{"id":"u","question":"x?","scope":{"thread":"Harbour"}}"#)
            #expect(unknown.status == 404 && unknown.error.contains("Harbour"))
            _ = try await second.answer("What is new?", ["kind": "briefing", "tools": false])
            #expect(second.fake.statistics.lastBody.contains("newest notes"))
            #expect(try await first.done("GET", "/api/memories").objects("memories").isEmpty)
        }
    }

    @Test(.slow) func `while the server is away a run begins with 503, and one in progress goes on`() async throws {
        // A commit must survive the end of the server.
        let server = try #require(await PostgresServer.start(["--set", "synchronous_commit = on"]))
        defer { server.stop() }
        var options = FakeOllama.Options()
        options.tokensPerSecond = 50
        options.tokens = 150
        try await LiveGateway.with(options, settings: ["store": try await server.migrated()]) { gateway in
            let run = try await gateway.ask("tell me a story", ["session": "s", "kind": "plain"])
            try await waitUntil { try await gateway.run(run.id).text?.isEmpty == false }
            try await server.command("stop")
            let refused = try await gateway.post("/api/chat/runs", #"{"id":"b","question":"x?","kind":"plain"}"#)
            #expect(refused.status == 503 && refused.code == "storage_failed", "\(refused.text)")
            try await server.command("start")
            var reader = ChatReader(run.id)
            try await reader.readAll(gateway)
            #expect(reader.names.last == "done")
            try await waitUntil { try await gateway.run(run.id).message != nil }
            let messages = try await gateway.done("GET", "/api/sessions/s/messages").objects("messages")
            #expect(messages.last?["content"] as? String == reader.string)
        }
    }
}
