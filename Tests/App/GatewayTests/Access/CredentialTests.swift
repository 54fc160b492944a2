import Foundation
import Gateway
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

@testable import Transport

/// The places where a client can put a key.
@Suite struct Credentials {
    private static let everything: [(method: String, path: String, body: String?)] = [
        ("GET", "/", nil), ("HEAD", "/", nil), ("GET", "/api/version", nil), ("GET", "/api/tags", nil),
        ("GET", "/v1/models", nil), ("POST", "/api/show", #"{"model":"llama3.2"}"#),
        ("POST", "/api/chat", #"{"model":"llama3.2","messages":[{"role":"user","content":"Hi"}]}"#),
        ("POST", "/v1/chat/completions", #"{"model":"llama3.2","messages":[{"role":"user","content":"Hi"}]}"#),
        ("POST", "/api/llm/generate", #"{"prompt":"Hi"}"#), ("GET", "/api/notes/recent", nil),
        ("POST", "/api/notes/retrieve", #"{"query":"x"}"#),
    ]

    private func basic(_ password: String) -> (name: String, value: String) {
        ("Authorization", "Basic \(Data("anyone:\(password)".utf8).base64EncodedString())")
    }

    @Test func `a key that was made for it may stand in front of any path, and is seen nowhere`() async throws {
        try await LiveGateway.with { gateway in
            let admin = try await gateway.store.keys.create(name: "admin", grant: .everything)
            let key = try await gateway.store.keys.create(name: "tablet", isForPaths: true)
            try await gateway.waitForKeys()
            #expect(key.secret.hasPrefix("slp_"))
            for (method, path, body) in Self.everything {
                let reply = try await gateway.request(method, "/k/\(key.secret)\(path)", body)
                #expect(reply.status == 200, "\(method) \(path): \(reply.text)")
                // Apps without a field for a key send an invented one.
                let invented = [("Authorization", "Bearer ollama"), ("X-Api-Key", "none"), ("Cookie", "selene=slw_x")]
                let second = try await gateway.request(method, "//k/\(key.secret)/\(path)", body, headers: invented)
                #expect(second.status == 200, "\(method) \(path): \(second.text)")
            }
            for path in ["", "/", "?x=1", "//"] {
                let reply = try await gateway.request("GET", "/k/\(key.secret)\(path)")
                #expect(reply.status == 200 && reply.text == "Ollama is running", "\(path): \(reply.text)")
            }
            // It has the rights of its key, and a refusal names the path without it.
            let missing = try await gateway.request("GET", "/k/\(key.secret)/metrics")
            #expect(missing.status == 403 && missing.code == "missing_scope")
            let nowhere = try await gateway.request("GET", "/k/\(key.secret)/api/nowhere")
            #expect(nowhere.status == 404 && !nowhere.text.contains(key.secret), "\(nowhere.text)")
            let misplaced = try await gateway.request(
                "GET", "/ollama/k/\(key.secret)/api/tags?x=1", headers: [("Authorization", "Bearer \(admin.secret)")])
            #expect(misplaced.status == 404 && !misplaced.text.contains(key.secret), "\(misplaced.text)")
            #expect(misplaced.text.contains("/ollama/k/slp_hidden/api/tags"), "\(misplaced.text)")
            let asAdmin = [("Authorization", "Bearer \(admin.secret)")]
            for path in ["/metrics", "/api/requests?limit=500", "/api/admin/stats", "/api/admin/keys"] {
                let seen = try await gateway.request("GET", path, headers: asAdmin)
                #expect(seen.status == 200 && !seen.text.contains(key.secret), "\(path)")
            }
            let listed = try await gateway.request("GET", "/api/admin/keys", headers: asAdmin)
            let kinds = (listed.object["keys"] as? [[String: Any]])?.compactMap { $0["kind"] as? String }
            #expect(kinds == ["header", "path"])
        }
    }

    @Test func `another key in front of a path is refused with the remedy`() async throws {
        try await LiveGateway.with(settings: ["api_token": "a-token-of-some-length"]) {
            (gateway: LiveGateway) async throws in
            let plain = try await gateway.store.keys.create(name: "plain")
            try await gateway.waitForKeys()
            for key in [plain.secret, "a-token-of-some-length", "x", "%20", ""] {
                let reply = try await gateway.request("GET", "/k/\(key)/api/tags")
                if key.isEmpty {
                    // Two slashes are one, so this is the key "api".
                    #expect(reply.status == 403)
                } else {
                    #expect(reply.status == 403 && reply.code == "key_not_for_paths", "\(key): \(reply.text)")
                    #expect(reply.text.contains("selene keys create NAME --in-path"))
                }
            }
            // A header besides does not help.
            let both = try await gateway.request(
                "GET", "/k/\(plain.secret)/api/tags", headers: [("Authorization", "Bearer \(plain.secret)")])
            #expect(both.code == "key_not_for_paths")
            let unknown = "slp_" + String(repeating: "x", count: 43)
            #expect(try await gateway.request("GET", "/k/\(unknown)/api/tags").status == 401)
            #expect(try await gateway.request("GET", "/k/\(unknown)/api/notes/recent").status == 403)
        }
    }

    @Test func `a socket takes a key in front of its path`() async throws {
        try await LiveGateway.with { gateway in
            let grant = KeyGrant(scopes: [.pushSend, .pushReceive])
            let key = try await gateway.store.keys.create(name: "reader", grant: grant, isForPaths: true)
            try await gateway.waitForKeys()
            let socket = try await RawWebSocket(port: gateway.port, path: "/k/\(key.secret)/ntfy/sea/ws")
            #expect(socket.head.hasPrefix("HTTP/1.1 101 "), "\(socket.head)")
            #expect(try await socket.json()["event"] as? String == "open")
            socket.close()
        }
    }

    @Test func `the key may be a password on every route`() async throws {
        try await LiveGateway.with(settings: ["api_token": "a-token-of-some-length"]) {
            (gateway: LiveGateway) async throws in
            let key = try await gateway.store.keys.create(name: "thermostat")
            try await gateway.waitForKeys()
            for (method, path, body) in Self.everything {
                for secret in [key.secret, "a-token-of-some-length"] {
                    let reply = try await gateway.request(method, path, body, headers: [basic(secret)])
                    #expect(reply.status == 200, "\(method) \(path): \(reply.text)")
                }
                let wrong = try await gateway.request(method, path, body, headers: [basic("slk_wrong")])
                #expect([401, 429].contains(wrong.status), "\(method) \(path): \(wrong.status)")
            }
        }
    }

    @Test func `a person is asked for a password only for what a person opens`() async throws {
        try await LiveGateway.with(settings: ["api_token": "a-token-of-some-length"]) {
            (gateway: LiveGateway) async throws in
            func challenges(_ headers: [(name: String, value: String)]) async throws -> [String] {
                // A route of the gateway's own, and one that is passed on.
                var found: [[String]] = []
                for path in ["/api/notes/recent", "/api/tags"] {
                    let reply = try await gateway.request("GET", path, headers: headers)
                    #expect(reply.status == 401)
                    found.append(
                        reply.head.headers.filter { $0.name.lowercased() == "www-authenticate" }
                            .map { String($0.value.prefix { $0 != " " }) })
                }
                #expect(found[0] == found[1], "\(headers)")
                return found[0]
            }
            let firefox = ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
            let page = ("Accept", "text/html,application/xhtml+xml")
            #expect(try await challenges([firefox, page]) == ["Bearer", "Basic"])
            #expect(try await challenges([("User-Agent", "w3m/0.5"), page]) == ["Bearer", "Basic"])
            #expect(try await challenges([firefox, page, ("Sec-Fetch-Mode", "navigate")]) == ["Bearer", "Basic"])
            #expect(try await challenges([basic("wrong-password")]) == ["Bearer", "Basic"])
            for headers in [
                [], [("User-Agent", "curl/8.14")], [firefox, ("Accept", "*/*")], [firefox, page, ("X-Selene", "1")],
                [page, ("Sec-Fetch-Mode", "cors")], [basic("wrong-password"), ("X-Selene", "1")],
                [firefox, ("Accept", "image/avif")], [page, ("Origin", "https://other.example")],
                [firefox, ("Accept", "text/event-stream")],
            ] {
                #expect(try await challenges(headers) == ["Bearer"], "\(headers)")
            }
        }
    }

    @Test func `pages of other sites cannot use the password that a browser remembers`() async throws {
        let settings = ["api_token": "a-token-of-some-length", "origins": "https://ui.example"]
        try await LiveGateway.with(settings: settings) { (gateway: LiveGateway) async throws in
            func status(_ method: String, _ headers: [(name: String, value: String)]) async throws -> Int {
                let reply = try await gateway.request(
                    method, method == "GET" ? "/api/notes/recent" : "/api/notes/retrieve",
                    method == "GET" ? nil : #"{"query":"x"}"#, headers: [basic("a-token-of-some-length")] + headers)
                if reply.status == 403 { #expect(reply.code == "cross_site_request", "\(reply.text)") }
                return Int(reply.status)
            }
            let own = "http://127.0.0.1:\(gateway.port)"
            for good in [
                [], [("Origin", own)], [("Origin", "https://ui.example")], [("Origin", "app://obsidian.md")],
                [("Sec-Fetch-Site", "same-origin"), ("Origin", own)], [("Sec-Fetch-Site", "none")],
            ] as [[(name: String, value: String)]] {
                #expect(try await status("POST", good) == 200, "\(good)")
                #expect(try await status("GET", good) == 200, "\(good)")
            }
            for foreign in [
                [("Origin", "https://evil.example")], [("Origin", "null")], [("Sec-Fetch-Site", "cross-site")],
                [("Sec-Fetch-Site", "same-site")], [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors")],
            ] as [[(name: String, value: String)]] {
                #expect(try await status("POST", foreign) == 403, "\(foreign)")
                #expect(try await status("GET", foreign) == 403, "\(foreign)")
            }
            let link = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")]
            #expect(try await status("GET", link) == 200)
            #expect(try await status("POST", link) == 403)
        }
    }

    @Test func `ollama signs its requests, and they work unchanged`() async throws {
        try await LiveGateway.with { gateway in
            let (client, stranger) = (SigningClient(7), SigningClient(8))
            let key = try #require(SigningKey(line: client.line))
            let record = try await gateway.store.keys.add(key, name: "laptop", grant: KeyGrant(scopes: [.llm]))
            try await gateway.waitForKeys()
            func send(
                _ method: String, _ path: String, _ body: String? = nil, by client: SigningClient, at shift: Int64 = 0
            ) async throws -> LiveGateway.Reply {
                let time = Int64(Date.now.timeIntervalSince1970) + shift
                return try await gateway.request(
                    method, "\(path)?ts=\(time)", body,
                    headers: [("Authorization", client.authorization(method, path, at: time))])
            }
            for (method, path, body) in Self.everything where !path.hasPrefix("/api/notes") {
                let reply = try await send(method, path, body, by: client)
                #expect(reply.status == 200, "\(method) \(path): \(reply.text)")
            }
            let notes = try await send("GET", "/api/notes/recent", by: client)
            #expect(notes.status == 403 && notes.code == "missing_scope", "\(notes.text)")
            let unknown = try await send("GET", "/api/tags", by: stranger)
            #expect(unknown.status == 403 && unknown.code == "signature_refused")
            #expect(unknown.error.contains("selene keys create NAME --ollama"), "\(unknown.text)")
            let late = try await send("GET", "/api/tags", by: client, at: -3600)
            #expect(late.status == 403 && late.error.contains("behind the gateway's clock"), "\(late.text)")
            let isCounted = try await eventually {
                try await gateway.store.keys.usage(since: UTCDay(unixSeconds: 0))
                    .contains { $0.place.key == record.id && $0.usage.requests >= 8 && $0.usage.promptTokens > 0 }
            }
            #expect(isCounted)
        }
    }
}
