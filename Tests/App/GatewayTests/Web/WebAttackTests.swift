import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing
import Transport

@testable import Access
@testable import Gateway

/// What other pages, hosts and strangers may try with a browser that is signed in.
@Suite(.serialized) struct WebAttacks {
    private func withSignedIn(
        _ body: (LiveGateway, Browser, _ key: String) async throws -> Void
    ) async throws {
        try await LiveGateway.with { (gateway: LiveGateway) async throws in
            let key = try await gateway.store.keys.create(name: "phone", grant: .everything)
            try await gateway.waitForKeys()
            let browser = Browser(gateway)
            try await browser.signIn(key.secret)
            try await body(gateway, browser, key.secret)
        }
    }

    @Test func `no other page acts in the person's name`() async throws {
        try await withSignedIn { (gateway: LiveGateway, browser: Browser, _: String) async throws in
            let own = "http://127.0.0.1:\(gateway.port)"
            let attempts: [Browser.Headers] = [
                [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "cross-site"), ("X-Selene", "1")],
                [("Sec-Fetch-Site", "same-site"), ("X-Selene", "1"), ("Origin", "http://127.0.0.1:3000")],
                [("Sec-Fetch-Site", "none"), ("X-Selene", "1")], [("Sec-Fetch-Site", "same-origin")],
                [("Origin", "https://evil.example"), ("X-Selene", "1")], [("Origin", "null"), ("X-Selene", "1")],
                [("Origin", own)], [("X-Selene", "1")], [],
                [("Origin", "http://localhost:3000"), ("X-Selene", "1")],
                [("Origin", own), ("X-Selene", "1"), ("Sec-Fetch-Site", "cross-site")],
            ]
            let session = #"{"title":"x"}"#
            for headers in attempts {
                for (method, path, body) in [
                    ("PUT", "/api/sessions/s1", session), ("POST", "/api/chat", #"{"model":"llama3.2"}"#),
                    ("POST", "/api/pull", #"{"model":"x"}"#), ("DELETE", "/web/sessions/1", nil),
                    ("POST", "/web/pairings", #"{"name":"x"}"#),
                ] {
                    let reply = try await browser.ask(method, path, body, headers)
                    #expect(reply.status == 403, "\(method) \(path) \(headers)")
                    #expect(reply.text.contains("cross_site_request"), "\(method) \(path) \(headers)")
                }
            }
            #expect(gateway.fake.statistics.requests.isEmpty)
            #expect(try await gateway.store.sessions.find("s1") == nil)
            #expect(try await browser.ask("PUT", "/api/sessions/s1", session).status == 200)
            // An older browser sends no Sec-Fetch-Site, but the origin.
            let older: Browser.Headers = [("Origin", own), ("X-Selene", "1")]
            #expect(try await browser.ask("PUT", "/api/sessions/s2", session, older).status == 200)
            #expect(try await browser.ask("GET", "/api/notes", nil, [("X-Selene", "1")]).status == 200)
            #expect(try await browser.ask("GET", "/api/notes", nil, []).status == 403)
        }
    }

    @Test func `no other page signs a browser in or out`() async throws {
        try await withSignedIn { (gateway: LiveGateway, browser: Browser, key: String) async throws in
            let body = #"{"key":"\#(key)"}"#
            let attempts: [(Browser.Headers, Int)] = [
                ([("Sec-Fetch-Site", "cross-site"), ("X-Selene", "1")], 403),
                ([("Sec-Fetch-Site", "same-origin")], 400),
                ([("Origin", "http://127.0.0.1:3000"), ("X-Selene", "1")], 403), ([], 400),
                ([("Origin", "null"), ("X-Selene", "1"), ("Content-Type", "text/plain")], 403),
            ]
            for (headers, status) in attempts {
                for (method, path, body) in [
                    ("POST", "/web/session", body), ("DELETE", "/web/session", nil),
                    ("POST", "/web/pairings/requests", #"{"name":"x"}"#),
                ] {
                    let reply = try await browser.ask(method, path, body, headers)
                    #expect(reply.status == status, "\(method) \(path) \(headers)")
                    #expect(reply.head["set-cookie"] == nil)
                }
            }
            #expect(try await browser.ask("GET", "/api/notes").status == 200)
        }
    }

    @Test func `no preflight allows credentials, and no answer to another origin does`() async throws {
        try await withSignedIn { (gateway: LiveGateway, browser: Browser, _: String) async throws in
            for origin in ["http://localhost:3000", "http://127.0.0.1:\(gateway.port)"] {
                for path in ["/web/session", "/api/notes", "/api/chat"] {
                    let preflight = try await gateway.request(
                        "OPTIONS", path,
                        headers: [
                            ("Origin", origin), ("Access-Control-Request-Method", "POST"),
                            ("Access-Control-Request-Headers", "x-selene"),
                        ])
                    #expect(preflight.head["access-control-allow-credentials"] == nil)
                    let reply = try await browser.ask("GET", path, nil, [("Origin", origin)])
                    #expect(reply.head["access-control-allow-credentials"] == nil)
                }
            }
        }
    }

    @Test func `a cookie does not count at another host than the page's`() async throws {
        try await withSignedIn { (gateway: LiveGateway, browser: Browser, _: String) async throws in
            let change = #"{"title":"x"}"#
            let page: Browser.Headers = [("Origin", "http://127.0.0.1:\(gateway.port)"), ("X-Selene", "1")]
            #expect(try await browser.ask("PUT", "/api/sessions/s", change, page).status == 200)
            for host in [
                "evil.example", "127.0.0.1", "localhost:\(gateway.port)", "127.0.0.1:\(gateway.port).evil.example",
            ] {
                let reply = try await browser.ask("PUT", "/api/sessions/s", change, page + [("Host", host)])
                #expect(reply.status == 403, "\(host)")
            }
            // A name that was pointed at this machine has neither cookie nor key.
            let rebound: Browser.Headers = [
                ("Host", "evil.example"), ("Origin", "http://evil.example"), ("X-Selene", "1"),
                ("Sec-Fetch-Site", "same-origin"),
            ]
            #expect(try await gateway.request("GET", "/api/notes", headers: rebound).status == 401)
            #expect(try await gateway.request("POST", "/api/chat", "{}", headers: rebound).status == 401)
        }
    }

    @Test func `a bearer key wins over a cookie, and needs none of its rules`() async throws {
        try await withSignedIn { (gateway: LiveGateway, browser: Browser, _: String) async throws in
            let guest = try await gateway.store.keys.create(name: "guest", grant: KeyGrant(scopes: [.notesRead]))
            try await gateway.waitForKeys()
            let both = Browser.ownPage + [("Authorization", "Bearer \(guest.secret)")]
            #expect(try await browser.ask("GET", "/api/notes", nil, both).status == 200)
            #expect(try await browser.ask("GET", "/api/tags", nil, both).status == 403)
            #expect(try await browser.ask("GET", "/metrics", nil, both).code == "missing_scope")
            let wrong = Browser.ownPage + [("Authorization", "Bearer wrong")]
            #expect(try await browser.ask("GET", "/api/notes", nil, wrong).status == 403)
            let alone: Browser.Headers = [
                ("Authorization", "Bearer \(guest.secret)"), ("Sec-Fetch-Site", "cross-site"),
            ]
            #expect(try await browser.ask("GET", "/api/notes", nil, alone).status == 200)
            // Another scheme is no bearer key.
            let basic = Browser.ownPage + [("Authorization", "Basic eDp5")]
            #expect(try await browser.ask("GET", "/api/notes", nil, basic).status == 200)
        }
    }

    @Test func `odd and huge cookies are refused or ignored`() async throws {
        try await withSignedIn { (gateway: LiveGateway, browser: Browser, _: String) async throws in
            let cookie = try #require(browser.cookie)
            for value in [
                "selene=", "selene", "selene=slw_", cookie.dropLast() + "!",
                "selene=slw_" + String(repeating: "%41", count: 20),
                "SELENE=\(cookie.dropFirst(7))",
                String(repeating: "selene=slw_\(String(repeating: "x", count: 43));", count: 200),
            ] as [String] {
                let reply = try await gateway.request(
                    "GET", "/api/notes", headers: Browser.ownPage + [("Cookie", value)])
                #expect(reply.status == 401, "\(value.prefix(60))")
            }
            let padded = String(repeating: "a=\(String(repeating: "x", count: 80)); ", count: 100) + cookie
            #expect(
                try await gateway.request("GET", "/api/notes", headers: Browser.ownPage + [("Cookie", padded)]).status
                    == 200)
            let huge = try await RawClient.ask(
                port: gateway.port, "GET", "/api/notes", headers: ["Cookie: " + String(repeating: "x", count: 40_000)])
            #expect(!huge.head.hasPrefix("HTTP/1.1 200"))
            #expect(try await browser.ask("GET", "/api/notes").status == 200)
        }
    }

    @Test func `codes cannot be guessed, and guessing disturbs no session`() async throws {
        try await withSignedIn { (gateway: LiveGateway, browser: Browser, _: String) async throws in
            let stranger = Browser(gateway)
            var statuses: [Int] = []
            for _ in 0..<20 {
                let code = PairingCode().text
                statuses.append(try await stranger.ask("POST", "/web/session", #"{"code":"\#(code)"}"#).status)
            }
            #expect(Set(statuses.prefix(5)) == [401] && Set(statuses.dropFirst(5)) == [429])
            let refused = try await stranger.ask("POST", "/web/session", #"{"code":"x"}"#)
            #expect(refused.code == "too_many_tries" && refused.head["retry-after"] != nil)
            #expect(try await browser.ask("GET", "/api/notes").status == 200)
            #expect(try await browser.ask("GET", "/web/session").object["signed_in"] as? Bool == true)
        }
    }

    @Test func `no path leads out of the site`() async throws {
        try await LiveGateway.with { (gateway: LiveGateway) async throws in
            for path in [
                "/app/../config.json", "/app/x/../../etc/passwd", "/app/%2e%2e/%2e%2e/etc/passwd", "/app//etc/passwd",
                "/app/x/..%2f..%2fetc/passwd", "/app/", "/app", "/app/x", "/app/x/", "/app/x/index.html", "/app/x/%00",
                "/app/x/\\..\\y", "/app/x/sw.js",
            ] {
                let reading = try await RawClient.ask(port: gateway.port, "GET", path)
                #expect(
                    reading.head.hasPrefix("HTTP/1.1 404") || reading.head.hasPrefix("HTTP/1.1 400"),
                    "\(path): \(reading.head)")
                #expect(!reading.body.contains("<html") && !reading.head.lowercased().contains("text/html"), "\(path)")
            }
        }
    }
}
