import FakeOllama
import Foundation
import GatewayTestSupport
import Inference
import Synchronization
import TestSupport
import Testing

/// An upstream that sends what is no text, answers too early, or goes away and comes back.
@Suite(.serialized) struct UpstreamFaults {
    /// A line that is neither UTF-8 nor JSON, between two that are both.
    private static let odd =
        Array("{\"response\":\"a\",\"done\":false}\n{\"response\":\"".utf8)
        + [0xFF, 0xC0, 0x80, 0x00, 0x1B] + Array("\"}\n{\"done\":true}\n".utf8)

    /// Sends a request and answers it with a head and bytes, as one chunk.
    private func answer(
        _ path: String, _ body: String, headers: [(name: String, value: String)] = [], type: String, _ bytes: [UInt8]
    ) async throws -> LiveGateway.Reply {
        let server = try RawServer()
        defer { server.stop() }
        var reply: LiveGateway.Reply?
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(server.port)"]) { gateway in
            let task = Task { try await gateway.request("POST", path, body, headers: headers) }
            #expect(await server.waitUntil { String(decoding: $0.received, as: UTF8.self).contains("POST /api") })
            server.send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n")
            server.send("\(String(bytes.count, radix: 16))\r\n")
            server.send(bytes)
            server.send("\r\n0\r\n\r\n")
            reply = try await task.value
            #expect(try await gateway.request("GET", "/health").status == 200)
            let metrics = try await gateway.metrics { $0["selene_admission_in_flight"] == 0 }
            #expect(metrics["selene_admission_in_flight"] == 0)
        }
        return try #require(reply)
    }

    @Test(.slow) func `lines that are no text pass byte for byte on Ollama's routes and our own`() async throws {
        for path in ["/api/generate", "/api/llm/generate"] {
            let reply = try await answer(
                path, #"{"model":"llama3.2","prompt":"x","stream":true}"#, type: "application/x-ndjson", Self.odd)
            #expect(reply.status == 200)
            #expect(Array(reply.data) == Self.odd, "\(path)")
        }
    }

    @Test(.slow) func `lines that are no text stay one event each`() async throws {
        let reply = try await answer(
            "/api/llm/generate", #"{"model":"llama3.2","prompt":"x","stream":true}"#,
            headers: [("Accept", "text/event-stream")], type: "application/x-ndjson", Self.odd)
        #expect(reply.status == 200)
        let lines = reply.data.split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 3)
        for line in lines { #expect(line.starts(with: Array("data: ".utf8))) }
    }

    @Test(
        .slow,
        arguments: [
            "{\"response\":", "[]", "null", "", "\u{FEFF}{}", "{\"embeddings\":[[1,null]]}", "{\"embeddings\":[[]]}",
            "{\"embeddings\":[[1e999]]}", "{\"embeddings\":\"no\"}",
        ])
    func `an answer that is not what it should be is a 502 of one shape`(answered: String) async throws {
        for (path, body) in [("/api/llm/generate", #"{"prompt":"x"}"#), ("/api/llm/embed", #"{"text":"x"}"#)] {
            guard path.hasSuffix("embed") || !answered.contains("embeddings") else { continue }
            // For vectors the gateway asks for the model's digest first, and goes on without.
            let server = try RawServer()
            defer { server.stop() }
            try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(server.port)"]) { gateway in
                let task = Task { try await gateway.post(path, body) }
                let seen = Mutex(0)
                let answering = Task {
                    while !Task.isCancelled {
                        let count = server.received.count
                        if count > seen.withLock({ $0 }) {
                            seen.withLock { $0 = count }
                            server.send("HTTP/1.1 200 OK\r\nContent-Length: \(answered.utf8.count)\r\n\r\n\(answered)")
                        }
                        try await Task.sleep(for: .milliseconds(5))
                    }
                }
                let reply = try await task.value
                answering.cancel()
                #expect(reply.status == 502, "\(path) \(answered): \(reply.status) \(reply.text)")
                #expect(reply.object.count == 2 && reply.code.hasPrefix("upstream_"), "\(reply.text)")
            }
        }
    }

    @Test(.slow) func `a request behind an upload that was answered early gets its own answer`() async throws {
        let server = try RawServer()
        defer { server.stop() }
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(server.port)"]) { gateway in
            let size = 4_000_000
            let client = try RawClient(port: gateway.port)
            try client.send("POST /api/blobs/sha256:00 HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(size)\r\n\r\n")
            try client.send(String(repeating: "x", count: 1 << 20))
            #expect(await server.waitUntil { $0.received.count > 1 << 19 })
            server.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 15\r\n\r\n{\"error\":\"bad\"}")
            #expect(await client.readThrough("bad\"}").hasPrefix("HTTP/1.1 400"))
            // The rest of the body is nobody's, and no request.
            let rest = String(repeating: "x", count: size - (1 << 20))
            client.sendInBackground(
                Array((rest + "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").utf8)
            ) { _ in }
            let second = await client.readAll()
            #expect(second.isEmpty || second.hasPrefix("HTTP/1.1 200 OK"), "\(second.prefix(200))")
            client.close()
            let metrics = try await gateway.metrics { $0["selene_admission_in_flight"] == 0 }
            #expect(metrics["selene_admission_in_flight"] == 0)
        }
    }

    @Test func `an upstream that restarts at its port under load costs answers, not the gateway`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 400
        let first = try await FakeOllama.start(options)
        options.port = first.port
        let answers = Answers()
        func seen(_ kind: String) -> Int { answers.counts[kind] ?? 0 }
        try await LiveGateway.with(settings: ["ollama_host": first.baseURL]) { gateway in
            let body = #"{"model":"llama3.2","prompt":"x","options":{"num_predict":40}}"#
            let load = Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            while !Task.isCancelled { answers.count(try await gateway.post("/api/generate", body)) }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(await eventually { seen("whole") > 16 })
            await first.shutdown()
            #expect(await eventually { seen("refused") > 16 })
            let second = try await FakeOllama.start(options)
            let before = seen("whole")
            #expect(await eventually { seen("whole") > before + 16 })
            load.cancel()
            _ = await load.result
            let kinds = answers.counts
            #expect(Set(kinds.keys).isSubset(of: ["whole", "broken", "refused"]), "\(kinds)")
            let metrics = try await gateway.metrics { $0["selene_requests_in_flight"] == 1 }
            #expect(metrics["selene_requests_in_flight"] == 1 && metrics["selene_admission_in_flight"] == 0)
            #expect(await second.waitUntil { $0.inFlight == 0 })
            await second.shutdown()
        }
    }
}

/// How streams ended, counted.
private final class Answers: Sendable {
    private let state = Mutex<[String: Int]>([:])

    var counts: [String: Int] { state.withLock { $0 } }

    func count(_ reply: LiveGateway.Reply) {
        let last = reply.text.split(separator: "\n").last ?? ""
        let kind =
            switch reply.status {
            case 200 where last.contains("\"done\":true"): "whole"
            case 200 where last.contains("\"code\":\"upstream_"): "broken"
            case 502 where reply.code.hasPrefix("upstream_"): "refused"
            default: "wrong: \(reply.status) \(last.suffix(200))"
            }
        state.withLock { $0[kind, default: 0] += 1 }
    }
}
