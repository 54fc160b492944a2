import Foundation
import GatewayTestSupport
import Inference
import TestSupport
import Testing
import Transport

/// Status lines, headers and bodies that no server should send: each is a 502, and none of them the gateway's end.
@Suite(.serialized) struct UpstreamHeads {
    private static let bad: [(name: String, bytes: String)] = [
        ("a status above 599", "HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n"),
        ("a status of 999", "HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok"),
        ("a status below 100", "HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\nok"),
        ("four digits", "HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok"),
        ("a negative status", "HTTP/1.1 -20 OK\r\nContent-Length: 2\r\n\r\nok"),
        ("no status", "HTTP/1.1\r\n\r\n"),
        ("letters", "HTTP/1.1 abc OK\r\n\r\n"),
        ("a switch of protocols", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
        ("no HTTP", "SSH-2.0-OpenSSH_9.0\r\n\r\n"),
        ("binary", "\u{0}\u{1}\u{2}\r\n\r\n"),
        ("a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nok"),
        ("a length that no number holds", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nok"),
        ("lengths that differ", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokk"),
        ("a length that is none", "HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok"),
        ("a NUL in a header", "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 2\r\n\r\nok"),
        (
            "headers without end",
            "HTTP/1.1 200 OK\r\n"
                + String(repeating: "X-Long: " + String(repeating: "y", count: 8000) + "\r\n", count: 60) + "\r\n"
        ),
    ]

    /// Answers one request with bytes and then hangs up.
    private func reply(_ path: String, _ bytes: String) async throws -> LiveGateway.Reply {
        let server = try RawServer()
        defer { server.stop() }
        var reply: LiveGateway.Reply?
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(server.port)"]) { gateway in
            let task = Task { try await gateway.post(path, #"{"model":"llama3.2","prompt":"x","stream":false}"#) }
            #expect(await server.waitUntil { String(decoding: $0.received, as: UTF8.self).contains("POST /") })
            server.send(bytes)
            server.hangUp()
            reply = try await task.value
            #expect(try await gateway.request("GET", "/health").status == 200)
        }
        return try #require(reply)
    }

    @Test(.slow) func `what is no response is a 502`() async throws {
        for (name, bytes) in Self.bad {
            for path in ["/api/generate", "/api/llm/generate"] {
                // Our own routes read a body by its end, whatever its length was said to be.
                if path == "/api/llm/generate", name.contains("length") { continue }
                let reply = try await reply(path, bytes)
                #expect(reply.status == 502, "\(name) \(path): \(reply.status) \(reply.text.prefix(200))")
                #expect(reply.code.hasPrefix("upstream_"), "\(name) \(path): \(reply.text.prefix(200))")
            }
        }
    }

    @Test func `a status line with two spaces is what libcurl makes of it`() async throws {
        let reply = try await reply("/api/generate", "HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\nok")
        #expect(reply.status == 200 || reply.status == 502)
        if reply.status == 200 { #expect(reply.text == "ok") }
    }

    @Test func `odd headers are left out, and a body is framed once`() async throws {
        let reply = try await reply(
            "/api/generate",
            "HTTP/1.1 200 OK\r\n: empty\r\nBad Name: x\r\nX-Fine: yes\r\nX-Ümlaut: y\r\nContent-Length: 2\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n")
        #expect(reply.status == 200 && reply.text == "whole")
        #expect(reply.head["x-fine"] == "yes" && reply.head["bad name"] == nil)
        #expect(reply.head["content-length"] == nil)
    }

    @Test func `counts that no number holds are charged as what can be`() async throws {
        let body =
            #"{"model":"llama3.2","response":"x","done":true,"prompt_eval_count":9223372036854775807,"#
            + #""eval_count":9223372036854775807,"load_duration":1e300,"total_duration":1e300}"#
        let reply = try await reply(
            "/api/llm/generate", "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(reply.status == 200 || reply.status == 502, "\(reply.text)")
    }
}
