import PushRoom
import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import StoreTestSupport
import TestSupport
import Testing

/// Sessions, messages, memories and devices over HTTP.
@Suite(.serialized) struct ChatRoutesOverHTTP {
    /// The settings for a store in an empty database; nil where no PostgreSQL can be started.
    private static func settings(_ store: String) async throws -> [String: String]? {
        guard store == "postgres" else { return [:] }
        guard let server = await PostgresServer.shared() else { return nil }
        return ["store": try await server.migrated()]
    }

    @Test(arguments: ["sqlite", "postgres"])
    func `a session lives from its first save to its deletion`(store: String) async throws {
        guard let settings = try await Self.settings(store) else { return }
        try await LiveGateway.with(settings: settings) { gateway in
            let untitled = try await gateway.request("PUT", "/api/sessions/a%2Fb%20%C3%BC", "{}")
            #expect(untitled.status == 400 && untitled.error.contains("title"), "\(untitled.text)")
            let body = #"""
                {"title":"Chat","createdAt":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01 01:00:00",\#
                "full_messages_json":"[{\"role\":\"user\"}]","is_pinned":0,"compression_state":"full","summary_text":null}
                """#
            let saved = try await gateway.done("PUT", "/api/sessions/a%2Fb%20%C3%BC", body)
            #expect(saved.object["id"] as? String == "a/b ü")
            #expect(saved.object["message_count"] as? Int == 1)
            #expect(saved.object["is_pinned"] as? Int == 0)
            #expect(saved.object["created_at"] as? String == "2026-01-01 00:00:00")
            try await gateway.done("PUT", "/api/sessions/b", #"{"title":"Other","messages":[1,{"x":[]}]}"#)
            #expect(
                try await gateway.done("GET", "/api/sessions/b").object["messages_json"] as? String == #"[1,{"x":[]}]"#)
            let list = try await gateway.done("GET", "/api/sessions")
            #expect(list.objects("sessions").map { $0["title"] as? String } == ["Other", "Chat"])
            let first = try await gateway.done("GET", "/api/sessions?limit=1")
            let cursor = try #require(first.object["next_cursor"] as? String)
            let second = try await gateway.done("GET", "/api/sessions?limit=1&cursor=\(cursor)")
            #expect(second.objects("sessions").map { $0["title"] as? String } == ["Chat"])
            let pinned = try await gateway.done("PATCH", "/api/sessions/b/pin", #"{"isPinned":true}"#)
            #expect(pinned.object["is_pinned"] as? Int == 1)
            #expect(pinned.object["title"] as? String == "Other")
            let message = try await gateway.done(
                "POST", "/api/sessions/b/messages", #"{"role":"user","content":"hello"}"#, 201)
            #expect(message.object["session_id"] as? String == "b")
            try await gateway.done("POST", "/api/sessions/b/messages", #"{"role":"assistant","content":"hi"}"#, 201)
            let messages = try await gateway.done("GET", "/api/sessions/b/messages")
            #expect(messages.objects("messages").map { $0["content"] as? String } == ["hello", "hi"])
            #expect(messages.object["sessionId"] as? String == "b")
            let newest = try await gateway.done("GET", "/api/sessions/b/messages?order=newest&limit=1")
            #expect(newest.objects("messages").map { $0["content"] as? String } == ["hi"])
            let before = try #require(newest.object["next_cursor"] as? String)
            let earlier = try await gateway.done("GET", "/api/sessions/b/messages?order=newest&cursor=\(before)")
            #expect(earlier.objects("messages").map { $0["content"] as? String } == ["hello"])
            #expect(earlier.object["next_cursor"] == nil)
            for wrong in ["order=latest", "before=9", "order=newest&before=x", "order=newest&before=9&cursor=9"] {
                let refused = try await gateway.request("GET", "/api/sessions/b/messages?\(wrong)")
                #expect(refused.status == 400, "\(wrong)")
            }
            let recent = try await gateway.done("GET", "/api/messages/recent?limit=1")
            #expect(recent.objects("messages").map { $0["content"] as? String } == ["hi"])
            #expect(recent.object["next_cursor"] != nil)
            #expect(try await gateway.done("DELETE", "/api/sessions/b").object["id"] as? String == "b")
            for (method, path, body) in [
                ("DELETE", "/api/sessions/b", nil), ("GET", "/api/sessions/b", nil),
                ("GET", "/api/sessions/b/messages", nil), ("GET", "/api/sessions/b/messages?order=newest", nil),
                ("PATCH", "/api/sessions/b/pin", #"{"isPinned":true}"#),
                ("POST", "/api/sessions/b/messages", #"{"role":"user","content":"x"}"#),
            ] as [(String, String, String?)] {
                #expect(try await gateway.request(method, path, body).status == 404, "\(method) \(path)")
            }
            #expect(try await gateway.done("GET", "/api/messages/recent").object["count"] as? Int == 0)
        }
    }

    @Test(.slow, arguments: ["sqlite", "postgres"])
    func `memories are kept, touched and travel with their vectors`(store: String) async throws {
        guard let settings = try await Self.settings(store) else { return }
        try await LiveGateway.with(settings: settings) { gateway in
            let vector = VectorText.encode([0.25, -1])
            let made = try await gateway.done(
                "POST", "/api/memories",
                #"{"content":"likes tea","type":"preference","sourceSessionId":"s","embedding":"\#(vector)"}"#, 201)
            #expect(made.object["confidence"] as? Double == 1)
            #expect(made.object["source_session_id"] as? String == "s")
            try await gateway.done(
                "POST", "/api/memories", #"{"content":"by the sea","type":"fact","confidence":0.5,"embedding":[3,4]}"#,
                201)
            let plain = try await gateway.done("GET", "/api/memories")
            #expect(plain.ids("memories") == [1, 2])
            #expect(plain.objects("memories")[0]["embedding"] == nil)
            let full = try await gateway.done("GET", "/api/memories?embeddings=true")
            let memories = try JSONDecoder().decode(MemoriesResponse.self, from: full.data)
            #expect(memories.memories.map(\.vector) == [[0.25, -1], [3, 4]])
            #expect(
                try await gateway.done("POST", "/api/memories/touch", #"{"ids":[2,2,9]}"#).object["touched"] as? Int
                    == 1)
            let changed = try await gateway.done("PUT", "/api/memories/2", #"{"confidence":1,"embedding":null}"#)
            #expect(changed.object["confidence"] as? Double == 1)
            let patched = try await gateway.done("PATCH", "/api/memories/2", #"{"confidence":0.5}"#)
            #expect(patched.object["confidence"] as? Double == 0.5)
            #expect(try await gateway.done("DELETE", "/api/memories/1").object["id"] as? Int == 1)
            #expect(try await gateway.request("DELETE", "/api/memories/1").status == 404)
            #expect(try await gateway.request("PUT", "/api/memories/1", #"{"content":"x"}"#).status == 404)
        }
    }

    @Test(.slow, arguments: ["sqlite", "postgres"])
    func `memories are found by meaning, and by word when Ollama is down`(store: String) async throws {
        guard let settings = try await Self.settings(store) else { return }
        let memories = [("the tide gauge stands in the harbour", "fact"), ("likes bread with seeds", "preference")]
        try await LiveGateway.with(settings: settings) { gateway in
            for (content, type) in memories {
                let embedded = try await gateway.done(
                    "POST", "/api/llm/embed", #"{"text":"\#(content)","kind":"document"}"#)
                let reply = try JSONDecoder().decode(EmbedResponse.self, from: embedded.data)
                let vector = VectorText.encode(try #require(reply.embedding))
                try await gateway.done(
                    "POST", "/api/memories", #"{"content":"\#(content)","type":"\#(type)","embedding":"\#(vector)"}"#,
                    201)
            }
            try await gateway.done("POST", "/api/memories", #"{"content":"a harbour pilot","type":"fact"}"#, 201)
            let found = try await gateway.done("POST", "/api/memories/retrieve", #"{"query":"harbour tide gauge"}"#)
            #expect(found.object["source"] as? String == "vector")
            #expect(found.ids.first == 1)
            #expect(found.ids.contains(3), "a memory without a vector is found by its words")
            #expect(found.objects("results").first?["similarity"] as? Double != nil)
            #expect(found.objects("results").first?["embedding"] == nil)
            let typed = try await gateway.done(
                "POST", "/api/memories/retrieve", #"{"query":"harbour","type":"preference","limit":5}"#)
            #expect(typed.ids == [2])
            let own = try await gateway.done("POST", "/api/memories/retrieve", #"{"embedding":[1,0]}"#)
            #expect(own.ids == [], "no stored vector has that length")
            gateway.fake.setFaults(["status=500"])
            let fallback = try await gateway.done("POST", "/api/memories/retrieve", #"{"query":"bread knife"}"#)
            #expect(fallback.object["source"] as? String == "keyword_fallback")
            #expect(fallback.object["fallback_reason"] as? String != nil)
            #expect(fallback.ids == [2])
            #expect(fallback.objects("results").first?["score"] as? Double == 0.25)
        }
    }

    @Test func `devices come and go`() async throws {
        try await LiveGateway.with { gateway in
            let registered = try await gateway.done("POST", "/api/devices/register", #"{"token":"abc"}"#)
            #expect(registered.object["status"] as? String == "registered")
            #expect(try await gateway.push.devices.tokens() == ["abc": "ios"])
            for _ in 0..<2 {
                let gone = try await gateway.done("POST", "/api/devices/unregister", #"{"token":"abc"}"#)
                #expect(gone.object["status"] as? String == "unregistered")
            }
            #expect(try await gateway.push.devices.tokens().isEmpty)
        }
    }
}
