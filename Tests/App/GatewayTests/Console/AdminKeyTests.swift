import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

/// `/api/admin/keys` of a running gateway.
@Suite(.serialized) struct AdminKeyRoutes {
    private func with(
        _ grant: KeyGrant = .everything,
        _ body: @escaping @Sendable (LiveGateway, String, RemoteConsoleService) async throws -> Void
    ) async throws {
        try await LiveGateway.with { gateway in
            let admin = try await gateway.store.keys.create(name: "admin", grant: grant)
            try await gateway.waitForKeys()
            let connection = try GatewayConnection(gateway.base, tokens: StaticTokenStore(admin.secret))
            try await body(gateway, admin.secret, RemoteConsoleService(connection))
        }
    }

    @Test(.slow) func `a key is made with limits, shown once, used, changed and revoked`() async throws {
        try await with { gateway, _, console in
            let made = try await console.addKey(
                NewAdminKey(
                    name: "guest", scopes: ["llm"], models: ["llama3.2"], expires: "30d", requestsPerMinute: 1,
                    tokensPerDay: 1000))
            let secret = try #require(made.key)
            #expect(secret.hasPrefix(made.prefix) && made.scopes == ["llm"] && made.models == ["llama3.2"])
            #expect(made.requestsPerMinute == 1 && made.tokensPerDay == 1000 && made.expiresAt != nil)
            let body = #"{"prompt":"x","model":"llama3.2"}"#
            #expect(try await gateway.post("/api/llm/generate", body, token: secret).status == 200)
            #expect(try await gateway.post("/api/notes/retrieve", #"{"query":"x"}"#, token: secret).status == 403)
            #expect(try await gateway.post("/api/llm/generate", body, token: secret).status == 429)
            // The limits are those of the command line, too.
            let stored = try await gateway.store.keys.find("guest")
            #expect(stored.grant.requestsPerMinute == 1 && stored.grant.tokensPerDay == 1000)
            var day: AdminKey.Day?
            try await waitUntil {
                day = try await console.key(made.id).usage.first
                return (day?.requests ?? 0) >= 3
            }
            #expect(day?.refused ?? 0 >= 2)
            let changed = try await console.changeKey(
                made.id, AdminKeyChange(models: [], expires: "never", requestsPerMinute: .clear, tokensPerDay: .set(5)))
            #expect(changed.requestsPerMinute == nil && changed.tokensPerDay == 5 && changed.scopes == ["llm"])
            #expect(changed.models.isEmpty && changed.expiresAt == nil && changed.key == nil)
            let list = try await console.keys(PageRequest(limit: 1))
            #expect(list.keys.map(\.name) == ["admin"])
            let next = try await console.keys(PageRequest(limit: 1, cursor: list.nextCursor))
            #expect(next.keys.map(\.name) == ["guest"] && next.nextCursor == nil && next.keys.first?.key == nil)
        }
    }

    @Test func `a revoked key is gone`() async throws {
        try await with { gateway, token, console in
            let made = try await console.addKey(NewAdminKey(name: "7"))
            #expect(made.scopes == ["llm", "notes:read", "notes:write"])
            let headers = [(name: "Authorization", value: "Bearer \(token)")]
            let path = "/api/admin/keys/\(made.id)"
            #expect(try await gateway.request("DELETE", path, headers: headers).status == 204)
            #expect(try await gateway.request("DELETE", path, headers: headers).status == 404)
            #expect(try await console.keys().keys.map(\.name) == ["admin"])
        }
    }

    @Test func `what a key cannot have is refused with the field's name`() async throws {
        try await with { gateway, token, console in
            for (body, field) in [
                (#"{"name":" "}"#, "name"), (#"{"name":"a","scopes":[]}"#, "scopes"),
                (#"{"name":"a","scopes":["root"]}"#, "scopes[0]"), (#"{"name":"a","models":["a b"]}"#, "models[0]"),
                (#"{"name":"a","expires":"soon"}"#, "expires"), (#"{"name":"a","expires":"2001-01-01"}"#, "expires"),
                (#"{"name":"a","requests_per_minute":0}"#, "requests_per_minute"),
                (#"{"name":"a","tokens_per_day":-1}"#, "tokens_per_day"),
            ] {
                let reply = try await gateway.post("/api/admin/keys", body, token: token)
                #expect(reply.status == 400 && reply.error.contains("\"\(field)\""), "\(body): \(reply.text)")
            }
            #expect(try await gateway.post("/api/admin/keys", #"{"name":"admin"}"#, token: token).status == 409)
            #expect(try await console.keys().keys.count == 1)
        }
    }

    @Test func `a key gives no more than its own models and time`() async throws {
        var grant = KeyGrant.everything
        grant.models = ["llama3.2"]
        try await with(grant) { gateway, token, console in
            let reply = try await gateway.post("/api/admin/keys", #"{"name":"a"}"#, token: token)
            #expect(reply.status == 403, "\(reply.text)")
            let made = try await console.addKey(NewAdminKey(name: "a", models: ["llama3.2"]))
            await #expect(throws: GatewayClientError.self) {
                try await console.changeKey(made.id, AdminKeyChange(models: []))
            }
        }
    }

    @Test func `a gateway without keys keeps none`() async throws {
        try await LiveGateway.with { gateway in
            let reply = try await gateway.post("/api/admin/keys", #"{"name":"first"}"#)
            #expect(reply.status == 409 && reply.code == "no_keys", "\(reply.text)")
            #expect(try await gateway.request("GET", "/api/admin/keys").status == 200)
        }
    }
}
