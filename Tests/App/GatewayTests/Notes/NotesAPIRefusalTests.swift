import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import Inference
import KeyRoom
import Storage
import TestSupport
import Testing

@testable import Transport

/// What the notes API refuses: wrong values, too much, and keys without the scope.
@Suite(.serialized) struct NotesAPIRefusals {
    static let long = String(repeating: "x", count: 5000)
    static let ids = (0..<1001).map(String.init).joined(separator: ",")

    static let cases: [(method: String, path: String, body: String?, word: String)] = [
        ("GET", "/api/notes?limit=0", nil, "limit"), ("GET", "/api/notes?limit=501", nil, "limit"),
        ("GET", "/api/notes?limit=-1", nil, "limit"), ("GET", "/api/notes?limit=ten", nil, "limit"),
        ("GET", "/api/notes?limit=99999999999999999999", nil, "limit"), ("GET", "/api/notes?limit=", nil, "limit"),
        ("GET", "/api/notes?cursor=x", nil, "cursor"), ("GET", "/api/notes?cursor=1", nil, "cursor"),
        ("GET", "/api/notes?cursor=1_x61", nil, "cursor"), ("GET", "/api/notes/abc", nil, "id"),
        ("GET", "/api/notes/1.5", nil, "id"), ("GET", "/api/notes/99999999999999999999", nil, "id"),
        ("GET", "/api/notes/recent?days=-1", nil, "days"), ("GET", "/api/notes/recent?days=nan", nil, "days"),
        ("GET", "/api/notes/recent?days=1e9", nil, "days"), ("GET", "/api/notes/since/yesterday", nil, "date"),
        ("GET", "/api/notes/since/2026-02-30", nil, "date"), ("GET", "/api/notes/since/%ff", nil, "date"),
        ("GET", "/api/notes/since/%2", nil, "date"), ("POST", "/api/notes/search", "{}", "query"),
        ("POST", "/api/notes/search", #"{"query":" "}"#, "query"),
        ("POST", "/api/notes/search", #"{"query":7}"#, "query"),
        ("POST", "/api/notes/search", #"{"query":"\#(long)"}"#, "query"),
        ("POST", "/api/notes/search", #"{"query":"a\u0000b"}"#, "query"),
        ("POST", "/api/notes/search", #"{"query":"x","limit":1000}"#, "limit"),
        ("POST", "/api/notes/thread-assignments", #"{"noteIds":"1"}"#, "noteIds"),
        ("POST", "/api/notes/thread-assignments", #"{"noteIds":[1,"2"]}"#, "noteIds[1]"),
        ("POST", "/api/notes/thread-assignments", #"{"noteIds":[\#(ids)]}"#, "noteIds"),
        ("POST", "/api/related-notes", #"{"noteId":1.5}"#, "whole number"),
        ("POST", "/api/notes", #"{"content":"x"}"#, "title"),
        ("POST", "/api/notes", #"{"title":"","content":"x"}"#, "title"),
        ("POST", "/api/notes", #"{"title":"x","content":"  "}"#, "content"),
        ("POST", "/api/notes", #"{"title":"\#(long)","content":"x"}"#, "title"),
        ("POST", "/api/notes", #"{"title":"x","content":"a\u0000"}"#, "content"),
        ("POST", "/api/notes", #"{"title":"x","content":"x","created_at":"soon"}"#, "created_at"),
        ("POST", "/api/notes", #"{"title":"x","content":"x","tags":"a"}"#, "tags"),
        ("POST", "/api/notes", #"{"title":"x","content":"x","tags":[""]}"#, "tags[0]"),
        ("POST", "/api/notes", #"{"title":"x","content":"x","test_run":"r"}"#, "test_run"),
        ("PUT", "/api/notes/1", "{}", "nothing"), ("PUT", "/api/notes/1", #"{"title":null}"#, "nothing"),
        ("PATCH", "/api/notes/1", #"{"title":5}"#, "title"),
        ("POST", "/webhook/api/drafts", #"{"title":"x"}"#, "content"),
        ("POST", "/webhook/api/drafts", "[]", "object"), ("GET", "/api/threads?limit=0", nil, "limit"),
        ("GET", "/api/threads/x", nil, "id"), ("GET", "/api/threads/x/tasks", nil, "id"),
        ("GET", "/api/threads/search/%20", nil, "name"), ("GET", "/api/threads/search/a%00", nil, "name"),
        ("PUT", "/api/sessions/a", #"{"title":"t","compression_state":"zip"}"#, "compression_state"),
        ("PUT", "/api/sessions/a", #"{"title":"t","messages_json":"{}"}"#, "messages_json"),
        ("PUT", "/api/sessions/a", #"{"title":"t","messages":[],"messages_json":"[]"}"#, "messages"),
        ("PUT", "/api/sessions/a", #"{"title":"t","updated_at":"late"}"#, "updated_at"),
        ("PUT", "/api/sessions/a", #"{"title":"t","message_count":-1}"#, "message_count"),
        ("PUT", "/api/sessions/\(String(repeating: "a", count: 201))", #"{"title":"t"}"#, "id"),
        ("PATCH", "/api/sessions/a/pin", #"{"isPinned":"yes"}"#, "isPinned"),
        ("PATCH", "/api/sessions/a/pin", "{}", "isPinned"),
        ("POST", "/api/sessions/a/messages", #"{"role":"system","content":"x"}"#, "role"),
        ("POST", "/api/sessions/a/messages", #"{"role":"user","content":""}"#, "content"),
        ("GET", "/api/messages/recent?limit=x", nil, "limit"),
        ("GET", "/api/memories?embeddings=maybe", nil, "embeddings"),
        ("POST", "/api/memories", #"{"content":"x"}"#, "type"),
        ("POST", "/api/memories", #"{"content":"x","type":"joke"}"#, "type"),
        ("POST", "/api/memories", #"{"content":"x","type":"fact","confidence":2}"#, "confidence"),
        ("POST", "/api/memories", #"{"content":"x","type":"fact","embedding":"AAA"}"#, "embedding"),
        ("POST", "/api/memories", #"{"content":"x","type":"fact","embedding":[]}"#, "embedding"),
        ("POST", "/api/memories", #"{"content":"x","type":"fact","embedding":"AADAfw=="}"#, "embedding"),
        ("POST", "/api/memories", #"{"content":"x","type":"fact","embedding":{}}"#, "embedding"),
        ("PUT", "/api/memories/1", "{}", "content"), ("POST", "/api/memories/touch", #"{"ids":[]}"#, "ids"),
        ("POST", "/api/memories/touch", #"{"ids":[\#(ids)]}"#, "ids"),
        ("POST", "/api/memories/touch", #"{"ids":["a"]}"#, "ids[0]"),
        ("POST", "/api/memories/retrieve", "{}", "query"),
        ("POST", "/api/memories/retrieve", #"{"embedding":[0]}"#, "embedding"),
        ("POST", "/api/memories/retrieve", #"{"query":"x","minSimilarity":2}"#, "minSimilarity"),
        ("POST", "/api/memories/retrieve", #"{"query":"x","type":"joke"}"#, "type"),
        ("GET", "/api/briefing/associations?minSimilarity=2", nil, "minSimilarity"),
        ("GET", "/api/briefing/associations?recentDays=-1", nil, "recentDays"),
        ("POST", "/api/devices/register", #"{"token":""}"#, "token"), ("POST", "/api/devices/register", "{}", "token"),
        ("POST", "/api/devices/unregister", #"{"token":"\#(long)"}"#, "token"),
        ("POST", "/webhook/api/export-obsidian", #"{"noteId":"x"}"#, "noteId"),
    ]

    @Test func `every wrong value is refused by name, in the one shape`() async throws {
        try await LiveGateway.withThreeNotes { gateway in
            for test in Self.cases {
                let reply = try await gateway.request(test.method, test.path, test.body)
                let place = "\(test.method) \(test.path.prefix(60)) \(test.body?.prefix(80) ?? ""): \(reply.text)"
                #expect(reply.status == 400, "\(place)")
                #expect(["invalid_field", "invalid_json"].contains(reply.code), "\(place)")
                #expect(reply.error.contains(test.word), "\(place)")
                #expect(reply.object.count == 2, "\(place)")
            }
            #expect(try await gateway.store.embeddings.noteCount() == 3)
        }
    }

    @Test func `a path with several methods names them when it refuses another`() async throws {
        try await LiveGateway.with { gateway in
            let reply = try await gateway.request("PATCH", "/api/notes", "{}")
            #expect(reply.status == 405)
            #expect(reply.head["allow"] == "GET, HEAD, POST")
            #expect(
                try await gateway.request("POST", "/api/notes/1", "{}").head["allow"] == "GET, HEAD, PUT, PATCH, DELETE"
            )
            #expect(try await gateway.request("GET", "/api/notes/search").status == 405)
            #expect(try await gateway.request("POST", "/api/notes/recent", "{}").status == 405)
            let large = try await gateway.post("/webhook/api/drafts", String(repeating: " ", count: 9 << 20))
            #expect(large.status == 413 && large.code == "too_large")
            let xml = try await gateway.request(
                "POST", "/api/notes", #"{"title":"a","content":"b"}"#, headers: [("Content-Type", "text/xml")])
            #expect(xml.status == 415)
            let export = try await gateway.post("/webhook/api/export-obsidian", "{}")
            #expect(export.status == 409 && export.code == "export_not_configured")
        }
    }

    @Test func `reading needs notes:read and writing notes:write`() async throws {
        try await LiveGateway.with { gateway in
            let reader = try await gateway.store.keys.create(
                name: "reader", grant: KeyGrant(scopes: [.notesRead])
            ).secret
            let writer = try await gateway.store.keys.create(
                name: "writer", grant: KeyGrant(scopes: [.notesWrite])
            ).secret
            #expect(try await eventually { try await gateway.request("GET", "/api/notes").status == 401 })
            let reads = [
                ("GET", "/api/notes"), ("GET", "/api/notes/1"), ("POST", "/api/notes/search"),
                ("GET", "/api/notes/recent"),
                ("GET", "/api/notes/since/2026-01-01"), ("POST", "/api/notes/thread-assignments"),
                ("POST", "/api/search"),
                ("POST", "/api/related-notes"), ("GET", "/api/threads"), ("GET", "/api/threads/1"),
                ("GET", "/api/threads/search/x"), ("GET", "/api/threads/1/tasks"), ("GET", "/api/sessions"),
                ("GET", "/api/sessions/a"), ("GET", "/api/sessions/a/messages"), ("GET", "/api/messages/recent"),
                ("GET", "/api/memories"), ("POST", "/api/memories/retrieve"), ("GET", "/api/briefing/associations"),
            ]
            let writes = [
                ("POST", "/api/notes"), ("PUT", "/api/notes/1"), ("PATCH", "/api/notes/1"), ("DELETE", "/api/notes/1"),
                ("POST", "/webhook/api/drafts"), ("PUT", "/api/sessions/a"), ("DELETE", "/api/sessions/a"),
                ("PATCH", "/api/sessions/a/pin"), ("POST", "/api/sessions/a/messages"), ("POST", "/api/memories"),
                ("PUT", "/api/memories/1"), ("DELETE", "/api/memories/1"), ("POST", "/api/memories/touch"),
                ("POST", "/api/devices/register"), ("POST", "/api/devices/unregister"),
                ("POST", "/webhook/api/export-obsidian"),
            ]
            for (routes, good, bad) in [(reads, reader, writer), (writes, writer, reader)] {
                for (method, path) in routes {
                    func code(_ key: String) async throws -> String {
                        try await gateway.request(
                            method, path, method == "GET" ? nil : "{}", headers: [("Authorization", "Bearer \(key)")]
                        ).code
                    }
                    #expect(try await code(bad) == "missing_scope", "\(method) \(path)")
                    #expect(try await code(good) != "missing_scope", "\(method) \(path)")
                }
            }
        }
    }
}
