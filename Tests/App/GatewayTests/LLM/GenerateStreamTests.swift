import FakeOllama
import Foundation
import GatewayTestSupport
import Inference
import NIOCore
import TestSupport
import Testing
import Transport

@Suite(.serialized) struct Streams {
    let body = #"{"prompt":"x","model":"llama3.2","stream":true,"options":{"num_predict":50}}"#

    @Test func `NDJSON passes byte for byte as it comes directly`() async throws {
        try await LiveGateway.with { gateway in
            let reply = try await gateway.post("/api/llm/generate", body)
            #expect(reply.status == 200)
            #expect(reply.head["content-type"] == "application/x-ndjson")
            #expect(reply.head["x-accel-buffering"] == "no")
            let direct = try UpstreamTransport(configuration: UpstreamConfiguration(host: gateway.fake.baseURL))
            let expected = try await direct.send(
                UpstreamRequest(method: "POST", path: "/api/generate", body: ByteBuffer(string: body)))
            let directly = try await expected.body.collect(upTo: 1 << 20)
            #expect(reply.data == Data(directly.readableBytesView))
            await direct.shutdown(within: .seconds(1))
        }
    }

    @Test func `a client that accepts events gets each line as an event`() async throws {
        try await LiveGateway.with { gateway in
            let lines = try await gateway.post("/api/llm/generate", body).text.split(separator: "\n")
            let reply = try await gateway.request(
                "POST", "/api/llm/generate", body, headers: [("Accept", "text/event-stream")])
            #expect(reply.head["content-type"] == "text/event-stream")
            #expect(reply.text == lines.map { "data: \($0)\n\n" }.joined())
        }
    }

    @Test func `the first line comes long before the last`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 20
        try await LiveGateway.with(options) { gateway in
            let response = try await gateway.open("POST", "/api/llm/generate", body)
            var iterator = response.body.makeAsyncIterator()
            let first = try await iterator.next()
            #expect(first != nil)
            #expect(gateway.fake.statistics.inFlight == 1)
            response.body.cancel()
        }
    }

    @Test(.slow, arguments: [true, false]) func `a client that leaves is gone upstream`(stream: Bool) async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 50
        try await LiveGateway.with(options) { gateway in
            // The upstream would go on for minutes.
            for attempt in 1...3 {
                let request = #"{"prompt":"x","stream":\#(stream),"options":{"num_predict":100000}}"#
                let task = Task {
                    let response = try await gateway.open("POST", "/api/llm/generate", request)
                    for try await _ in response.body {}
                }
                #expect(await gateway.fake.waitUntil { $0.inFlight == 1 })
                if stream { #expect(await gateway.fake.waitUntil { $0.bytesWritten > attempt * 500 }) }
                task.cancel()
                #expect(await gateway.fake.waitUntil { $0.cancelled == attempt })
            }
        }
    }

    @Test func `a client that leaves while its request waits is never seen upstream`() async throws {
        var options = FakeOllama.Options()
        options.latency = 30
        try await LiveGateway.with(options, settings: ["max_in_flight": "1", "max_waiting": "1"]) { gateway in
            let request = #"{"prompt":"x"}"#
            let first = Task { try await gateway.post("/api/llm/generate", request) }
            #expect(await gateway.fake.waitUntil { $0.inFlight == 1 })
            // Of two more, one waits and one is refused at once.
            try await withThrowingTaskGroup(of: LiveGateway.Reply.self) { group in
                for _ in 0..<2 { group.addTask { try await gateway.post("/api/llm/generate", request) } }
                let refused = try #require(try await group.next())
                #expect(refused.status == 429)
                #expect(refused.code == "overloaded")
                #expect(refused.head["retry-after"] != nil)
                group.cancelAll()
                while (try? await group.next()) != nil {}
            }
            first.cancel()
            _ = await first.result
            #expect(await gateway.fake.waitUntil { $0.inFlight == 0 })
            #expect(gateway.fake.statistics.requests["/api/generate"] == 1)
        }
    }

    @Test(.slow) func `a slow client holds the upstream back`() async throws {
        // On a busy machine the buffers take longer to fill than a client may read nothing, and than an upstream may be silent.
        let patience = ["client_idle_timeout": "600", "idle_timeout": "600", "min_body_rate": "0"]
        try await LiveGateway.with(settings: patience) { gateway in
            gateway.fake.setFaults(["giant-line=15000000@/api/generate"])
            let client = try RawClient(port: gateway.port)
            let many = #"{"prompt":"x","stream":true,"options":{"num_predict":400000}}"#
            gateway.fake.setFaults([])
            try client.send(
                "POST /api/llm/generate HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(many.utf8.count)\r\n\r\n"
                    + many)
            #expect(await gateway.fake.waitUntil { $0.bytesWritten > 0 })
            // The answer is 40 MB. Without a reader the bytes on their way stop at buffers and watermarks.
            let before = await valueAtRest { gateway.fake.statistics.bytesWritten }
            #expect(before < 30 << 20)
            #expect(gateway.fake.statistics.inFlight == 1)
            client.close()
            #expect(await gateway.fake.waitUntil { $0.cancelled == 1 })
        }
    }

    @Test(
        .slow,
        arguments: [
            ("cut=3", "upstream_cut"), ("reset=3", "upstream_cut"), ("stall-mid=3:30", "upstream_idle_timeout"),
            ("giant-line=20000000", "upstream_line_too_long"),
        ])
    func `an upstream that fails in mid-stream ends with an error line`(fault: String, code: String) async throws {
        try await LiveGateway.with(settings: ["idle_timeout": "2"]) { gateway in
            gateway.fake.setFaults([fault])
            let reply = try await gateway.post("/api/llm/generate", body)
            #expect(reply.status == 200)
            let lines = reply.text.split(separator: "\n")
            let ending = Data(try #require(lines.last).utf8)
            let last = try JSONSerialization.jsonObject(with: ending) as? [String: String]
            #expect(last?["code"] == code)
            #expect(last?["error"]?.isEmpty == false)
            for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
            if !fault.hasPrefix("giant") { #expect(lines.count == 4) }
        }
    }

    @Test func `an upstream's own error line and its broken JSON pass untouched`() async throws {
        try await LiveGateway.with { gateway in
            gateway.fake.setFaults(["error-line=2"])
            let error = try await gateway.post("/api/llm/generate", body).text
            #expect(error.hasSuffix("{\"error\":\"the model stopped unexpectedly\"}\n"))
            #expect(error.split(separator: "\n").count == 3)
            gateway.fake.setFaults(["bad-json=2"])
            let broken = try await gateway.post("/api/llm/generate", body).text
            #expect(broken.contains("{\"model\":\"broken\",\"response\":\n"))
            #expect(broken.contains("\"done\":true"))
        }
    }

    @Test(.slow) func `shutdown lets a stream end, and the deadline cuts a long one`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 50
        try await LiveGateway.with(options) { gateway in
            let task = Task { try await gateway.post("/api/llm/generate", body) }
            #expect(await gateway.fake.waitUntil { $0.bytesWritten > 0 })
            await gateway.shutDown()
            let whole = try await task.value.text
            #expect(whole.contains("\"done\":true"))
        }
        try await LiveGateway.with(options, settings: ["drain_timeout": "0.3"]) { gateway in
            let long = #"{"prompt":"x","stream":true,"options":{"num_predict":100000}}"#
            let task = Task { try await gateway.post("/api/llm/generate", long) }
            #expect(await gateway.fake.waitUntil { $0.bytesWritten > 0 })
            await gateway.shutDown()
            #expect(await gateway.fake.waitUntil { $0.inFlight == 0 })
            _ = await task.result
        }
    }
}
