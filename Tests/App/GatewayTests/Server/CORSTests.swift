import FakeOllama
import Foundation
import GatewayTestSupport
import Inference
import Testing

@testable import Access
@testable import Gateway
@testable import LLM
@testable import Search
@testable import Server
@testable import Transport

/// Pages in browsers: which may ask, what they may read.
@Suite(.serialized) struct PagesInBrowsers {
    private static let page = "https://ui.example.org"
    /// Of each kind: ours, Ollama's, OpenAI's, one that is open and one that does not exist.
    private static let paths = [
        "/api/notes/retrieve", "/api/notes/1", "/api/chat", "/v1/chat/completions", "/health", "/nowhere",
    ]

    private func preflight(
        _ gateway: LiveGateway, _ path: String, from origin: String, _ more: [(name: String, value: String)] = []
    ) async throws -> LiveGateway.Reply {
        try await gateway.request(
            "OPTIONS", path,
            headers: [
                ("Origin", origin), ("Access-Control-Request-Method", "POST"),
                ("Access-Control-Request-Headers", "authorization,content-type,x-stainless-os"),
            ] + more)
    }

    @Test(arguments: [
        ("https://ui.example.org", true), ("https://UI.example.org", true), ("https://ui.example.org:444", false),
        ("http://ui.example.org", false), ("https://ui.example.org.evil.net", false), ("https://a.b.test:8443", true),
        ("https://b.test:8443", false), ("http://localhost:3000", true), ("https://127.0.0.1", true),
        ("http://[::1]:8080", true), ("http://127.0.0.1.evil.net", false), ("app://obsidian.md", true),
        ("tauri://localhost", true), ("capacitor://localhost", true), ("ionic://localhost", true), ("null", false),
        ("", false), ("https://", false), ("evil://localhost", false), ("http://0.0.0.0:3000", true),
        ("http://0.0.0.0.evil.net", false), ("chrome-extension://abcdefghijklmnop", false),
    ])
    func `origins are allowed as listed, this machine's and applications' always`(origin: String, isAllowed: Bool) {
        let rules = OriginRules("https://ui.example.org , https://*.b.test:8443")
        #expect(rules?.allows(origin, needsKeys: true) == isAllowed)
        // Without keys the list does not count.
        #expect(rules?.allows(origin, needsKeys: false) == OriginRules.isLocal(origin))
        // What is no origin at all is nobody's.
        #expect(OriginRules("*")?.allows(origin, needsKeys: true) == !origin.isEmpty)
        #expect(OriginRules("null")?.allows("null", needsKeys: true) == true)
    }

    @Test(arguments: [
        "ui.example.org", "https://", "https://ui.example.org/", "https://x/path", "https://a b", "*://x",
        "https://ü.x",
        "https://me@x", (0...100).map { "https://h\($0).x" }.joined(separator: ","),
    ])
    func `a list that cannot be meant is refused with an example`(list: String) {
        do {
            _ = try GatewayConfiguration.load(flags: ["origins": list], environment: [:])
            Issue.record("it was taken")
        } catch let error as ConfigurationError {
            #expect(error.message.contains("--origins") && error.message.contains("https://ui.example.org"))
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func `a listed page may ask for every route before it has sent a key`() async throws {
        try await LiveGateway.with(settings: ["api_token": "a-token-of-some-length", "origins": Self.page]) { gateway in
            for path in Self.paths {
                let reply = try await preflight(
                    gateway, path, from: Self.page, [("Access-Control-Request-Private-Network", "true")])
                #expect(reply.status == 204 && reply.data.isEmpty, "\(path): \(reply.text)")
                #expect(reply.head["access-control-allow-origin"] == Self.page)
                #expect(reply.head["access-control-allow-methods"]?.contains("PATCH") == true)
                #expect(reply.head["access-control-allow-headers"] == "authorization,content-type,x-stainless-os")
                #expect(reply.head["access-control-allow-private-network"] == "true")
                #expect(reply.head["access-control-allow-credentials"] == nil)
                #expect(reply.head["vary"]?.contains("Origin") == true)
                let other = try await preflight(gateway, path, from: "https://evil.example")
                #expect(other.status == 403 && other.code == "origin_not_allowed", "\(path): \(other.text)")
                #expect(other.error.contains("SELENE_ORIGINS="), "\(path): \(other.text)")
                #expect(other.head["access-control-allow-origin"] == nil)
            }
            // Nothing of it reached Ollama.
            #expect(gateway.fake.statistics.requests.isEmpty)
        }
    }

    @Test func `a listed page may read answers, streams and errors, another may not`() async throws {
        let token = "a-token-of-some-length"
        try await LiveGateway.with(settings: ["api_token": token, "origins": Self.page]) { gateway in
            let requests = [
                ("/api/notes/retrieve", #"{"query":"x"}"#, 200), ("/api/notes/retrieve", "{", 400),
                ("/api/llm/generate", #"{"prompt":"x","stream":true}"#, 200), ("/nowhere/at/all", "{}", 404),
                ("/api/chat", #"{"model":"llama3.2","messages":[]}"#, 200),
                ("/v1/chat/completions", #"{"model":"none","messages":[]}"#, 400),
            ]
            for (path, body, status) in requests {
                // Clients of Ollama and OpenAI expect 401 for a wrong key.
                let wrong = path == "/api/chat" || path.hasPrefix("/v1/") ? 401 : 403
                for (key, expected) in [(token, status), ("wrong", wrong), (nil, 401)] {
                    for (origin, isAllowed) in [(Self.page, true), ("https://evil.example", false)] {
                        let reply = try await gateway.request(
                            "POST", path, body,
                            headers: [("Origin", origin)] + (key.map { [("Authorization", "Bearer \($0)")] } ?? []))
                        #expect(reply.status == expected, "\(path): \(reply.text)")
                        #expect(reply.head["access-control-allow-origin"] == (isAllowed ? origin : nil), "\(path)")
                        #expect(reply.head["vary"] == "Origin", "\(path)")
                        let exposed = reply.head["access-control-expose-headers"]
                        #expect(exposed?.contains("Retry-After") == (isAllowed ? true : nil))
                    }
                }
            }
            let plain = try await gateway.post("/api/notes/retrieve", #"{"query":"x"}"#, token: token)
            #expect(plain.head["vary"] == nil && plain.head["access-control-allow-origin"] == nil)
        }
    }

    @Test func `without keys only this machine's pages may come, whatever is listed`() async throws {
        try await LiveGateway.with(settings: ["origins": "\(Self.page), *"]) { gateway in
            for path in Self.paths {
                let foreign = try await preflight(gateway, path, from: Self.page)
                #expect(foreign.status == 403 && foreign.error.contains("make a key"), "\(path): \(foreign.text)")
                let local = try await preflight(gateway, path, from: "http://localhost:3000")
                #expect(local.status == 204, "\(path)")
                // A name that was pointed here.
                let rebound = try await preflight(
                    gateway, path, from: "http://localhost:3000", [("Host", "evil.example:5678")])
                #expect(rebound.status == 403, "\(path)")
            }
            for path in ["/api/tags", "/api/notes"] {
                #expect(try await gateway.request("GET", path, headers: [("Origin", Self.page)]).status == 403)
                let local = try await gateway.request("GET", path, headers: [("Origin", "http://localhost:3000")])
                #expect(local.status == 200)
                #expect(local.head["access-control-allow-origin"] == "http://localhost:3000")
            }
        }
    }

    @Test func `a list that changes holds at once`() async throws {
        let token = #""api_token":"a-token-of-some-length""#
        try await LiveGateway.with(files: ["config.json": "{\(token)}"]) { gateway in
            #expect(try await preflight(gateway, "/api/chat", from: Self.page).status == 403)
            try Data("{\(token),\"origins\":[\"\(Self.page)\"]}".utf8)
                .write(to: gateway.folder.appending(path: "config.json"))
            #expect(await gateway.application.reloadConfiguration())
            #expect(try await preflight(gateway, "/api/chat", from: Self.page).status == 204)
        }
    }

    @Test func `OPTIONS that is no preflight goes where it went before`() async throws {
        try await LiveGateway.with { gateway in
            let own = try await gateway.request("OPTIONS", "/api/notes")
            #expect(own.status == 405)
            let ollamas = try await gateway.request("OPTIONS", "/api/chat")
            #expect(ollamas.status == 204)
            #expect(gateway.fake.lastRequest?.method == "OPTIONS")
        }
    }
}
