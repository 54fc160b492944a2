import FakeOllama
import Foundation
import GatewayTestSupport
import Storage
import TestSupport
import Testing

@Suite(.serialized) struct Retrieving {
    static let notes = [
        NoteDraft(
            title: "Spring tide", content: "The moon pulls the sea highest at new moon.", createdAt: 1_767_000_000,
            noteType: "reference", actionability: "none", threads: ["Petrel"], externalID: "tide"),
        NoteDraft(
            title: "Sourdough", content: "Feed the starter; 80% hydration.", createdAt: 1_768_000_000,
            noteType: "task", actionability: "actionable", externalID: "bread"),
        NoteDraft(
            title: "潮汐 🎻", content: "Cafe\u{301} by the harbour, e\u{301}clair; sensor_id 7", createdAt: 1_769_000_000,
            noteType: "journal", externalID: "unicode"),
        NoteDraft(
            title: "Old boat", content: "Planks of larch on the tide line.", createdAt: 1_600_000_000,
            noteType: "idea", externalID: "boat"),
    ]

    func with(_ options: FakeOllama.Options = .init(), _ body: (LiveGateway) async throws -> Void) async throws {
        try await LiveGateway.with(options) { gateway in
            _ = try await gateway.store.notes.insert(Self.notes)
            try await gateway.backfill()
            try await body(gateway)
        }
    }

    @Test func `hybrid finds by meaning and by word and explains itself`() async throws {
        try await with { gateway in
            let reply = try await gateway.post(
                "/api/notes/retrieve", #"{"query":"moon and sea","limit":2,"explain":true}"#)
            #expect(reply.status == 200)
            #expect(reply.object["source"] as? String == "hybrid")
            #expect(reply.ids.first == 1)
            let first = try #require((reply.object["results"] as? [[String: Any]])?.first)
            #expect(first["note_type"] as? String == "reference")
            #expect(first["created_at"] as? String == "2025-12-29 09:20:00")
            #expect(((first["threads"] as? [[String: Any]])?.first)?["name"] as? String == "Petrel")
            let explanation = try #require(first["explanation"] as? [String: Any])
            #expect((explanation["vector"] as? [String: Any])?["rank"] as? Int == 1)
            #expect(explanation["matched_terms"] as? [String] == ["moon", "sea"])
            #expect((reply.object["timings_ms"] as? [String: Any])?["total"] != nil)
            let plain = try await gateway.post("/api/notes/retrieve", #"{"query":"moon and sea"}"#)
            #expect((plain.object["results"] as? [[String: Any]])?.first?["explanation"] == nil)
            #expect(plain.object["explanation"] == nil)
        }
    }

    @Test(
        .slow,
        arguments: [
            (#"{"query":"潮汐"}"#, 3), (#"{"query":"CAFÉ","mode":"keyword"}"#, 3),
            (#"{"query":"🎻","mode":"keyword"}"#, 3),
            (#"{"keywords":["80%"]}"#, 2), (#"{"keywords":"sensor_id"}"#, 3),
            (#"{"query":"éclair","mode":"keyword"}"#, 3),
            (#"{"query":"Spring tide","mode":"vector"}"#, 1), (#"{"query":"tide","noteType":"IDEA"}"#, 4),
            (#"{"query":"tide","noteType":["idea","task"],"fusion":"rrf"}"#, 4),
            (#"{"query":"x","actionability":"actionable"}"#, 2),
            (#"{"query":"tide","timeScope":{"until":"2021-01-01"}}"#, 4),
            (#"{"query":"tide","timeScope":{"since":"2026-01-01T00:00:00Z","until":"2026-01-10"},"mode":"vector"}"#, 2),
        ])
    func `each way of asking finds its note first`(body: String, expected: Int) async throws {
        try await with { gateway in
            let reply = try await gateway.post("/api/notes/retrieve", body)
            #expect(reply.ids.first == expected, "\(reply.text.prefix(300))")
            #expect(reply.object["fallback_reason"] == nil)
        }
    }

    @Test func `what another process writes, edits and deletes is seen at once`() async throws {
        try await with { gateway in
            func ids(_ term: String) async throws -> [Int] {
                try await gateway.post("/api/notes/retrieve", #"{"keywords":["\#(term)"]}"#).ids
            }
            // A gateway follows a file at once, and the log of a server within a moment.
            func expect(_ term: String, _ expected: [Int]) async throws {
                if NotesPlace.usual == .postgres { try await waitUntil { try await ids(term) == expected } }
                #expect(try await ids(term) == expected)
            }
            try await gateway.withOtherStore { other in
                try await expect("zebra", [])
                _ = try await other.notes.insert([NoteDraft(title: "zebra", content: "new", externalID: "z")])
                try await expect("zebra", [5])
                _ = try await other.notes.insert([NoteDraft(title: "quagga", content: "edited", externalID: "z")])
                try await expect("zebra", [])
                try await expect("quagga", [5])
            }
            try await gateway.backfill()
            let vector = try await gateway.post("/api/notes/retrieve", #"{"query":"quagga edited","mode":"vector"}"#)
            #expect(vector.ids.first == 5)
        }
    }

    @Test func `an Ollama that is slow, broken or changed means keywords, with the reason`() async throws {
        try await LiveGateway.with(settings: ["query_timeout": "0.3"]) { gateway in
            _ = try await gateway.store.notes.insert(Self.notes)
            let empty = try await gateway.post("/api/notes/retrieve", #"{"query":"tide","mode":"vector"}"#)
            #expect(empty.object["source"] as? String == "keyword_fallback")
            #expect((empty.object["fallback_reason"] as? String)?.contains("backfill") == true)
            try await gateway.backfill()
            for (number, fault) in ["stall-first=30@/api/embed", "status=500@/api/embed", "drop@/api/embed"]
                .enumerated()
            {
                gateway.fake.setFaults([fault])
                let reply = try await gateway.post("/api/notes/retrieve", #"{"query":"tide \#(number)"}"#)
                #expect(reply.status == 200)
                #expect(reply.object["source"] as? String == "keyword_fallback")
                #expect(reply.ids.contains(1))
            }
            gateway.fake.setFaults([])
            let back = try await gateway.post("/api/notes/retrieve", #"{"query":"tide"}"#)
            #expect(back.object["source"] as? String == "hybrid")
        }
    }

    @Test func `a repeated query costs no second embedding call`() async throws {
        try await with { gateway in
            gateway.fake.reset()
            for limit in 1...5 {
                _ = try await gateway.post("/api/notes/retrieve", #"{"query":"tide","limit":\#(limit)}"#)
            }
            #expect(gateway.fake.statistics.embedBatches == [1])
            #expect(gateway.lastAsked.contains("search_query: tide"))
        }
    }

    @Test func `a restarted gateway answers the same`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-restart-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var answers: [[Int]] = []
        for round in 0..<2 {
            let gateway = try await LiveGateway.start(folder: folder, .init(), settings: [:])
            if round == 0 {
                _ = try await gateway.store.notes.insert(Self.notes)
                try await gateway.backfill()
            }
            let reply = try await gateway.post("/api/notes/retrieve", #"{"query":"tide moon"}"#)
            #expect(reply.object["source"] as? String == "hybrid")
            answers.append(reply.ids)
            await gateway.stop()
        }
        #expect(answers[0] == answers[1])
        #expect(answers[0].count == 4)
    }

    @Test func `embed answers one text or several, with the prefix of its kind`() async throws {
        try await LiveGateway.with { gateway in
            let hashed = HashedEmbedding(dimensions: 384)
            func floats(_ value: Any?) -> [Float] { (value as? [NSNumber])?.map(\.floatValue) ?? [] }
            let one = try await gateway.post("/api/llm/embed", #"{"text":"é 🎻 潮","kind":"query"}"#)
            #expect(floats(one.object["embedding"]) == hashed.vector(for: "search_query: é 🎻 潮"))
            #expect(one.object["dimensions"] as? Int == 384)
            #expect(one.object["model"] as? String == "nomic-embed-text")
            #expect(gateway.lastAsked.contains("search_query: "))
            let many = try await gateway.post(
                "/api/llm/embed", #"{"texts":["a","b"],"model":"all-minilm","kind":"document"}"#)
            let vectors = (many.object["embeddings"] as? [Any] ?? []).map(floats)
            #expect(vectors == [hashed.vector(for: "a"), hashed.vector(for: "b")])
            #expect(many.object["embedding"] == nil)
            let none = try await gateway.post("/api/llm/embed", #"{"texts":[]}"#)
            #expect(none.status == 200)
            #expect((none.object["embeddings"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func `generate answers whole, and its options reach Ollama as they are`() async throws {
        try await LiveGateway.with { gateway in
            let body = #"""
                {"prompt":"é \u2028 🎻","system":"s","temperature":0.5,"format":{"type":"object"},"keep_alive":-1,
                "options":{"num_ctx":8192,"num_predict":3}}
                """#
            let reply = try await gateway.post("/api/llm/generate", body)
            #expect(reply.status == 200)
            // The least instance of the schema.
            #expect(reply.object["response"] as? String == "{}")
            let usage = try #require(reply.object["usage"] as? [String: Any])
            #expect(usage["completion_tokens"] as? Int == 1)
            #expect((usage["durations_ms"] as? [String: Any])?["total"] as? Double == 5)
            let sent = try #require(
                try JSONSerialization.jsonObject(with: Data(gateway.lastAsked.utf8)) as? [String: Any])
            #expect(sent["prompt"] as? String == "é \u{2028} 🎻")
            #expect(sent["stream"] as? Bool == false)
            #expect(sent["keep_alive"] as? Int == -1)
            #expect((sent["options"] as? [String: Any])?["num_ctx"] as? Int == 8192)
            #expect((sent["options"] as? [String: Any])?["temperature"] as? Double == 0.5)
            #expect((sent["format"] as? [String: Any])?["type"] as? String == "object")
            #expect(gateway.fake.statistics.lastHeaders["authorization"] == nil)
        }
    }
}
