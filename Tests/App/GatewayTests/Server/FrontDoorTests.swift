import Foundation
import GatewayTestSupport
import Inference
import KeyRoom
import Storage
import TestSupport
import Testing

@testable import Access
@testable import Gateway
@testable import LLM
@testable import Search
@testable import Server
@testable import Transport

/// What a gateway without keys answers, and what every response says to browsers.
@Suite(.serialized) struct FrontDoor {
    private static let routes = ["/api/notes", "/api/version", "/api/threads/search/x"]

    @Test(
        .slow,
        arguments: [
            ("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-Proto", "https"), ("x-forwarded-host", "x"),
            ("Forwarded", "for=203.0.113.9"), ("X-Real-IP", "203.0.113.9"), ("Via", "1.1 proxy"),
            ("CF-Connecting-IP", "203.0.113.9"), ("CF-Ray", "1"), ("True-Client-IP", "203.0.113.9"),
        ])
    func `requests that a proxy forwarded need a key`(name: String, value: String) async throws {
        try await LiveGateway.with { gateway in
            for path in Self.routes {
                let headers = [(name: "Host", value: "127.0.0.1:5678"), (name: name, value: value)]
                let reply = try await gateway.request("GET", path, headers: headers)
                #expect(reply.status == 403 && reply.code == "forwarded_request", "\(path)")
                #expect(reply.error.contains("selene keys create") && reply.error.contains(name))
            }
            #expect(try await gateway.request("GET", "/health", headers: [(name, value)]).status == 200)
            let key = try await gateway.store.keys.create(name: "a")
            let authorization = (name: "Authorization", value: "Bearer \(key.secret)")
            #expect(
                try await eventually {
                    try await gateway.request("GET", "/api/notes", headers: [(name, value), authorization]).status
                        == 200
                })
        }
    }

    @Test func `requests of pages of other sites need a key, those of programs and of local pages do not`() async throws
    {
        try await LiveGateway.with { gateway in
            _ = try await gateway.request("POST", "/api/notes", #"{"title":"a","content":"b","threads":["x"]}"#)
            for path in Self.routes {
                for (site, origin, status) in [
                    ("cross-site", nil, 403), ("same-site", nil, 403), ("Cross-Site", nil, 403), ("none", nil, 200),
                    ("same-origin", nil, 200), ("same-site", "http://localhost:3000", 200),
                    ("cross-site", "app://obsidian.md", 200), ("cross-site", "https://evil.example", 403),
                ] {
                    let reply = try await gateway.request(
                        "GET", path, headers: [("Sec-Fetch-Site", site)] + (origin.map { [("Origin", $0)] } ?? []))
                    #expect(reply.status == status, "\(path) \(site) \(origin ?? ""): \(reply.text)")
                }
                let plain = try await gateway.request("GET", path, headers: [("Sec-Fetch-Site", "cross-site")])
                #expect(plain.code == "cross_site_request")
            }
        }
    }

    @Test(
        .slow,
        arguments: [
            ("Origin", "http://localhost:80@evil"), ("Origin", "http://localhost@evil"),
            ("Origin", "http://localhost/evil"),
            ("Origin", "http://localhost:x"), ("Origin", "http://localhost:99999"), ("Origin", "http://[::1].evil"),
            ("Origin", "http://[::1"), ("Origin", "1http://localhost"),
            ("Origin", "http://localhost:3000, http://evil"),
            ("Host", "localhost:80@evil"), ("Host", "localhost:x"), ("Host", "[::1]evil"), ("Host", "localhost/x"),
        ])
    func `hosts and origins are read strictly`(name: String, value: String) async throws {
        try await LiveGateway.with { gateway in
            for path in Self.routes {
                let reply = try await gateway.request("GET", path, headers: [(name, value)])
                #expect([400, 403].contains(reply.status), "\(path): \(reply.text)")
            }
        }
    }

    @Test(arguments: [
        ("localhost", "localhost", true), ("LOCALHOST:5678", "localhost", true), ("127.3.2.1:1", "127.3.2.1", true),
        ("[::1]:80", "::1", true), ("a.localhost", "a.localhost", true), ("127.0.0.1.evil", "127.0.0.1.evil", false),
        ("256.0.0.1", "256.0.0.1", false), ("localhost.", "localhost.", false), ("", "", false),
    ])
    func `authorities are read as hosts with ports`(text: String, host: String, isLoopback: Bool) throws {
        let authority = try #require(Authority(text))
        #expect(authority.host == host && authority.isLoopback == isLoopback)
    }

    @Test(arguments: [
        "localhost:", ":80", "a@b", "a:1:2", "a b", "[1::2", "[]", "[::1]1", "a/b", "a:65536", "a:-1", "ä", "a:1a",
        "[g::]",
    ])
    func `what is no authority is none`(text: String) { #expect(Authority(text) == nil) }

    private static let expected = [
        "x-content-type-options": "nosniff", "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
    ]

    @Test func `every response forbids browsers to guess, to embed and to tell`() async throws {
        let token = "a-token-of-some-length"
        let settings = ["api_token": token, "header_timeout": "0.3", "origins": "https://a.example"]
        try await LiveGateway.with(settings: settings) { gateway in
            let key = (name: "Authorization", value: "Bearer \(token)")
            let chat = #"{"model":"llama3.2","messages":[{"role":"user","content":"x"}]}"#
            let requests: [(String, String, String?, Int)] = [
                ("GET", "/health", nil, 200), ("HEAD", "/health", nil, 200), ("GET", "/api/notes", nil, 200),
                ("GET", "/nowhere", nil, 404), ("PUT", "/api/notes", nil, 405), ("GET", "/api/version", nil, 200),
                ("POST", "/api/chat", chat, 200), ("POST", "/api/chat", "{", 400), ("GET", "/api/blobs", nil, 404),
                ("POST", "/v1/chat/completions", chat, 200), ("GET", "/metrics", nil, 200),
                ("POST", "/api/llm/generate", #"{"prompt":"x","stream":true}"#, 200),
            ]
            for (method, path, body, status) in requests {
                for headers in [[key], [key, ("Origin", "https://a.example")]] {
                    let reply = try await gateway.request(method, path, body, headers: headers)
                    #expect(reply.status == status, "\(path)")
                    for (name, value) in Self.expected {
                        let values = reply.head.headers.filter { $0.name.lowercased() == name }.map(\.value)
                        #expect(values == [value], "\(path)")
                    }
                }
                let refused = try await gateway.request(method, path, body)
                for (name, value) in Self.expected { #expect(refused.head[name] == value, "\(path)") }
            }
            let preflight = try await gateway.request(
                "OPTIONS", "/api/chat",
                headers: [("Origin", "https://a.example"), ("Access-Control-Request-Method", "POST")])
            #expect(preflight.status == 204)
            for (name, value) in Self.expected { #expect(preflight.head[name] == value) }

            for (bytes, status) in [("NO HTTP\r\n\r\n", 400), ("GET /slow HTTP/1.1\r\n", 408)] {
                let client = try RawClient(port: gateway.port)
                try client.send(bytes)
                check(await client.readAll(), status)
                client.close()
            }
        }
    }

    @Test func `the refusal of a connection says the same`() async throws {
        let token = "a-token-of-some-length"
        try await LiveGateway.with(settings: ["max_connections": "1", "api_token": token]) { gateway in
            let busy = try await gateway.holdConnection(token: token)
            let other = try RawClient(port: gateway.port)
            check(await other.readAll(), 503)
            other.close()
            busy.close()
        }
    }

    private func check(_ reply: String, _ status: Int) {
        #expect(reply.hasPrefix("HTTP/1.1 \(status) "), "\(reply)")
        for (name, value) in Self.expected {
            #expect(reply.lowercased().contains("\r\n\(name): \(value)\r\n"), "\(reply)")
        }
    }
}
