import ChatRoom
import Foundation
import GatewayTestSupport
import Storage
import StoreTestSupport
import TestSupport
import Testing
import Transport

/// Gateways whose chat sessions are in PostgreSQL.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct SharedConversationTests {
    @Test(.slow) func `a session of one gateway is read, extended and deleted on another`() async throws {
        let server = try #require(await PostgresServer.shared())
        let settings = ["store": try await server.migrated()]
        try await LiveGateway.with(settings: settings) { first in
            try await LiveGateway.with(settings: settings) { second in
                try await first.done("PUT", "/api/sessions/s", #"{"title":"Chat","message_count":7}"#)
                try await first.done("POST", "/api/sessions/s/messages", #"{"role":"user","content":"a"}"#, 201)
                try await second.done("POST", "/api/sessions/s/messages", #"{"role":"assistant","content":"b"}"#, 201)
                for gateway in [first, second] {
                    let messages = try await gateway.done("GET", "/api/sessions/s/messages")
                    #expect(messages.objects("messages").map { $0["content"] as? String } == ["a", "b"])
                    let session = try await gateway.done("GET", "/api/sessions/s")
                    #expect(session.object["message_count"] as? Int == 7)
                    // The gateways' own files stay empty.
                    #expect(try await gateway.database.sessions.page(limit: 1).items.isEmpty)
                    #expect(try await gateway.database.messages.recent(limit: 1).items.isEmpty)
                }
                let recent = try await second.done("GET", "/api/messages/recent?limit=1")
                let cursor = try #require(recent.object["next_cursor"] as? String)
                let rest = try await first.done("GET", "/api/messages/recent?cursor=\(cursor)")
                #expect(rest.objects("messages").map { $0["content"] as? String } == ["a"])
                let refused = try await first.request("GET", "/api/sessions?cursor=\(cursor)")
                #expect(refused.status == 400 && refused.error.contains("cursor"), "\(refused.text)")
                try await second.done("DELETE", "/api/sessions/s")
                #expect(try await first.request("GET", "/api/sessions/s").status == 404)
                let late = try await first.request(
                    "POST", "/api/sessions/s/messages", #"{"role":"user","content":"x"}"#)
                #expect(late.status == 404 && late.code == "not_found", "\(late.text)")
            }
        }
    }

    @Test func `a memory of one gateway is found, edited and restored on another`() async throws {
        let server = try #require(await PostgresServer.shared())
        let settings = ["store": try await server.migrated()]
        try await LiveGateway.with(settings: settings) { first in
            try await LiveGateway.with(settings: settings) { second in
                let query = #"{"query":"harbour","embedding":[1,0]}"#
                #expect(try await second.done("POST", "/api/memories/retrieve", query).ids == [])
                let new = #"{"content":"a harbour pilot","type":"fact","embedding":[0.5,0.5]}"#
                try await first.done("POST", "/api/memories", new, 201)
                #expect(try await second.done("POST", "/api/memories/retrieve", query).ids == [1])
                try await second.done("PATCH", "/api/memories/1", #"{"content":"a baker","is_pinned":true}"#)
                #expect(try await first.done("POST", "/api/memories/retrieve", #"{"query":"harbour"}"#).ids == [])
                try await first.done("DELETE", "/api/memories/1")
                #expect(try await second.request("GET", "/api/memories/1/why").status == 404)
                try await second.done("POST", "/api/memories/1/undo", "{}")
                try await second.done("POST", "/api/memories/1/undo", "{}")
                #expect(try await second.request("POST", "/api/memories/1/undo", "{}").status == 409)
                let found = try await first.done("POST", "/api/memories/retrieve", #"{"query":"harbour"}"#)
                #expect(found.ids == [1])
                #expect(try await first.database.memories.page(limit: 1).items.isEmpty)
            }
        }
    }

    @Test(.slow) func `while the server is away, the routes answer 503 and say when to come again`() async throws {
        // A commit must survive the end of the server.
        let server = try #require(await PostgresServer.start(["--set", "synchronous_commit = on"]))
        defer { server.stop() }
        try await LiveGateway.with(settings: ["store": try await server.migrated()]) { gateway in
            try await gateway.done("PUT", "/api/sessions/s", #"{"title":"Chat"}"#)
            try await server.command("stop")
            for (method, path, body) in [
                ("GET", "/api/sessions", nil), ("GET", "/api/sessions/s", nil), ("DELETE", "/api/sessions/s", nil),
                ("PUT", "/api/sessions/s", #"{"title":"x"}"#), ("PATCH", "/api/sessions/s/pin", #"{"isPinned":true}"#),
                ("GET", "/api/sessions/s/messages", nil), ("GET", "/api/sessions/s/messages?order=newest", nil),
                ("POST", "/api/sessions/s/messages", #"{"role":"user","content":"x"}"#),
                ("GET", "/api/messages/recent", nil), ("GET", "/api/memories", nil),
                ("POST", "/api/memories", #"{"content":"x","type":"fact"}"#),
                ("POST", "/api/memories/retrieve", #"{"query":"x"}"#),
            ] as [(String, String, String?)] {
                let reply = try await gateway.request(method, path, body)
                #expect(reply.status == 503 && reply.code == "storage_failed", "\(method) \(path): \(reply.text)")
                #expect(reply.head["Retry-After"] != nil, "\(method) \(path)")
            }
            try await server.command("start")
            try await waitUntil { try await gateway.request("GET", "/api/sessions/s").status == 200 }
            let session = try await gateway.done("GET", "/api/sessions/s")
            #expect(session.object["title"] as? String == "Chat" && session.object["is_pinned"] as? Int == 0)
            #expect(try await gateway.done("GET", "/api/messages/recent").object["count"] as? Int == 0)
        }
    }
}
