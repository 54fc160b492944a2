import Foundation
import GatewayTestSupport
import KeyRoom
import Storage
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
        let settings = ["store": try await server.database()]
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
        try await LiveGateway.with(settings: ["store": try await server.database(), "api_token": token]) { gateway in
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

    @Test func `each route of a feature that is off says so`() async throws {
        let server = try #require(await PostgresServer.shared())
        try await LiveGateway.with(settings: ["store": try await server.database()]) { gateway in
            for path in ["/api/devices/register", "/api/devices/unregister"] {
                let reply = try await gateway.post(path, "{}")
                #expect(reply.status == 501, "\(path): \(reply.status) \(reply.text)")
                #expect(reply.code == "feature_off", "\(path)")
                #expect(reply.error.contains("SELENE_STORE") || reply.error.contains("Scale.md"), "\(reply.error)")
            }
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
