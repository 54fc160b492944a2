import FakeOllama
import Foundation
import GRDB
import GatewayAPI
import GatewayTestSupport
import Inference
import Storage
import TestSupport
import Testing
import Transport

/// Tables that another program fills with anything, and changes while the server runs.
@Suite(.serialized, .ofFile) struct ForeignTables {
    /// Values of every type, in turn.
    private static let values = [
        "NULL", "3", "-9223372036854775808", "9223372036854775807", "1e999", "-1e999", "0.25", "'tide and moon'", "''",
        "'abc'", "CAST(x'fffe41' AS TEXT)", "'a' || char(0) || 'b'", "x''", "x'00ff80'", "zeroblob(65536)",
        "'2026-01-02T03:04:05Z'", "'[1e999]'", "'[[['", "1767323045", "x'0000c07f'", "zeroblob(10000000)",
    ]

    /// Columns that are needed for a row to be found at all, with what they hold then.
    private static let keys: [String: String] = ["note_id": "1", "thread_id": "1", "session_id": "'s'"]

    /// Rows with one odd value each, and rows of nothing else, in tables without types and constraints.
    private func fill(_ gateway: LiveGateway) async throws {
        let queue = try gateway.otherProgram()
        try await queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF")
            for table in [
                "raw_notes", "processed_notes", "threads", "thread_notes", "thread_tasks", "note_associations",
                "chat_sessions", "conversations", "conversation_memories", "device_tokens",
            ] {
                let columns = try String.fetchAll(
                    database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
                try database.execute(
                    sql: """
                        CREATE TABLE loose (\(columns.joined(separator: ", ")));
                        INSERT INTO loose SELECT * FROM \(table);
                        DROP TABLE \(table);
                        ALTER TABLE loose RENAME TO \(table);
                        """)
                var number = 0
                for (round, value) in Self.values.enumerated() {
                    // The largest value once in a table is enough.
                    let odd = value.hasPrefix("zeroblob(1") ? columns.suffix(1) : columns[...]
                    for column in odd {
                        number += 1
                        let id = table == "chat_sessions" ? "'s\(number)'" : "\(number)"
                        let row = columns.enumerated().map { index, name in
                            name == column
                                ? value : name == "id" ? id : Self.keys[name] ?? Self.values[(round + index) % 20]
                        }
                        try database.execute(sql: "INSERT INTO \(table) VALUES (\(row.joined(separator: ", ")))")
                    }
                }
            }
            try database.execute(
                sql: """
                    INSERT INTO raw_notes (id, title, content, created_at) VALUES
                        (7001, 'sound', 'a heron by the tide', '2026-01-02 03:04:05'),
                        (7002, 'sound too', 'a moon by the tide', '2026-01-03 03:04:05');
                    INSERT INTO note_associations (note_a_id, note_b_id, similarity) VALUES (7001, 7002, 0.5), (7002, 7001, 1e999);
                    """)
        }
        try queue.close()
    }

    @Test(.slow) func `every route answers over any values, and the index and the backfill get to their ends`()
        async throws
    {
        try await LiveGateway.with { gateway in
            try await fill(gateway)
            let routes: [(String, String, String?)] =
                [
                    "/health", "/metrics", "/api/admin/stats", "/api/notes?limit=200", "/api/notes/1",
                    "/api/notes/7001",
                    "/api/notes/recent?days=3650", "/api/notes/since/2000-01-01", "/api/notes/1/related",
                    "/api/notes/7001/related", "/api/threads?limit=200", "/api/threads/1", "/api/threads/1/tasks",
                    "/api/threads/search/tide", "/api/sessions?limit=200", "/api/sessions/s1", "/api/sessions/abc",
                    "/api/sessions/s/messages", "/api/messages/recent", "/api/memories?embeddings=true&limit=200",
                    "/api/briefing/associations?minSimilarity=0&recentDays=36500", "/api/jobs", "/openapi.yaml",
                ].map { ("GET", $0, nil) } + [
                    ("POST", "/api/notes/search", #"{"query":"tide","limit":50}"#),
                    ("POST", "/api/notes/search", #"{"query":"Ü"}"#),
                    ("POST", "/api/notes/retrieve", #"{"query":"tide","limit":50,"explain":true}"#),
                    ("POST", "/api/notes/retrieve", #"{"query":"heron","thread":"1"}"#),
                    ("POST", "/api/related-notes", #"{"noteId":7001}"#),
                    ("POST", "/api/notes/thread-assignments", #"{"noteIds":[1,7001]}"#),
                    ("POST", "/api/memories/retrieve", #"{"query":"tide"}"#),
                    ("POST", "/api/memories/touch", #"{"ids":[1]}"#),
                    ("PATCH", "/api/notes/7002", #"{"tags":["a"]}"#),
                    ("PUT", "/api/sessions/s", #"{"title":"t"}"#), ("GET", "/api/sessions/s", nil),
                    ("DELETE", "/api/notes/7002", nil),
                ]
            for embedded in [false, true] {
                if embedded { try await gateway.backfill() }
                for (method, path, body) in routes {
                    let reply = try await gateway.request(method, path, body)
                    #expect(
                        [200, 204, 404].contains(reply.status),
                        "\(method) \(path): \(reply.status) \(reply.text.prefix(300))")
                }
                let found = try await gateway.post("/api/notes/retrieve", #"{"query":"heron"}"#)
                #expect(found.ids.first == 7001, "\(found.text.prefix(300))")
            }
            let job = try await gateway.post("/api/briefing/associations/compute", #"{"minSimilarity":0.1}"#)
            #expect(job.status == 202, "\(job.text)")
            let ended = try await eventually {
                let jobs = try await gateway.request("GET", "/api/jobs").objects("jobs")
                return jobs.allSatisfy { $0["state"] as? String != "running" }
            }
            #expect(ended)
            let report = try await OddRowReport.of(gateway.database, limit: 1)
            #expect(report.rows.count == report.tables.count, "\(report.rows)")
        }
    }

    /// SQLite's own way to change a table, as migrations of three libraries write it.
    private static let rebuilds: [(name: String, temporary: String)] = [
        ("better-sqlite3", "new_raw_notes"), ("drizzle", "`__new_raw_notes`"), ("knex", "`_knex_temp_alter617`"),
    ]

    private func rebuild(_ gateway: LiveGateway, _ temporary: String, definition: String) async throws {
        let queue = try gateway.otherProgram()
        try await queue.writeWithoutTransaction { database in
            for statement in [
                "PRAGMA foreign_keys = OFF", "BEGIN", "CREATE TABLE \(temporary) (\(definition))",
                "INSERT INTO \(temporary) SELECT * FROM raw_notes", "DROP TABLE raw_notes",
                "ALTER TABLE \(temporary) RENAME TO raw_notes", "COMMIT",
            ] { try database.execute(sql: statement) }
        }
        try queue.close()
    }

    @Test(.slow) func `a rebuild of the notes while the server runs loses nothing that is written after it`()
        async throws
    {
        try await LiveGateway.with(settings: ["backfill": "auto"]) { gateway in
            let database = gateway.database
            _ = try await database.notes.insert(
                (0..<20).map { NoteDraft(title: "note \($0)", content: "tide \($0)", externalID: "\($0)") })
            #expect(try await eventually { try await database.spaces.embeddingCount(in: 1) == 20 })
            let definition = try await definition(of: gateway)
            var total = 20
            for (round, (name, temporary)) in Self.rebuilds.enumerated() {
                try await rebuild(gateway, temporary, definition: definition)
                let id = 500 + round
                try await gateway.execute(
                    """
                    INSERT INTO raw_notes (id, title, content, created_at)
                    VALUES (\(id), 'after', 'heron\(id)', '2026-01-02 03:04:05')
                    """)
                let found = try await eventually {
                    try await gateway.post("/api/notes/retrieve", #"{"query":"heron\#(id)","mode":"keyword"}"#).ids == [
                        id
                    ]
                }
                #expect(found, "\(name)")
                total += 1
                #expect(try await eventually { try await database.spaces.embeddingCount(in: 1) == total }, "\(name)")
                // The one before goes, with its vector.
                try await gateway.execute("DELETE FROM raw_notes WHERE id = \(round + 1)")
                total -= 1
                #expect(try await eventually { try await database.spaces.embeddingCount(in: 1) == total }, "\(name)")
            }
            let metrics = try await gateway.request("GET", "/metrics").text
            #expect(metrics.contains("selene_trigger_repairs_total 3"), "\(metrics.suffix(2000))")
            #expect(try await database.inspectTriggers().isHealthy)
        }
    }

    private func definition(of gateway: LiveGateway) async throws -> String {
        let queue = try gateway.otherProgram()
        let sql = try await queue.read {
            try String.fetchOne($0, sql: "SELECT sql FROM sqlite_master WHERE name = 'raw_notes'")
        }
        try queue.close()
        let text = try #require(sql)
        let (start, end) = (try #require(text.firstIndex(of: "(")), try #require(text.lastIndex(of: ")")))
        return String(text[text.index(after: start)..<end])
    }

    @Test func `while the table of notes is gone the server says so, and goes on when it is back`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.store.notes.insert([NoteDraft(title: "a", content: "tide")])
            try await gateway.execute("ALTER TABLE raw_notes RENAME TO elsewhere")
            for path in ["/api/notes", "/api/notes/1"] {
                let reply = try await gateway.request("GET", path)
                #expect(reply.status == 503 && reply.error.contains("another program"), "\(reply.text)")
                #expect(reply.head["Retry-After"] == "1")
            }
            #expect(try await gateway.request("GET", "/health").status == 200)
            try await gateway.execute("ALTER TABLE elsewhere RENAME TO raw_notes")
            #expect(try await gateway.request("GET", "/api/notes").status == 200)
            try await gateway.execute(
                "INSERT INTO raw_notes (title, content, created_at) VALUES ('b', 'heron', '2026-01-02')")
            #expect(try await gateway.post("/api/notes/retrieve", #"{"query":"heron"}"#).ids == [2])
        }
    }

    @Test func `infinite figures of another program are repaired, not an error`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.store.notes.insert([
                NoteDraft(title: "a", content: "tide"), NoteDraft(title: "b", content: "moon"),
            ])
            try await gateway.execute(
                """
                INSERT INTO conversation_memories (content, confidence, embedding) VALUES
                    ('likes tea', 1e999, x'0000807f'), ('likes rain', -1e999, x'0000c07f');
                INSERT INTO note_associations VALUES (1, 2, 1e999);
                INSERT INTO threads (name, momentum_score) VALUES ('endless', 1e999);
                """)
            let memories = try await gateway.done("GET", "/api/memories?embeddings=true")
            #expect(memories.objects("memories").map { $0["confidence"] as? Double } == [1, 1])
            try await gateway.done("POST", "/api/memories/retrieve", #"{"query":"tea"}"#)
            let pairs = try await gateway.done("GET", "/api/briefing/associations?minSimilarity=0")
            #expect(pairs.objects("associations").isEmpty)
            try await gateway.done("GET", "/api/threads")
        }
    }

    @Test func `a note that another table keeps is not deleted, and the table is named`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.store.notes.insert([NoteDraft(title: "a", content: "tide")])
            try await gateway.execute(
                """
                CREATE TABLE invoices (id INTEGER PRIMARY KEY, note INTEGER REFERENCES raw_notes(id) ON DELETE RESTRICT);
                INSERT INTO invoices (note) VALUES (1);
                """)
            let reply = try await gateway.done("DELETE", "/api/notes/1", nil, 409)
            #expect(reply.code == "conflict" && reply.error.contains("invoices"))
            try await gateway.done("GET", "/api/notes/1")
        }
    }
}
