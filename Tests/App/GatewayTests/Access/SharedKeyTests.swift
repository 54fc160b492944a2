import Foundation
import GatewayTestSupport
import KeyRoom
import PushRoom
import Storage
import StoreTestSupport
import TestSupport
import Testing

/// Gateways whose notes and keys are in PostgreSQL.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct SharedKeyTests {
    private func authorization(_ secret: String) -> [(name: String, value: String)] {
        [("Authorization", "Bearer \(secret)")]
    }

    @Test(.slow) func `a key of one gateway works on another, and stops there when it is revoked`() async throws {
        let server = try #require(await PostgresServer.shared())
        let settings = ["store": try await server.migrated()]
        try await LiveGateway.with(settings: settings) { first in
            try await LiveGateway.with(settings: settings) { second in
                // Without a key both are open, since they listen on this machine only.
                #expect(try await second.request("GET", "/api/jobs").status == 200)
                let key = try await first.store.keys.create(name: "phone")
                try await waitUntil {
                    try await second.request("GET", "/api/jobs").status == 401
                }
                let headers = authorization(key.secret)
                #expect(try await second.request("GET", "/api/jobs", headers: headers).status == 200)
                #expect(try await first.request("GET", "/api/jobs", headers: headers).status == 200)
                try await second.store.keys.revoke("phone")
                try await waitUntil {
                    try await first.request("GET", "/api/jobs", headers: headers).status == 403
                }
            }
        }
    }

    @Test(.slow) func `known keys and the token answer while PostgreSQL is away`() async throws {
        // A commit must survive the end of the server.
        let server = try #require(await PostgresServer.start(["--set", "synchronous_commit = on"]))
        defer { server.stop() }
        let token = "a token of more than 16 bytes"
        try await LiveGateway.with(settings: ["store": try await server.migrated(), "api_token": token]) { gateway in
            let key = try await gateway.store.keys.create(name: "phone")
            #expect(try await gateway.request("GET", "/api/tags", headers: authorization(key.secret)).status == 200)
            try await server.command("stop")
            // Older than the age that the copy may have while the server answers.
            try await Task.sleep(for: .milliseconds(1200))
            for secret in [key.secret, token] {
                #expect(try await gateway.request("GET", "/api/tags", headers: authorization(secret)).status == 200)
            }
            #expect(try await gateway.request("GET", "/api/tags", headers: authorization("slk_wrong")).status == 401)
            let retrieval = try await gateway.post("/api/notes/retrieve", #"{"query":"x"}"#, token: token)
            #expect(retrieval.status == 503)
            #expect(retrieval.code == "storage_failed")
            try await server.command("start")
            try await waitUntil {
                try await gateway.post("/api/notes/retrieve", #"{"query":"x"}"#, token: token).status == 200
            }
        }
    }

    @Test func `no route is off, and push tokens are those of all gateways`() async throws {
        let server = try #require(await PostgresServer.shared())
        try await LiveGateway.with(settings: ["store": try await server.migrated()]) { gateway in
            let token = String(repeating: "ab", count: 32)
            for body in [#"{"token":"\#(token)"}"#, #"{"token":"\#(token)","platform":"macos"}"#] {
                let reply = try await gateway.post("/api/devices/register", body)
                #expect(reply.status == 200, "\(reply.status) \(reply.text)")
            }
            let devices = PushRoom(gateway.store).devices
            #expect(try await devices.tokens() == [token: "macos"])
            let listed = try await gateway.request("GET", "/api/v1/devices").objects("devices")
            #expect(listed.map { $0["channel"] as? String } == ["apns"])
            for _ in 0..<2 {
                let reply = try await gateway.post("/api/devices/unregister", #"{"token":"\#(token)"}"#)
                #expect(reply.status == 200, "\(reply.status) \(reply.text)")
            }
            #expect(try await devices.tokens().isEmpty)
            #expect(try await devices.page(after: nil, limit: 9).items.isEmpty)
            #expect(try await gateway.post("/api/notes/retrieve", #"{"query":"x"}"#).status == 200)
            for path in ["/api/notes", "/api/threads/proposals", "/api/tasks", "/api/briefing/today"] {
                #expect(try await gateway.request("GET", path).status == 200, "\(path)")
            }
            #expect(try await gateway.request("GET", "/api/books").status == 200)
            #expect(try await gateway.request("GET", "/api/v1/devices").status == 200)
            let description = try await gateway.request("GET", "/openapi.yaml").text
            #expect(description.contains("  '/api/notes/{id}':") && description.contains("  /api/books:"))
            #expect(try await gateway.request("GET", "/api/goals").status == 200)
            #expect(try await gateway.request("PUT", "/api/goals").status == 405)
        }
    }
}
