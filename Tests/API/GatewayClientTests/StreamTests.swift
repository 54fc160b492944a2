import FakeOllama
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import TestSupport
import Testing

@Suite(.serialized) struct ClientStreams {
    private func long(_ tokens: Int64 = 1_000_000) -> GenerateRequest {
        GenerateRequest(prompt: "x", model: "llama3.2", options: ["num_predict": .integer(tokens)])
    }

    @Test func `lines arrive while the answer is still being made`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 100
        try await ConnectedClient.with(options) { setting in
            var seen = 0
            for try await _ in try await setting.llm.generateStream(long()) {
                seen += 1
                #expect(setting.fake.statistics.completed == 0)
                if seen == 5 { break }
            }
            #expect(seen == 5)
        }
    }

    @Test(.slow) func `a task that is cancelled ends the work at Ollama`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 100
        try await ConnectedClient.with(options) { setting in
            let task = Task {
                for try await _ in try await setting.llm.generateStream(long()) {}
            }
            #expect(await setting.fake.waitUntil { $0.bytesWritten > 0 })
            task.cancel()
            #expect(await setting.fake.waitUntil { $0.cancelled == 1 })
            _ = await task.result
            // Before the first byte, too.
            setting.fake.setFaults(["stall-first=30@/api/chat"])
            let chat = ChatRequest(model: "llama3.2", messages: [ChatMessage(role: "user", content: "x")])
            let early = Task { await clientError { _ = try await setting.llm.chat(chat) } }
            #expect(await setting.fake.waitUntil { $0.inFlight == 1 })
            early.cancel()
            #expect(await early.value?.kind == .cancelled)
            #expect(await setting.fake.waitUntil { $0.cancelled == 2 })
            // And while nothing comes any more.
            setting.fake.setFaults(["stall-mid=3:30@/api/generate"])
            let (seen, seeing) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(8))
            let stalled = Task {
                var count = 0
                for try await _ in try await setting.llm.generateStream(long()) {
                    count += 1
                    seeing.yield(count)
                }
            }
            #expect(await seen.first { $0 == 3 } == 3)
            stalled.cancel()
            #expect(await setting.fake.waitUntil { $0.cancelled == 3 })
            _ = await stalled.result
        }
    }

    @Test(.slow) func `a stream that nobody holds any more ends the work at Ollama`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 100
        try await ConnectedClient.with(options) { setting in
            do {
                for try await _ in try await setting.llm.generateStream(long()) { break }
            }
            #expect(await setting.fake.waitUntil { $0.cancelled == 1 })
            // One that was opened and never read.
            _ = try await setting.llm.generateStream(long())
            #expect(await setting.fake.waitUntil { $0.cancelled == 2 })
        }
    }

    @Test func `what waits for a reader that stops is bounded, and no other stream is harmed`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nConnection: close\r\n\r\n"
        let text = String(repeating: "a", count: 4096)
        let line = #"{"model":"m","response":"\#(text)","done":false}"# + "\n"
        let last = #"{"model":"m","response":"","done":true}"# + "\n"
        let server = try ScriptedServer { number in
            .raw(head + String(repeating: line, count: number == 1 ? 10_000 : 100) + last)
        }
        defer { server.stop() }
        let llm = RemoteOllamaService(try GatewayConnection(server.address, tokens: StaticTokenStore(nil)))
        var iterator = try await llm.generateStream(long()).makeAsyncIterator()
        #expect(try await iterator.next() != nil)
        // 40 MB wait. While nobody reads them, another stream is whole.
        var other = 0
        for try await _ in try await llm.generateStream(long()) { other += 1 }
        #expect(other == 101)
        #if canImport(Darwin)
        // The network was held: nothing is lost.
        var rest = 0
        while try await iterator.next() != nil { rest += 1 }
        #expect(rest == 10_000)
        #else
        // The network cannot be held: the stream ends, and says why.
        #expect(await server.waitUntil { $0.written == 2 })
        do {
            while try await iterator.next() != nil {}
            Issue.record("the stream ended without an error")
        } catch let error as GatewayClientError {
            #expect(error.kind == .tooLarge)
        }
        #endif
    }

    @Test(.slow) func `a reader that keeps up gets a long answer whole`() async throws {
        try await ConnectedClient.with { setting in
            var lines = 0
            for try await _ in try await setting.llm.generateStream(long(5_000)) { lines += 1 }
            #expect(lines == 5_001)
        }
    }

    @Test(
        .slow,
        arguments: [
            ("cut=3@/api/generate", "upstream_cut"), ("reset=3@/api/generate", "upstream_cut"),
            ("stall-mid=3:30@/api/generate", "upstream_idle_timeout"), ("error-line=3@/api/generate", nil),
        ] as [(String, String?)])
    func `an answer that breaks throws after what came`(fault: String, code: String?) async throws {
        try await ConnectedClient.with(settings: ["idle_timeout": "1"]) { setting in
            setting.fake.setFaults([fault])
            var pieces = 0
            let error = await clientError {
                for try await _ in try await setting.llm.generateStream(long(50)) { pieces += 1 }
            }
            #expect(error?.kind == .cut)
            #expect(error?.code == code)
            #expect(error?.requestID?.isEmpty == false)
            #expect(pieces == 3)
        }
    }

    @Test func `a line that is no JSON, and one without an end, are errors`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nConnection: close\r\n\r\n"
        let line = #"{"model":"m","response":"a","done":false}"# + "\n"
        for (rest, kind) in [("nonsense\n", GatewayClientError.Kind.undecodable), ("", .cut)] {
            let server = try ScriptedServer { _ in .raw(head + line + rest) }
            defer { server.stop() }
            let llm = RemoteOllamaService(try GatewayConnection(server.address, tokens: StaticTokenStore(nil)))
            var pieces = 0
            let error = await clientError {
                for try await _ in try await llm.generateStream(long()) { pieces += 1 }
            }
            #expect(error?.kind == kind)
            #expect(pieces == 1)
            #expect(server.requests.count == 1)
        }
    }

    @Test func `a gateway that falls silent runs into the idle timeout, and is left`() async throws {
        let server = try ScriptedServer { _ in
            .stall(
                "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n"
                    + #"{"model":"m","response":"a","done":false}"# + "\n")
        }
        defer { server.stop() }
        let connection = try GatewayConnection(
            server.address, tokens: StaticTokenStore(nil), timeouts: .init(firstByte: 5, idle: 0.2))
        let stream = try await RemoteOllamaService(connection).generateStream(long())
        var pieces = 0
        let error = await clientError { for try await _ in stream { pieces += 1 } }
        #expect(error?.kind == .timedOut)
        #expect(pieces == 1)
        #expect(await server.waitUntil { $0.left == 1 })
    }
}
