import FakeOllama
import Foundation
import GatewayTestSupport
import Inference
import NIOCore
import TestSupport
import Testing

@testable import Transport

/// Streams through Ollama's own routes: their pace, their ends and their clients' leaving.
@Suite(.serialized) struct ProxyStreams {
    let body = #"{"model":"llama3.2","prompt":"x","options":{"num_predict":50}}"#

    @Test(.slow, arguments: ["waiting", "streaming", "whole"])
    func `a client that leaves is gone upstream`(phase: String) async throws {
        var options = FakeOllama.Options()
        options.latency = phase == "waiting" ? 30 : 0
        options.tokensPerSecond = 50
        try await LiveGateway.with(options) { gateway in
            // The upstream would go on for minutes.
            for attempt in 1...3 {
                let request =
                    #"{"model":"llama3.2","prompt":"x","stream":\#(phase != "whole"),"options":{"num_predict":100000}}"#
                let task = Task {
                    let response = try await gateway.open("POST", "/api/generate", request)
                    for try await _ in response.body {}
                }
                #expect(await gateway.fake.waitUntil { $0.inFlight == 1 })
                if phase == "streaming" { #expect(await gateway.fake.waitUntil { $0.bytesWritten > attempt * 500 }) }
                task.cancel()
                #expect(await gateway.fake.waitUntil { $0.cancelled == attempt })
            }
        }
    }

    @Test func `a client that leaves while its request waits for a place is never seen upstream`() async throws {
        var options = FakeOllama.Options()
        options.latency = 30
        try await LiveGateway.with(options, settings: ["max_in_flight": "1", "max_waiting": "1"]) { gateway in
            let first = Task { try await gateway.post("/api/generate", body) }
            #expect(await gateway.fake.waitUntil { $0.inFlight == 1 })
            try await withThrowingTaskGroup(of: LiveGateway.Reply.self) { group in
                for _ in 0..<2 { group.addTask { try await gateway.post("/api/generate", body) } }
                let refused = try #require(try await group.next())
                #expect(refused.status == 429)
                #expect(refused.code == "overloaded")
                #expect(refused.head["retry-after"] != nil)
                // The catalogue needs no place.
                #expect(try await gateway.request("GET", "/api/tags").status == 200)
                group.cancelAll()
                while (try? await group.next()) != nil {}
            }
            first.cancel()
            _ = await first.result
            #expect(await gateway.fake.waitUntil { $0.inFlight == 0 })
            #expect(gateway.fake.statistics.requests["/api/generate"] == 1)
        }
    }

    @Test(.slow) func `a slow client holds the upstream back and loses nothing`() async throws {
        try await LiveGateway.with { gateway in
            // One write of 30 MB ends only when the client has taken most of it.
            let bytes = 30_000_000
            gateway.fake.setFaults(["giant-line=\(bytes)"])
            let client = try RawClient(port: gateway.port)
            try client.send(
                "POST /api/generate HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
            #expect(await gateway.fake.waitUntil { $0.inFlight == 1 })
            #expect(await valueAtRest { gateway.fake.statistics.bytesWritten } == 0)
            #expect(gateway.fake.statistics.inFlight == 1)
            let all = await client.readAll()
            #expect(all.utf8.count > bytes)
            #expect(all.hasSuffix("\r\n0\r\n\r\n"))
            #expect(all.contains(#""eval_count":50"#))
            client.close()
        }
    }

    @Test(
        .slow,
        arguments: [
            ("cut=3", "upstream_cut"), ("reset=3", "upstream_cut"), ("stall-mid=3:30", "upstream_idle_timeout"),
        ])
    func `an upstream that fails in mid-stream ends with an error line`(fault: String, code: String) async throws {
        try await LiveGateway.with(settings: ["idle_timeout": "1"]) { gateway in
            gateway.fake.setFaults([fault])
            let chat = #"{"model":"llama3.2","messages":[{"role":"user","content":"x"}]}"#
            for (path, body) in [("/api/generate", body), ("/api/chat", chat)] {
                let reply = try await gateway.post(path, body)
                #expect(reply.status == 200)
                let lines = reply.text.split(separator: "\n")
                #expect(lines.count == 4)
                for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
                let ending = Data(try #require(lines.last).utf8)
                let last = try JSONSerialization.jsonObject(with: ending) as? [String: String]
                #expect(last?["code"] == code)
                #expect(last?["error"]?.isEmpty == false)
            }
        }
    }

    @Test func `lines are never cut in two, and events end with an error event when the upstream breaks`() async throws
    {
        let server = try RawServer()
        defer { server.stop() }
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(server.port)"]) { gateway in
            let task = Task { try await gateway.open("POST", "/v1/chat/completions", #"{"stream":true}"#) }
            #expect(await server.waitUntil { !$0.received.isEmpty })
            let event = "data: {\"x\":\"ü\"}\n\n"
            server.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
            server.send("\(String(event.utf8.count + 7, radix: 16))\r\n\(event)data: {\r\n")
            let response = try await task.value
            var pieces: [String] = []
            var iterator = response.body.makeAsyncIterator()
            pieces.append(try await iterator.next().map { String(buffer: $0) } ?? "")
            #expect(pieces == [event])
            server.hangUp()
            while let piece = try await iterator.next() { pieces.append(String(buffer: piece)) }
            let end = pieces.dropFirst().joined()
            #expect(end.hasPrefix("\ndata: {\"error\":{\"code\":\"upstream_cut\""))
            #expect(end.hasSuffix("}}\n\n"))
        }
    }

    @Test func `a whole answer that is cut is not passed off as whole`() async throws {
        let server = try RawServer()
        defer { server.stop() }
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(server.port)"]) { gateway in
            let client = try RawClient(port: gateway.port)
            try client.send("GET /api/tags HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(await server.waitUntil { !$0.received.isEmpty })
            server.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"models\":")
            #expect(await client.readThrough("{\"models\":").isEmpty == false)
            server.hangUp()
            // The end of the connection, not of the answer.
            #expect(await client.readAll().isEmpty)
            client.close()
        }
    }

    @Test(.slow, arguments: ["", "{\"models\":"])
    func `an answer that is cut as soon as it comes is never silence`(body: String) async throws {
        let server = try RawServer()
        defer { server.stop() }
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(server.port)"]) { gateway in
            for attempt in 1...20 {
                let client = try RawClient(port: gateway.port)
                try client.send("GET /api/tags HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                #expect(await server.waitUntil { $0.received.count(where: { $0 == UInt8(ascii: "G") }) == attempt })
                server.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + body)
                server.hangUp()
                // Whether the head and the end come together decides which of the two it is.
                let reply = await client.readAll()
                let isCut = reply.hasPrefix("HTTP/1.1 200") && reply.hasSuffix("\r\n\r\n" + body)
                #expect(isCut || (reply.hasPrefix("HTTP/1.1 502") && reply.contains("upstream_cut")), "\(reply)")
                client.close()
            }
        }
    }

    @Test func `interim responses are swallowed, and other headers than those of the hop are kept`() async throws {
        let server = try RawServer()
        defer { server.stop() }
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(server.port)"]) { gateway in
            let task = Task { try await gateway.request("GET", "/api/version") }
            #expect(await server.waitUntil { !$0.received.isEmpty })
            server.send("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
            server.send(
                "HTTP/1.1 200 Fine\r\nX-One: 1\r\nX-One: 2\r\nConnection: keep-alive, X-Hop\r\nX-Hop: h\r\n"
                    + "Set-Cookie: selene=slw_other\r\nContent-Type: text/html\r\nKeep-Alive: 9\r\nContent-Length: 2\r\n\r\n{}"
            )
            let reply = try await task.value
            #expect(reply.text == "{}")
            let names = reply.head.headers.map { $0.name }
            let added = [
                "Server-Timing", "X-Content-Type-Options", "Cross-Origin-Resource-Policy", "Referrer-Policy",
                "Content-Security-Policy",
            ]
            #expect(names == ["X-One", "X-One", "Content-Type", "Content-Length"] + added)
            // An upstream's page is none of the gateway's: it sets no cookie and runs nothing.
            #expect(reply.head["Content-Security-Policy"]?.contains("sandbox") == true)
        }
    }

    @Test(.slow) func `shutdown lets a stream end, and the deadline cuts a long one`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 50
        try await LiveGateway.with(options) { gateway in
            let task = Task { try await gateway.post("/api/generate", body) }
            #expect(await gateway.fake.waitUntil { $0.bytesWritten > 0 })
            await gateway.shutDown()
            let whole = try await task.value.text
            #expect(whole.contains("\"done\":true"))
        }
        try await LiveGateway.with(options, settings: ["drain_timeout": "0.3"]) { gateway in
            let long = #"{"model":"llama3.2","prompt":"x","options":{"num_predict":100000}}"#
            let task = Task { try await gateway.post("/api/generate", long) }
            #expect(await gateway.fake.waitUntil { $0.bytesWritten > 0 })
            await gateway.shutDown()
            #expect(await gateway.fake.waitUntil { $0.inFlight == 0 })
            _ = await task.result
        }
    }
}
