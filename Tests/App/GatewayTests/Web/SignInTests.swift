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

@Suite(.serialized) struct SignIn {
    @Test(.slow) func `a browser signs in with a key, uses every kind of route, and signs out`() async throws {
        try await LiveGateway.with { (gateway: LiveGateway) async throws in
            let key = try await gateway.store.keys.create(
                name: "phone", grant: KeyGrant(scopes: [.llm, .notesRead]))
            try await gateway.waitForKeys()
            let browser = Browser(gateway)
            let before = try await browser.ask("GET", "/web/session")
            #expect(before.object["signed_in"] as? Bool == false && before.object["needs_key"] as? Bool == true)
            #expect(before.object["key"] is NSNull && before.object["secure"] as? Bool == false)
            let reply = try await browser.signIn(key.secret)
            #expect(reply.status == 200)
            let set = try #require(reply.head["set-cookie"])
            #expect(
                set.hasPrefix("selene=slw_") && set.hasSuffix("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict"))
            #expect(!reply.text.contains("slw_") && !reply.text.contains("slk_"))
            let status = try await browser.ask("GET", "/web/session")
            #expect(status.object["signed_in"] as? Bool == true)
            let shown = try #require(status.object["key"] as? [String: Any])
            #expect(shown["name"] as? String == "phone" && shown["scopes"] as? [String] == ["llm", "notes:read"])
            #expect(status.head["set-cookie"]?.hasPrefix("selene=slw_") == true)
            #expect(status.head["cache-control"] == "no-store")
            // Routes of the router and of the proxy, and the key's scopes.
            #expect(try await browser.ask("GET", "/api/notes").status == 200)
            #expect(try await browser.ask("GET", "/api/tags").status == 200)
            let chat = #"{"model":"llama3.2","messages":[{"role":"user","content":"x"}],"stream":false}"#
            #expect(try await browser.ask("POST", "/api/chat", chat).status == 200)
            #expect(try await browser.ask("GET", "/api/admin/stats").code == "missing_scope")
            #expect(try await browser.ask("DELETE", "/api/delete", #"{"model":"x"}"#).status == 403)
            #expect(try await browser.ask("GET", "/v1/models").status == 200)
            // The upstream never sees the cookie.
            for request in gateway.fake.statistics.requests { #expect(!"\(request)".contains("slw_")) }
            let usage = try await gateway.usage(of: key) { $0.requests >= 6 }
            #expect(usage.requests >= 6)
            let cookie = try #require(browser.cookie)
            #expect(try await browser.ask("DELETE", "/web/session").status == 204)
            #expect(browser.cookie == nil)
            browser.cookie = cookie
            try await waitUntil { try await browser.ask("GET", "/api/notes").status == 401 }
        }
    }

    @Test func `a session dies with its key, on every kind of route`() async throws {
        try await LiveGateway.with { (gateway: LiveGateway) async throws in
            _ = try await gateway.store.keys.create(name: "other")
            let key = try await gateway.store.keys.create(name: "phone")
            try await gateway.waitForKeys()
            let browser = Browser(gateway)
            try await browser.signIn(key.secret)
            #expect(try await browser.ask("GET", "/api/notes").status == 200)
            try await gateway.store.keys.revoke("phone")
            for path in ["/api/notes", "/api/tags"] {
                try await waitUntil { try await browser.ask("GET", path).status == 401 }
                #expect(try await browser.ask("GET", path).text.contains("unauthorized"))
            }
            // The page learns that it is signed out, and the cookie goes.
            #expect(try await browser.ask("GET", "/web/session").object["signed_in"] as? Bool == false)
            #expect(browser.cookie == nil)
        }
    }

    @Test(.slow) func `wrong keys are refused like wrong bearer keys, and disturb no one else`() async throws {
        try await LiveGateway.with { (gateway: LiveGateway) async throws in
            let key = try await gateway.store.keys.create(name: "phone")
            try await gateway.waitForKeys()
            let browser = Browser(gateway)
            try await browser.signIn(key.secret)
            let stranger = Browser(gateway)
            let wrong = try await stranger.signIn("slk_wrong")
            #expect(wrong.status == 401 && wrong.code == "wrong_key" && wrong.head["set-cookie"] == nil)
            let keys = gateway.application.shared.keys.wrongKeys
            for _ in 0..<40 { _ = try await keys.refuse(.loopback) { _ in } }
            let refused = try await stranger.signIn("slk_wrong")
            #expect(
                refused.status == 429 && refused.code == "too_many_wrong_keys" && refused.head["retry-after"] != nil)
            #expect(try await browser.ask("GET", "/api/notes").status == 200)
            #expect(try await stranger.signIn(key.secret).status == 200)
            let expired = try await gateway.store.keys.create(name: "old", grant: KeyGrant(expiresAt: 1_700_000_000))
            try await gateway.waitForKeys()
            #expect(try await stranger.signIn(expired.secret).code == "key_expired")
            for body in [
                "{}", #"{"key":1}"#, #"{"key":""}"#, #"{"key":"a","code":"b"}"#, "[]", "",
                #"{"key":"\#(String(repeating: "x", count: 5000))"}"#,
            ] {
                let reply = try await stranger.ask("POST", "/web/session", body)
                #expect([400, 413].contains(reply.status), "\(body.prefix(30)): \(reply.status)")
            }
        }
    }

    @Test func `a gateway without keys needs no sign-in, and refuses foreign pages and hosts everywhere`() async throws
    {
        try await LiveGateway.with { (gateway: LiveGateway) async throws in
            let browser = Browser(gateway)
            let status = try await browser.ask("GET", "/web/session")
            #expect(status.object["needs_key"] as? Bool == false && status.object["signed_in"] as? Bool == false)
            #expect(try await browser.signIn("anything").object["needs_key"] as? Bool == false)
            #expect(browser.cookie == nil)
            browser.cookie = "selene=slw_" + String(repeating: "x", count: 43)
            #expect(try await browser.ask("GET", "/api/notes").status == 200)
            #expect(try await browser.ask("POST", "/web/pairings", #"{"name":"x"}"#).code == "no_keys")
            #expect(try await browser.ask("POST", "/web/pairings/requests", #"{"name":"x"}"#).code == "no_keys")
            let html: Browser.Headers = [("Accept", "text/html")]
            let paths = ["/", "/sw.js", "/app.webmanifest", "/app/x/y", "/web/session", "/web/sessions"]
            for path in paths {
                for (name, value) in [
                    ("Host", "evil.example"), ("Host", "127.0.0.1.evil.example:5678"),
                    ("Origin", "https://evil.example"),
                    ("Origin", "null"), ("Sec-Fetch-Site", "cross-site"), ("X-Forwarded-For", "1.2.3.4"),
                ] {
                    let reply = try await gateway.request("GET", path, headers: html + [(name, value)])
                    #expect(reply.status == 403, "\(path) \(name): \(value)")
                }
            }
            // A link on another site may lead to the page, but not to a frame of it.
            let link: Browser.Headers = html + [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")]
            #expect(
                try await gateway.request("GET", "/", headers: link + [("Sec-Fetch-Dest", "document")]).status == 200)
            #expect(try await gateway.request("GET", "/", headers: link + [("Sec-Fetch-Dest", "iframe")]).status == 403)
        }
    }

    @Test func `sessions are listed and ended by their key, and all of them by an administrator`() async throws {
        try await LiveGateway.with { (gateway: LiveGateway) async throws in
            let phone = try await gateway.store.keys.create(name: "phone")
            let desk = try await gateway.store.keys.create(name: "desk", grant: .everything)
            try await gateway.waitForKeys()
            let (one, two, admin) = (Browser(gateway), Browser(gateway), Browser(gateway))
            try await one.signIn(phone.secret)
            try await two.signIn(phone.secret)
            try await admin.signIn(desk.secret)
            let own = try await one.ask("GET", "/web/sessions").objects("sessions")
            #expect(own.count == 2 && own.allSatisfy { $0["name"] as? String == "phone" })
            #expect(own.filter { $0["is_this"] as? Bool == true }.count == 1)
            #expect((own.first?["created_at"] as? String)?.hasSuffix("Z") == true)
            let all = try await admin.ask("GET", "/web/sessions").objects("sessions")
            #expect(all.count == 3)
            let foreign = try #require(all.first { $0["name"] as? String == "desk" }?["id"] as? Int)
            #expect(try await one.ask("DELETE", "/web/sessions/\(foreign)").status == 404)
            let other = try #require(own.first { $0["is_this"] as? Bool == false }?["id"] as? Int)
            #expect(try await one.ask("DELETE", "/web/sessions/\(other)").status == 204)
            try await waitUntil { try await two.ask("GET", "/api/notes").status == 401 }
            #expect(try await one.ask("GET", "/api/notes").status == 200)
            // A bearer key sees them, too, without the header of pages.
            let listed = try await gateway.request(
                "GET", "/web/sessions", headers: [("Authorization", "Bearer \(phone.secret)")])
            #expect(listed.objects("sessions").count == 1)
        }
    }

    @Test func `signing in again ends the former session and never keeps a cookie that was there`() async throws {
        try await LiveGateway.with { (gateway: LiveGateway) async throws in
            let key = try await gateway.store.keys.create(name: "phone")
            try await gateway.waitForKeys()
            let browser = Browser(gateway)
            try await browser.signIn(key.secret)
            let first = try #require(browser.cookie)
            try await browser.signIn(key.secret)
            #expect(browser.cookie != first)
            #expect(try await gateway.store.webSessions.all().count == 1)
            // Fixation: a cookie that an attacker planted is not adopted.
            let planted = "selene=slw_" + String(repeating: "A", count: 43)
            let victim = Browser(gateway)
            victim.cookie = planted
            try await victim.signIn(key.secret)
            #expect(victim.cookie != planted && victim.cookie != nil)
            victim.cookie = planted
            #expect(try await victim.ask("GET", "/api/notes").status == 401)
        }
    }

    @Test func `the web client can be switched off`() async throws {
        try await LiveGateway.with(settings: ["web": "off"]) { (gateway: LiveGateway) async throws in
            #expect(
                try await gateway.request("GET", "/", headers: [("Accept", "text/html")]).text == "Ollama is running")
            for path in ["/web/session", "/app.webmanifest", "/app/x/y"] {
                #expect(try await gateway.request("GET", path).status == 404)
            }
        }
    }
}
