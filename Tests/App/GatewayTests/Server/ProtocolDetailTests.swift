import FakeOllama
import Foundation
import GatewayTestSupport
import TestSupport
import Testing
import Transport

@testable import LLM

/// What clients and proxies send besides plain requests.
@Suite(.serialized) struct ProtocolDetails {
    @Test(
        .slow,
        arguments: [
            ("/api/notes", #"{"title":"t","content":"c"}"#),
            ("/api/notes/retrieve", #"{"query":"x","mode":"keyword"}"#),
            ("/api/llm/generate", #"{"prompt":"x"}"#), ("/api/books", "plain text"), ("/ntfy/topic", "hello"),
            ("/mcp", #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
            ("/api/chat", #"{"model":"llama3.2","messages":[]}"#),
            ("/api/sessions/a/messages", #"{"role":"user","content":"c"}"#),
        ])
    func `a client that waits for 100 Continue gets it before it sends the body`(_ path: String, _ body: String)
        async throws
    {
        try await LiveGateway.with { gateway in
            let client = try RawClient(port: gateway.port)
            try client.send(
                "POST \(path) HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nConnection: close\r\n"
                    + "Content-Type: \(path == "/api/books" ? "text/plain" : "application/json")\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n")
            let interim = await client.readThrough("\r\n\r\n")
            #expect(interim == "HTTP/1.1 100 Continue\r\n\r\n", "\(interim)")
            try client.send(body)
            let reply = await client.readAll()
            #expect(reply.hasPrefix("HTTP/1.1 ") && !reply.contains(" 100 Continue"), "\(reply.prefix(200))")
            client.close()
        }
    }

    @Test(.slow) func `a refusal comes instead of 100 Continue, and the connection ends`() async throws {
        try await LiveGateway.with(settings: ["api_token": "secret-token-of-the-test-0123456789"]) { gateway in
            for path in ["/api/notes", "/api/none", "/api/llm/generate"] {
                let client = try RawClient(port: gateway.port)
                try client.send(
                    "POST \(path) HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 900\r\n\r\n")
                let reply = await client.readAll()
                #expect(reply.hasPrefix("HTTP/1.1 401 ") || reply.hasPrefix("HTTP/1.1 404 "), "\(reply)")
                #expect(reply.lowercased().contains("connection: close"), "\(reply)")
                client.close()
            }
        }
    }

    @Test func `HTTP 1.0 has no interim response`() async throws {
        try await LiveGateway.with { gateway in
            for path in ["/api/notes", "/api/chat"] {
                let body = #"{"title":"t","content":"c","model":"llama3.2"}"#
                let client = try RawClient(port: gateway.port)
                try client.send(
                    "POST \(path) HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                )
                let reply = await client.readAll()
                #expect(reply.hasPrefix("HTTP/1.0 ") && !reply.contains("100 Continue"), "\(reply.prefix(200))")
                client.close()
            }
        }
    }

    @Test(.slow, arguments: ["gzip", "zstd", "br", "deflate", "identity, gzip"])
    func `a compressed body is refused by the name of its encoding`(_ coding: String) async throws {
        try await LiveGateway.with { gateway in
            for path in ["/api/notes", "/api/llm/generate", "/api/notes/retrieve", "/mcp", "/api/books", "/ntfy/t"] {
                let reply = try await gateway.request("POST", path, "\u{1F}x", headers: [("Content-Encoding", coding)])
                #expect(reply.status == 415 && reply.code == "unsupported_media_type", "\(path): \(reply.text)")
                let name = coding.split(separator: " ").last.map(String.init) ?? ""
                #expect(reply.error.contains(name) && reply.error.contains("without compression"), "\(reply.text)")
            }
            let plain = try await gateway.request(
                "POST", "/api/notes", #"{"title":"t","content":"c"}"#, headers: [("Content-Encoding", "identity")])
            #expect(plain.status == 201)
        }
    }

    @Test func `doubled slashes and one at the end are the same path`() async throws {
        try await LiveGateway.with { gateway in
            let chat = #"{"model":"llama3.2","messages":[{"role":"user","content":"x"}],"stream":false}"#
            for path in [
                "//api/chat", "/api/chat/", "/api//chat", "/v1/chat/completions/", "//v1//chat/completions",
                "/v1/chat/completions//",
            ] {
                let reply = try await gateway.post(path, chat)
                #expect(reply.status == 200, "\(path)")
            }
            for path in [
                "//api/tags", "/api/tags/", "//api/notes", "/api/notes/", "/health/", "//health", "/v1/models/",
            ] {
                let reply = try await gateway.request("GET", path)
                #expect(reply.status == 200, "\(path)")
            }
        }
    }

    @Test(
        .slow,
        arguments: ["/api/tags", "/api/ps", "/api/version", "/v1/models", "/v1/models/llama3.2", "/", "/api/notes"])
    func `HEAD answers as GET does, without a body`(_ path: String) async throws {
        try await LiveGateway.with { gateway in
            let head = try await RawClient.ask(port: gateway.port, "HEAD", path).text
            let get = try await RawClient.ask(port: gateway.port, "GET", path).text
            #expect(head.hasPrefix("HTTP/1.1 200 ") && get.hasPrefix("HTTP/1.1 200 "), "\(head)")
            #expect(head.hasSuffix("\r\n\r\n") && head.components(separatedBy: "\r\n\r\n").count == 2, "\(head)")
        }
    }

    @Test func `a schema goes on with its properties in the client's order`() async throws {
        let server = try RawServer()
        defer { server.stop() }
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(server.port)"]) { gateway in
            let schema =
                #"{"type":"object","properties":{"zeta":{"type":"string"},"alpha":{"type":"number"}},"required":["zeta"]}"#
            let task = Task {
                try await gateway.post("/api/llm/generate", #"{"prompt":"x","format": \#(schema) }"#)
            }
            #expect(await server.waitUntil { String(decoding: $0.received, as: UTF8.self).contains("zeta") })
            let sent = String(decoding: server.received, as: UTF8.self)
            #expect(sent.contains(#""format":\#(schema)"#), "\(sent)")
            let body = #"{"model":"m","response":"{}","done":true}"#
            server.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            let reply = try await task.value
            #expect(reply.status == 200)
        }
    }

    @Test func `an upstream's answer brings no orders to browsers, and runs nothing there`() async throws {
        let server = try RawServer()
        defer { server.stop() }
        try await LiveGateway.with(settings: ["ollama_host": "127.0.0.1:\(server.port)"]) { gateway in
            let task = Task { try await gateway.request("GET", "/api/version") }
            #expect(await server.waitUntil { String(decoding: $0.received, as: UTF8.self).contains("GET /") })
            let orders = ProxyHeaders.ofOrigin.sorted().map { "\($0): x\r\n" }.joined()
            server.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Own: kept\r\n\(orders)"
                    + "Access-Control-Allow-Origin: *\r\nContent-Length: 2\r\n\r\nok")
            let reply = try await task.value
            #expect(reply.status == 200 && reply.head["X-Own"] == "kept")
            #expect(reply.head["Content-Security-Policy"] == "sandbox; default-src 'none'")
            #expect(reply.head["X-Content-Type-Options"] == "nosniff")
            #expect(reply.head["Access-Control-Allow-Origin"] == nil)
            // The gateway writes these itself.
            let own: Set<String> = ["content-security-policy", "cross-origin-resource-policy", "referrer-policy"]
            for name in ProxyHeaders.ofOrigin.subtracting(own) { #expect(reply.head[name] == nil, "\(name)") }
            #expect(reply.head["Cross-Origin-Resource-Policy"] == "same-origin")
        }
    }

    @Test func `every response but the pages of the site runs nothing in a browser`() async throws {
        try await LiveGateway.with { gateway in
            for path in ["/health", "/api/notes", "/api/none", "/openapi.yaml", "/api/tags", "/v1/models", "/metrics"] {
                let policy = try await gateway.request("GET", path).head["Content-Security-Policy"]
                #expect(policy == "sandbox; default-src 'none'", "\(path): \(policy ?? "none")")
            }
        }
    }
}
