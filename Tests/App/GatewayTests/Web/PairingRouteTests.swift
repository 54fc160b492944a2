import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

@testable import Access
@testable import Gateway

@Suite(.serialized) struct PairingRoutes {
    private func withKeys(
        _ grant: KeyGrant = KeyGrant(), _ body: (LiveGateway, Browser) async throws -> Void
    ) async throws {
        try await LiveGateway.with { gateway in
            let key = try await gateway.store.keys.create(name: "desk", grant: grant)
            try await gateway.waitForKeys()
            let browser = Browser(gateway)
            try await browser.signIn(key.secret)
            try await body(gateway, browser)
        }
    }

    @Test func `a signed-in browser offers a code, and the new device signs in with it once`() async throws {
        try await withKeys(KeyGrant(models: ["llama3.2"], expiresAt: 4_000_000_000)) { gateway, browser in
            let offer = try await browser.ask(
                "POST", "/web/pairings", #"{"name":"phone","scopes":["notes:read"],"expires":"180d"}"#)
            #expect(offer.status == 201)
            let code = try #require(offer.object["code"] as? String)
            #expect(offer.object["url"] as? String == "http://127.0.0.1:\(gateway.port)/#pair=\(code)")
            #expect((offer.object["qr"] as? String)?.hasPrefix("<svg") == true)
            let phone = Browser(gateway)
            let typed = (code.prefix(4) + "-" + code.suffix(4)).lowercased()
            let reply = try await phone.ask("POST", "/web/session", #"{"code":"\#(typed)"}"#)
            #expect(reply.status == 200 && (reply.object["key"] as? [String: Any])?["name"] as? String == "phone")
            #expect(try await phone.ask("GET", "/api/notes").status == 200)
            #expect(try await phone.ask("GET", "/api/tags").status == 403)
            let key = try await gateway.store.keys.find("phone")
            #expect(key.grant.scopes == [.notesRead] && key.grant.models == ["llama3.2"])
            let expires = try #require(key.grant.expiresAt)
            #expect(abs(expires - Int64(Date.now.timeIntervalSince1970) - 180 * 86_400) < 3600)
            let again = try await Browser(gateway).ask("POST", "/web/session", #"{"code":"\#(code)"}"#)
            #expect(again.status == 401 && again.code == "wrong_code")
            // The key is the device's own: it ends alone.
            try await gateway.store.keys.revoke("phone")
            try await waitUntil { try await phone.ask("GET", "/api/notes").status == 401 }
            #expect(try await browser.ask("GET", "/api/notes").status == 200)
        }
    }

    @Test func `a new device shows a code, and a signed-in one approves it`() async throws {
        try await withKeys { gateway, browser in
            let tablet = Browser(gateway)
            let asked = try await tablet.ask("POST", "/web/pairings/requests", #"{"name":"tablet"}"#)
            #expect(asked.status == 201)
            let code = try #require(asked.object["code"] as? String)
            let poll = try #require(asked.object["poll"] as? String)
            func state(_ poll: String) async throws -> LiveGateway.Reply {
                try await tablet.ask("GET", "/web/pairings/requests/\(code)", nil, [("X-Selene-Poll", poll)])
            }
            #expect(try await state(poll).object["state"] as? String == "waiting")
            #expect(try await state("other").status == 404)
            #expect(try await tablet.ask("GET", "/web/pairings/requests/\(code)").status == 404)
            #expect(try await tablet.ask("GET", "/web/pairings/requests/\(code)/details").status == 401)
            #expect(try await tablet.ask("POST", "/web/pairings/requests/\(code)/approve").status == 401)
            let details = try await browser.ask("GET", "/web/pairings/requests/\(code)/details")
            #expect(details.object["name"] as? String == "tablet" && details.object["user_agent"] is String)
            #expect(
                details.object["address"] as? String == "this machine"
                    && details.object["state"] as? String == "waiting")
            let body = #"{"code":"\#(code)","poll":"\#(poll)"}"#
            #expect(try await tablet.ask("POST", "/web/session", body).status == 401)
            let approval = #"{"scopes":["llm"]}"#
            #expect(try await browser.ask("POST", "/web/pairings/requests/\(code)/approve", approval).status == 200)
            #expect(try await browser.ask("POST", "/web/pairings/requests/\(code)/approve").status == 404)
            #expect(try await state(poll).object["state"] as? String == "approved")
            // Whoever saw the code on the screen has no use of it.
            #expect(try await Browser(gateway).ask("POST", "/web/session", #"{"code":"\#(code)"}"#).status == 401)
            #expect(try await tablet.ask("POST", "/web/session", body).status == 200)
            #expect(try await tablet.ask("GET", "/api/tags").status == 200)
            #expect(try await tablet.ask("GET", "/api/notes").code == "missing_scope")
            #expect(try await state(poll).status == 404)
        }
    }

    @Test(.slow) func `only a browser or an administrator pairs, and what a key paired ends with it`() async throws {
        try await LiveGateway.with { gateway in
            let key = try await gateway.store.keys.create(name: "alice")
            let admin = try await gateway.store.keys.create(name: "admin", grant: .everything)
            try await gateway.waitForKeys()
            let refused = try await gateway.post("/web/pairings", #"{"name":"x"}"#, token: key.secret)
            #expect(refused.status == 403 && refused.code == "needs_browser")
            #expect(try await gateway.post("/web/pairings", #"{"name":"x"}"#, token: admin.secret).status == 201)
            let browser = Browser(gateway)
            try await browser.signIn(key.secret)
            func pair(_ name: String) async throws -> Browser {
                let offer = try await browser.ask("POST", "/web/pairings", #"{"name":"\#(name)"}"#)
                let code = try #require(offer.object["code"] as? String, "\(offer.text)")
                let device = Browser(gateway)
                #expect(try await device.ask("POST", "/web/session", #"{"code":"\#(code)"}"#).status == 200)
                return device
            }
            let phone = try await pair("phone")
            #expect(try await phone.ask("GET", "/api/notes").status == 200)
            for number in 1..<KeyFamilies.maxChildren { _ = try await pair("device \(number)") }
            let full = try await browser.ask("POST", "/web/pairings", #"{"name":"one more"}"#)
            #expect(full.status == 409, "\(full.text)")
            let list = try await gateway.request(
                "GET", "/api/admin/keys", headers: [("Authorization", "Bearer \(admin.secret)")])
            let shown = try #require(list.object["keys"] as? [[String: Any]])
            #expect(shown.count { $0["parent_name"] as? String == "alice" } == KeyFamilies.maxChildren)
            #expect((shown.first { $0["name"] as? String == "alice" }?["children"] as? [String])?.count == 20)
            try await gateway.store.keys.revoke("alice")
            try await waitUntil { try await phone.ask("GET", "/api/notes").status == 401 }
            #expect(try await gateway.store.keys.all().filter { $0.revokedAt == nil }.map(\.name) == ["admin"])
        }
    }

    @Test func `a key gives no more than it has`() async throws {
        try await withKeys(KeyGrant(scopes: [.notesRead])) { (_: LiveGateway, browser: Browser) async throws in
            for body in [#"{"name":"x","scopes":["admin"]}"#, #"{"name":"x","scopes":["notes:read","llm"]}"#] {
                #expect(try await browser.ask("POST", "/web/pairings", body).code == "may_not_give")
            }
            #expect(try await browser.ask("POST", "/web/pairings", #"{"name":"x"}"#).status == 201)
            for body in [
                "{}", #"{"name":""}"#, #"{"name":"x","scopes":[]}"#, #"{"name":"x","scopes":["root"]}"#,
                #"{"name":"x","expires":"soon"}"#, #"{"name":"x","expires":"2001-01-01"}"#,
                #"{"name":"\#(String(repeating: "x", count: 101))"}"#,
            ] {
                #expect(try await browser.ask("POST", "/web/pairings", body).status == 400, "\(body)")
            }
        }
        try await withKeys(KeyGrant(requestsPerMinute: 100)) { (_: LiveGateway, browser: Browser) async throws in
            #expect(
                try await browser.ask("POST", "/web/pairings", #"{"name":"x","scopes":["llm"]}"#).code == "may_not_give"
            )
        }
    }

    @Test func `an address has few requests that wait`() async throws {
        try await withKeys { (gateway: LiveGateway, browser: Browser) async throws in
            let stranger = Browser(gateway)
            var statuses: [Int] = []
            for _ in 0..<PairingRoom.maxPendingPerAddress + 2 {
                statuses.append(try await stranger.ask("POST", "/web/pairings/requests", #"{"name":"x"}"#).status)
            }
            #expect(statuses.filter { $0 == 201 }.count == PairingRoom.maxPendingPerAddress)
            #expect(statuses.suffix(2) == [429, 429])
            #expect(try await browser.ask("POST", "/web/pairings", #"{"name":"x"}"#).status == 201)
        }
    }
}
