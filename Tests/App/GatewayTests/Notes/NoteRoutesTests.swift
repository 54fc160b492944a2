import FakeOllama
import Foundation
import GatewayTestSupport
import Inference
import Storage
import TestSupport
import Testing

@testable import Transport

/// Notes, threads and pairs over HTTP.
@Suite(.serialized) struct NoteRoutesOverHTTP {
    @Test(.slow, arguments: NotesPlace.allCases)
    func `lists of notes are newest first, wrapped and paged`(_ place: NotesPlace) async throws {
        try await LiveGateway.withThreeNotes(in: place) { gateway in
            let all = try await gateway.done("GET", "/api/notes")
            #expect(all.ids("notes") == [3, 2, 1])
            #expect(all.object["count"] as? Int == 3)
            #expect(all.object["next_cursor"] == nil)
            #expect(all.objects("notes")[2]["note_type"] as? String == "reference")
            let first = try await gateway.done("GET", "/api/notes?limit=2")
            let cursor = try #require(first.object["next_cursor"] as? String)
            #expect(try await gateway.done("GET", "/api/notes?limit=2&cursor=\(cursor)").ids("notes") == [1])
            #expect(try await gateway.done("GET", "/api/notes/recent").ids("notes") == [3, 2])
            #expect(try await gateway.done("GET", "/api/notes/recent?days=500&limit=1").ids("notes") == [3])
            #expect(try await gateway.done("GET", "/api/notes/recent?days=0.0001").ids("notes") == [3])
            #expect(try await gateway.done("GET", "/api/notes/since/2020-01-01").ids("notes") == [3, 2, 1])
            let escaped = try await gateway.done("GET", "/api/notes/since/2020-01-01T00%3A00%3A00%2B02%3A00?limit=1")
            #expect(escaped.object["since"] as? String == "2020-01-01T00:00:00+02:00")
            #expect(escaped.ids("notes") == [3])
            #expect(try await gateway.done("GET", "/api/notes/since/2999-01-01").ids("notes") == [])
            let one = try await gateway.done("GET", "/api/notes/2")
            #expect(one.object["content"] as? String == "the moon again, 80%")
            #expect(try await gateway.done("POST", "/api/notes/search", #"{"query":"MOON"}"#).ids("notes") == [2, 1])
            #expect(try await gateway.done("POST", "/api/notes/search", #"{"query":"80%"}"#).ids("notes") == [2])
            #expect(try await gateway.done("POST", "/api/search", #"{"query":"bread"}"#).ids == [3])
            let assigned = try await gateway.done(
                "POST", "/api/notes/thread-assignments", #"{"noteIds":[3,1,99,1]}"#)
            #expect(assigned.objects("assignments").map { $0["noteId"] as? Int } == [1, 3])
            #expect(assigned.objects("assignments").first?["threadName"] as? String == "Gauge")
            #expect(try await gateway.request("HEAD", "/api/notes").status == 200)
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `captures, changes and deletions are seen by the next retrieval`(_ place: NotesPlace) async throws {
        try await LiveGateway.withThreeNotes(in: place) { gateway in
            func found(_ word: String) async throws -> [Int] {
                try await gateway.done(
                    "POST", "/api/notes/retrieve", #"{"query":"\#(word)","mode":"keyword"}"#
                ).ids
            }
            let draft = #"{"title":"Capture","content":"zebra #stripes here","created_at":"2026-01-02T03:04:05Z"}"#
            let captured = try await gateway.done("POST", "/webhook/api/drafts", draft)
            #expect(captured.object["status"] as? String == "created")
            let again = try await gateway.done("POST", "/webhook/api/drafts", draft)
            #expect(again.object["status"] as? String == "duplicate")
            #expect(again.object["id"] as? Int == captured.object["id"] as? Int)
            #expect(try await found("zebra") == [4])
            let shown = try await gateway.done("GET", "/api/notes/4").object
            #expect(shown["tags"] as? [String] == ["stripes"])
            #expect(shown["created_at"] as? String == "2026-01-02 03:04:05")
            let hidden = try await gateway.done(
                "POST", "/webhook/api/drafts", #"{"title":"t","content":"zebra test","test_run":"r1"}"#)
            #expect(hidden.object["id"] as? Int == 5)
            #expect(try await gateway.request("GET", "/api/notes/5").status == 404)
            #expect(try await found("zebra") == [4])

            let made = try await gateway.done(
                "POST", "/api/notes",
                #"{"title":"Made","content":"quagga","noteType":"idea","tags":["a"],"threads":["New"]}"#, 201)
            #expect(made.object["note_type"] as? String == "idea")
            #expect(made.objects("threads").first?["name"] as? String == "New")
            #expect(try await found("quagga") == [6])
            let double = try await gateway.post("/api/notes", #"{"title":"Made","content":"quagga"}"#)
            #expect(double.status == 409 && double.code == "duplicate")
            let changed = try await gateway.done(
                "PUT", "/api/notes/6", #"{"content":"okapi","note_type":null,"threads":[]}"#)
            #expect(changed.object["title"] as? String == "Made")
            #expect(changed.object["note_type"] == nil)
            #expect(try await found("quagga") == [])
            #expect(try await found("okapi") == [6])
            #expect(
                try await gateway.request("PATCH", "/api/notes/6", #"{"title":"bread","content":"flour, water, salt"}"#)
                    .status == 409)
            #expect(try await gateway.done("DELETE", "/api/notes/6").object["status"] as? String == "deleted")
            #expect(try await found("okapi") == [])
            #expect(try await gateway.request("DELETE", "/api/notes/6").status == 404)
        }
    }

    @Test func `the older form of related notes answers as it did`() async throws {
        try await LiveGateway.withThreeNotes { gateway in
            try await gateway.backfill()
            let reply = try await gateway.done("POST", "/api/related-notes", #"{"noteId":1,"limit":1}"#)
            #expect(reply.ids == [2])
            #expect(reply.object["noteId"] as? Int == 1)
            #expect(try await gateway.post("/api/related-notes", #"{"noteId":99}"#).status == 404)
        }
    }

    @Test(.ofFile) func `threads come by momentum, with their notes, by name and with tasks`() async throws {
        try await LiveGateway.withThreeNotes { gateway in
            let sql = """
                UPDATE threads SET momentum_score = id; \
                INSERT INTO threads (name, status) VALUES ('Over', 'completed'); \
                INSERT INTO thread_tasks (thread_id, created_at) VALUES (1, '2026-01-01 00:00:00'); \
                INSERT INTO thread_tasks (thread_id, created_at) VALUES (1, '2026-01-02T00:00:00Z'); \
                INSERT INTO note_associations VALUES (1, 3, 0.9); \
                INSERT INTO note_associations VALUES (3, 1, 0.8); \
                INSERT INTO note_associations VALUES (1, 2, 0.75); INSERT INTO note_associations VALUES (2, 3, 0.1);
                """
            try await gateway.execute(sql)
            let list = try await gateway.done("GET", "/api/threads")
            #expect(list.ids("threads") == [2, 1])
            #expect(list.objects("threads").map { $0["note_count"] as? Int } == [1, 2])
            let cursor = try await gateway.done("GET", "/api/threads?limit=1").object["next_cursor"] as? String
            #expect(try await gateway.done("GET", "/api/threads?limit=1&cursor=\(cursor ?? "")").ids("threads") == [1])
            let one = try await gateway.done("GET", "/api/threads/1")
            #expect(one.object["name"] as? String == "Gauge")
            #expect(one.ids("notes") == [3, 1])
            let part = try await gateway.done("GET", "/api/threads/1?limit=1")
            let next = try #require(part.object["next_cursor"] as? String)
            #expect(try await gateway.done("GET", "/api/threads/1?cursor=\(next)").ids("notes") == [1])
            #expect(try await gateway.done("GET", "/api/threads/search/gua%67e").object["id"] as? Int == 1)
            #expect(try await gateway.request("GET", "/api/threads/search/quantum").status == 404)
            #expect(try await gateway.request("GET", "/api/threads/99").status == 404)
            #expect(try await gateway.done("GET", "/api/threads/1/tasks").ids("tasks") == [2, 1])
            #expect(try await gateway.request("GET", "/api/threads/99/tasks").status == 404)

            let pairs = try await gateway.done("GET", "/api/briefing/associations")
            #expect(pairs.objects("associations").map { $0["noteBId"] as? Int } == [3, 2])
            #expect(pairs.objects("associations").first?["similarity"] as? Double == 0.9)
            #expect(pairs.objects("associations").first?["noteATitle"] as? String == "tide gauge")
            let near = try await gateway.done("GET", "/api/briefing/associations?minSimilarity=0.05&limit=1")
            #expect(near.object["count"] as? Int == 1 && near.object["next_cursor"] != nil)
            try await gateway.execute("UPDATE raw_notes SET created_at = '2020-01-01 00:00:00'")
            #expect(try await gateway.done("GET", "/api/briefing/associations").object["count"] as? Int == 0)
            let older = try await gateway.done("GET", "/api/briefing/associations?recentDays=100000&minSimilarity=0")
            #expect(older.object["count"] as? Int == 3)
        }
    }

    @Test(.enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
    func `threads in PostgreSQL come by activity, with their notes and by name`() async throws {
        try await LiveGateway.withThreeNotes(in: .postgres) { gateway in
            let list = try await gateway.done("GET", "/api/threads").objects("threads")
            #expect(list.map { $0["name"] as? String } == ["Gauge", "Tables"])
            #expect(list.map { $0["note_count"] as? Int } == [2, 1])
            #expect(list.allSatisfy { $0["last_activity_at"] is String })
            let first = try await gateway.done("GET", "/api/threads?limit=1")
            #expect(first.ids("threads") == [list[0]["id"] as? Int ?? 0])
            let cursor = first.object["next_cursor"] as? String ?? ""
            let rest = try await gateway.done("GET", "/api/threads?limit=1&cursor=\(cursor)")
            #expect(rest.ids("threads") == [list[1]["id"] as? Int ?? 0] && rest.object["next_cursor"] == nil)
            let id = try #require(list[0]["id"] as? Int)
            let one = try await gateway.done("GET", "/api/threads/\(id)")
            #expect(one.objects("notes").map { $0["title"] as? String } == ["bread", "tide gauge"])
            #expect(try await gateway.done("GET", "/api/threads/search/gua%67e").object["id"] as? Int == id)
            #expect(try await gateway.done("GET", "/api/threads/\(id)/tasks").ids("tasks").isEmpty)
            #expect(try await gateway.request("GET", "/api/threads/99").status == 404)
            #expect(try await gateway.request("GET", "/api/threads?cursor=1_2").status == 400)
            // A thread without notes comes last; one that only hidden notes have shows none.
            try await gateway.done("DELETE", "/api/notes/2")
            let after = try await gateway.done("GET", "/api/threads").objects("threads")
            #expect(after.map { $0["note_count"] as? Int } == [2, 0] && after[1]["last_activity_at"] == nil)
        }
    }

    @Test(.slow) func `the description is served without a key and names every route`() async throws {
        try await LiveGateway.with(settings: ["api_token": "a-token-of-some-length"]) { gateway in
            let reply = try await gateway.done("GET", "/openapi.yaml")
            #expect(reply.head["content-type"]?.hasPrefix("application/yaml") == true)
            #expect(reply.text.hasPrefix("openapi: 3.1.0"))
            var (path, missing) = ("", [String]())
            var count = 0
            let lines = reply.text.split(separator: "\n")
            for (number, line) in lines.enumerated() {
                if line.hasPrefix("  /") || line.hasPrefix("  '/") {
                    path = line.trimmingCharacters(in: CharacterSet(charactersIn: " ':"))
                    path = path.replacing("{date}", with: "2026-01-01").replacing(/\{[a-z]+\}/, with: "1")
                }
                guard let method = line.wholeMatch(of: /\s{4}(get|put|post|patch|delete):/)?.1.uppercased() else {
                    continue
                }
                count += 1
                let answer = try await gateway.request(method, path)
                if answer.status == 405 { missing.append("\(method) \(path)") }
                let scope = lines[number...].first { $0.contains("x-selene-scope:") } ?? ""
                // The root is open to browsers only.
                let isOpen = scope.hasSuffix(" none") && path != "/"
                #expect((answer.status == 401) != isOpen, "\(method) \(path)")
            }
            #expect(missing == [])
            #expect(count > 40)
        }
    }
}
