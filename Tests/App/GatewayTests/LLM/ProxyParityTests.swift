import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import Inference
import KeyRoom
import NIOCore
import TestSupport
import Testing
import Transport

/// What a client gets from the gateway at Ollama's own paths is what it gets from Ollama.
@Suite(.serialized) struct ProxyParity {
    static let requests: [(method: String, path: String, body: String?)] = [
        ("GET", "/", nil), ("HEAD", "/", nil), ("GET", "/api/version", nil), ("HEAD", "/api/version", nil),
        ("GET", "/api/tags", nil), ("HEAD", "/api/tags", nil), ("GET", "/api/ps", nil),
        ("GET", "/api/tags?x=1&y=%20", nil),
        ("POST", "/api/show", #"{"model":"llama3.2"}"#), ("POST", "/api/show", #"{"name":"nomic-embed-text"}"#),
        ("POST", "/api/show", #"{"model":"none"}"#), ("POST", "/api/show", ""), ("POST", "/api/show", nil),
        ("POST", "/api/generate", #"{"model":"llama3.2","prompt":"x"}"#),
        ("POST", "/api/generate", #"{"model":"llama3.2","prompt":"x","stream":false}"#),
        ("POST", "/api/generate", #"{"model":"llama3.2","prompt":"日本語 \u2028 🎻"}"#),
        ("POST", "/api/generate", #"{"model":"llama3.2","prompt":"","keep_alive":0}"#),
        ("POST", "/api/generate", #"{"model":"none","prompt":"x"}"#), ("POST", "/api/generate", "{"),
        ("POST", "/api/chat", #"{"model":"llama3.2","messages":[{"role":"user","content":"x"}]}"#),
        ("POST", "/api/chat", #"{"model":"llama3.2","messages":[{"role":"user","content":"x"}],"stream":false}"#),
        ("POST", "/api/embed", #"{"model":"nomic-embed-text","input":["tide","sea"]}"#),
        ("POST", "/api/embed", #"{"model":"nomic-embed-text","input":"UNEMBEDDABLE"}"#),
        ("POST", "/api/embeddings", #"{"model":"nomic-embed-text","prompt":"tide"}"#),
        ("POST", "/api/pull", #"{"model":"llama3.2"}"#), ("POST", "/api/push", #"{"model":"me/llama3.2"}"#),
        ("POST", "/api/create", #"{"model":"mine","from":"llama3.2"}"#),
        ("POST", "/api/copy", #"{"source":"llama3.2","destination":"copy"}"#),
        ("DELETE", "/api/delete", #"{"model":"none"}"#),
        ("HEAD", "/api/blobs/sha256:00", nil), ("POST", "/api/blobs/sha256:00", "x"),
        ("GET", "/v1/models", nil), ("GET", "/v1/models/llama3.2", nil),
        ("POST", "/v1/chat/completions", #"{"model":"llama3.2","messages":[{"role":"user","content":"x"}]}"#),
        (
            "POST", "/v1/chat/completions",
            #"{"model":"llama3.2","messages":[{"role":"user","content":"x"}],"stream":true}"#
        ),
        ("POST", "/v1/completions", #"{"model":"llama3.2","prompt":"x"}"#),
        ("POST", "/v1/embeddings", #"{"model":"nomic-embed-text","input":"tide"}"#),
        ("POST", "/v1/chat/completions", #"{"model":"none","messages":[]}"#),
    ]

    /// The head as lines without headers of one hop, and those that the gateway adds; and the body. HTTP/2 knows no
    /// capitals in names.
    static func seen(
        _ response: UpstreamResponse, inLowercase: Bool
    ) async throws -> (head: [String], body: Data) {
        let hop: Set = [
            "connection", "keep-alive", "transfer-encoding", "server-timing", "x-queue-position", "x-queue-wait-ms",
            "x-content-type-options", "cross-origin-resource-policy", "referrer-policy", "content-security-policy",
        ]
        let lines = response.head.headers.filter { !hop.contains($0.name.lowercased()) }
            .map { "\(inLowercase ? $0.name.lowercased() : $0.name): \($0.value)" }
        let body = try await response.body.collect(upTo: 64 << 20)
        return (["\(response.status)"] + lines, Data(body.readableBytesView))
    }

    @Test(.slow, arguments: [LiveGateway.Encryption.usual, .http2])
    func `every route gives the status, the headers and the bytes that it gives directly`(
        encryption: LiveGateway.Encryption
    ) async throws {
        try await LiveGateway.with(encryption: encryption) { gateway in
            let isHTTP2 = gateway.authority != nil
            // Lists for those who may read notes have more models.
            let key = try await gateway.store.keys.create(name: "k", grant: KeyGrant(scopes: [.llm, .admin]))
            try await gateway.waitForKeys()
            let direct = try UpstreamTransport(configuration: UpstreamConfiguration(host: gateway.fake.baseURL))
            for (method, path, body) in Self.requests {
                var request = UpstreamRequest(
                    method: method, path: path, headers: [("Content-Type", "application/json")],
                    body: body.map { ByteBuffer(string: $0) })
                request.isForwarded = true
                gateway.fake.reset()
                let expected = try await Self.seen(direct.send(request), inLowercase: isHTTP2)
                let told = gateway.fake.statistics
                gateway.fake.reset()
                request.headers.append(("Authorization", "Bearer \(key.secret)"))
                let actual = try await Self.seen(gateway.client.send(request), inLowercase: isHTTP2)
                #expect(actual.head == expected.head, "\(method) \(path) \(body ?? "")")
                #expect(actual.body == expected.body, "\(method) \(path) \(body ?? "")")
                #expect(gateway.fake.statistics.lastBody == told.lastBody, "\(method) \(path)")
                #expect(gateway.fake.statistics.lastHeaders == told.lastHeaders, "\(method) \(path)")
            }
            await direct.shutdown(within: .seconds(1))
        }
    }

    @Test(.slow, arguments: ["status=500", "status=503", "error-line=2", "bad-json=2", "status=429"])
    func `Ollama's own errors pass untouched`(fault: String) async throws {
        try await LiveGateway.with { gateway in
            gateway.fake.setFaults([fault])
            let isHTTP2 = gateway.authority != nil
            let direct = try UpstreamTransport(configuration: UpstreamConfiguration(host: gateway.fake.baseURL))
            let chat = #"{"model":"llama3.2","messages":[{"role":"user","content":"x"}]}"#
            for (path, body) in [("/api/generate", #"{"model":"llama3.2","prompt":"x"}"#), ("/api/chat", chat)] {
                let request = UpstreamRequest(method: "POST", path: path, body: ByteBuffer(string: body))
                let expected = try await Self.seen(direct.send(request), inLowercase: isHTTP2)
                let actual = try await Self.seen(gateway.client.send(request), inLowercase: isHTTP2)
                #expect(actual.head == expected.head)
                #expect(actual.body == expected.body)
            }
            await direct.shutdown(within: .seconds(1))
        }
    }

    @Test func `one connection carries requests of every kind, one after another and pipelined`() async throws {
        try await LiveGateway.with { gateway in
            // These bytes are HTTP/1.1.
            guard gateway.authority == nil else { return }
            let small = #"{"model":"llama3.2","prompt":"x","stream":false}"#
            let proxied =
                "POST /api/generate HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(small.utf8.count)\r\n\r\n" + small
            let own = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let head = "HEAD /api/tags HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let missing = "GET /debug/pprof/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let last = "GET /api/version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            let client = try RawClient(port: gateway.port)
            try client.send(proxied + own + head + proxied + missing + own + proxied + last)
            let reply = await client.readAll()
            client.close()
            let statuses = reply.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
            #expect(statuses == ["200", "200", "200", "200", "404", "200", "200", "200"])
            #expect(reply.contains("0.33.0"))
            // No response here is chunked; a response to HEAD that ended a body would show here.
            #expect(!reply.contains("\r\n0\r\n\r\n"))
            #expect(reply.lowercased().contains("connection: close"))
        }
    }

    @Test func `chunked requests and those that ask to continue are taken`() async throws {
        try await LiveGateway.with { gateway in
            // These bytes are HTTP/1.1.
            guard gateway.authority == nil else { return }
            let body = #"{"model":"llama3.2","prompt":"x","stream":false}"#
            let size = String(body.utf8.count, radix: 16)
            let chunked = try RawClient(port: gateway.port)
            try chunked.send(
                "POST /api/generate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
                    + "Connection: close\r\n\r\n\(size)\r\n\(body)\r\n0\r\n\r\n")
            #expect(await chunked.readAll().contains(#""done":true"#))
            chunked.close()
            #expect(gateway.fake.statistics.lastBody == body)

            let waiting = try RawClient(port: gateway.port)
            try waiting.send(
                "POST /api/generate HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "Expect: 100-continue\r\nConnection: close\r\n\r\n")
            #expect(await waiting.readThrough("\r\n\r\n").hasPrefix("HTTP/1.1 100"))
            try waiting.send(body)
            let answer = await waiting.readAll()
            #expect(answer.hasPrefix("HTTP/1.1 200"))
            #expect(answer.contains(#""done":true"#))
            #expect(gateway.fake.statistics.lastHeaders["expect"] == nil)
            waiting.close()
        }
    }
}
