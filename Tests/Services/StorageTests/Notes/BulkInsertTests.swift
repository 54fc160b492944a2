import Foundation
import GRDB
import GatewayAPI
import StoreTestSupport
import TestSupport
import Testing

@testable import Storage

/// A bulk of drafts leaves the rows that plain statements leave, one draft after another, whatever the file is like.
@Suite struct BulkInsertTests {
    /// Stores drafts in the slow way: by GRDB, with a statement of its own for every step.
    private struct Oracle {
        let database: Database
        var outcome = InsertOutcome()

        private var columns: [String] { get throws { try database.columns(in: "raw_notes").map(\.name) } }

        private func hash(_ draft: NoteDraft) -> String {
            ContentHash.of(title: draft.title, content: draft.content).map { String(format: "%02x", $0) }.joined()
        }

        private func first(_ sql: String, _ arguments: StatementArguments) throws -> Int64? {
            try Row.fetchOne(database, sql: sql, arguments: arguments)?.integer(0)
        }

        private func duplicate(_ draft: NoteDraft) throws -> Int64? {
            guard try columns.contains("content_hash") else { return nil }
            return try first("SELECT id FROM raw_notes WHERE content_hash = ?", [hash(draft)])
        }

        mutating func store(_ draft: NoteDraft) throws {
            if let name = draft.externalID {
                let known = try first(
                    "SELECT note_id FROM gateway_note_sources WHERE external_id = ? AND note_id IN (SELECT id FROM raw_notes)",
                    [name])
                // Several names have one note where hashes are unique: none of them overwrites it.
                let shared = try known.map { note in
                    try first(
                        "SELECT 1 FROM gateway_note_sources WHERE note_id = ? AND external_id <> ?", [note, name])
                        != nil
                }
                if let known, shared == true {
                    let isSame = try first(
                        "SELECT 1 FROM raw_notes WHERE id = ? AND title = ? AND content = ?",
                        [known, draft.title, draft.content])
                    if isSame != nil {
                        outcome.unchanged += 1
                        return
                    }
                } else if let known {
                    if try update(known, draft) { outcome.updated += 1 } else { outcome.unchanged += 1 }
                    return
                }
            } else if try duplicate(draft) != nil {
                outcome.unchanged += 1
                return
            }
            var id: Int64
            do {
                id = try insert(draft)
                outcome.inserted += 1
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                id = try #require(try duplicate(draft))
                outcome.unchanged += 1
            }
            guard let name = draft.externalID else { return }
            try database.execute(
                sql: "INSERT OR REPLACE INTO gateway_note_sources (external_id, note_id) VALUES (?, ?)",
                arguments: [name, id])
        }

        private func insert(_ draft: NoteDraft) throws -> Int64 {
            let tags = draft.tags.isEmpty ? nil : String(decoding: try JSONEncoder().encode(draft.tags), as: UTF8.self)
            let words = draft.content.split(whereSeparator: \.isWhitespace).count
            let all: [(String, (any DatabaseValueConvertible)?)] = [
                ("title", draft.title), ("content", draft.content),
                ("created_at", draft.createdAt.map(Timestamp.text)), ("content_hash", hash(draft)),
                ("source_type", draft.source), ("word_count", words), ("character_count", draft.content.count),
                ("tags", tags), ("status", "pending"),
            ]
            let columns = try columns
            let values = all.filter { columns.contains($0.0) }
            try database.execute(
                sql: """
                    INSERT INTO raw_notes (\(values.map(\.0).joined(separator: ", ")))
                    VALUES (\(values.map { _ in "?" }.joined(separator: ", ")))
                    """, arguments: StatementArguments(values.map(\.1)))
            let id = database.lastInsertedRowID
            _ = try analyse(id, draft)
            return id
        }

        private func update(_ id: Int64, _ draft: NoteDraft) throws -> Bool {
            let old = try #require(
                try Row.fetchOne(database, sql: "SELECT * FROM raw_notes WHERE id = ?", arguments: [id]))
            let created = draft.createdAt.map(Timestamp.text) ?? old["created_at"] as String
            var isChanged = false
            if old["title"] != draft.title || old["content"] != draft.content || old["created_at"] != created {
                isChanged = true
                try database.execute(
                    sql: "UPDATE raw_notes SET title = ?, content = ?, created_at = ? WHERE id = ?",
                    arguments: [draft.title, draft.content, created, id])
                if old.hasColumn("content_hash") {
                    try database.execute(
                        sql: "UPDATE OR IGNORE raw_notes SET content_hash = ? WHERE id = ?",
                        arguments: [hash(draft), id])
                }
            }
            let tags = draft.tags.isEmpty ? nil : String(decoding: try JSONEncoder().encode(draft.tags), as: UTF8.self)
            if old.hasColumn("tags"), old["tags"] as String? != tags {
                isChanged = true
                try database.execute(sql: "UPDATE raw_notes SET tags = ? WHERE id = ?", arguments: [tags, id])
            }
            return try analyse(id, draft) || isChanged
        }

        private func analyse(_ id: Int64, _ draft: NoteDraft) throws -> Bool {
            guard let type = draft.noteType else { return false }
            let old = try Row.fetchOne(
                database, sql: "SELECT note_type FROM processed_notes WHERE note_id = ?", arguments: [id])
            if let old, old["note_type"] as String? == type { return false }
            try database.execute(
                sql: old == nil
                    ? "INSERT INTO processed_notes (note_type, note_id) VALUES (?, ?)"
                    : "UPDATE processed_notes SET note_type = ? WHERE note_id = ?", arguments: [type, id])
            return true
        }
    }

    private func drafts(_ random: inout SeededGenerator, _ count: Int) -> [NoteDraft] {
        let titles = ["", "a", "tide", "Größe", "it's \"so\"", "nul\u{0}rest", "\u{0}", "line\r\nend", "e\u{301}"]
        let contents = titles + ["long " + String(repeating: "word ", count: 300), "👩‍👩‍👧 x", " ", "a/b\\c"]
        let tags = [[], ["x"], ["a", "b c"], ["ü"], ["\"quoted\""], ["a/b"], ["back\\slash", "tab\t"], [""]]
        return (0..<count).map { _ in
            NoteDraft(
                title: titles.randomElement(using: &random) ?? "",
                content: contents.randomElement(using: &random) ?? "",
                createdAt: Int64.random(in: -1_000_000_000...4_000_000_000, using: &random),
                noteType: Bool.random(using: &random) ? nil : ["idea", "task"].randomElement(using: &random),
                tags: tags.randomElement(using: &random) ?? [],
                externalID: Int.random(in: 0..<4, using: &random) == 0
                    ? nil : "id \(Int.random(in: 0..<60, using: &random))",
                source: "jsonl")
        }
    }

    /// All rows that a bulk writes, without the time of the import. Of the log of changes only its notes: the oracle
    /// analyses a note in fewer steps.
    private func rows(_ path: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { database in
            try [
                "* FROM raw_notes", "note_id, note_type FROM processed_notes", "* FROM gateway_note_sources",
                "DISTINCT note_id FROM gateway_changes", "* FROM gateway_embedding_queue",
            ].flatMap { rows in
                try Row.fetchAll(database, sql: "SELECT \(rows) ORDER BY 1").map { row in
                    rows + row.map { $0 == "imported_at" ? "" : " \($0)=\($1.storage)" }.joined()
                }
            }
        }
    }

    /// Files of other programs.
    private static let layouts = [
        "", "CREATE UNIQUE INDEX one_hash ON raw_notes (content_hash);",
        "DROP INDEX raw_notes_content_hash; ALTER TABLE raw_notes DROP COLUMN content_hash;",
        "ALTER TABLE raw_notes DROP COLUMN tags; ALTER TABLE raw_notes DROP COLUMN word_count;",
        """
        CREATE TABLE theirs (note INTEGER PRIMARY KEY, title TEXT UNIQUE);
        CREATE TRIGGER theirs_in AFTER INSERT ON raw_notes BEGIN
            INSERT OR IGNORE INTO theirs (title) VALUES (NEW.title);
        END;
        """,
        """
        INSERT INTO gateway_spaces (model, digest, dimensions, query_prefix, document_prefix, chunker_version,
            created_at, is_filled) VALUES ('m', 'd', 2, '', '', 0, '2026-01-01', 1);
        """,
    ]

    @Test(.slow, arguments: 0..<12)
    func `a bulk leaves the rows of single statements`(seed: Int) async throws {
        let layout = Self.layouts[seed % Self.layouts.count]
        let (fast, slow) = (try TemporaryDatabase(), try TemporaryDatabase())
        for file in [fast, slow] {
            let made = try file.open()
            try await made.write { try $0.execute(sql: layout) }
            try made.close()
        }
        let (database, other) = (try fast.open(), try slow.open())
        var random = SeededGenerator(UInt64(seed))
        for _ in 0..<4 {
            let drafts = drafts(&random, 40)
            let outcome = try await database.notes.insert(drafts)
            let expected = try await other.write { connection in
                var oracle = Oracle(database: connection)
                for draft in drafts { try oracle.store(draft.storable) }
                return oracle.outcome
            }
            #expect(outcome == expected)
        }
        try database.close()
        try other.close()
        let (found, expected) = (try rows(fast.path), try rows(slow.path))
        #expect(found.count > 20)
        #expect(found.count == expected.count)
        #expect(zip(found, expected).first { $0 != $1 }.map { "\($0), expected \($1)" } == nil)
    }

    @Test func `after a bulk and a close the file alone has the notes`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let drafts = (0..<300).map { NoteDraft(title: "note \($0)", content: "text", externalID: "\($0)") }
        _ = try await database.notes.insert(drafts)
        try database.close()
        let copy = file.path + ".copy"
        try FileManager.default.copyItem(atPath: file.path, toPath: copy)
        let queue = try DatabaseQueue(path: copy)
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM raw_notes") } == 300)
        try queue.close()
    }

    @Test func `a bulk that fails leaves nothing, and the next one works`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        try await database.write {
            try $0.execute(
                sql: """
                    CREATE TRIGGER refuse BEFORE INSERT ON raw_notes WHEN NEW.title = 'bad' BEGIN
                        SELECT RAISE(ABORT, 'no');
                    END;
                    """)
        }
        let good = NoteDraft(title: "good", content: "text", externalID: "1")
        let bad = NoteDraft(title: "bad", content: "text", externalID: "2")
        await #expect(throws: StorageError.self) { try await database.notes.insert([good, bad]) }
        #expect(try await database.notes.count() == 0)
        #expect(try await database.notes.byExternalID().isEmpty)
        let outcome = try await database.notes.insert([good, good])
        #expect(outcome.inserted == 1 && outcome.unchanged == 1 && outcome.updated == 0)
        // The writes of the connection that follow are durable in their own way.
        #expect(try await database.writeRelaxed { try Scalar.integer($0, sql: "PRAGMA synchronous") } == 1)
        #expect(try await database.write { try Scalar.integer($0, sql: "PRAGMA synchronous") } == 2)
        try database.close()
    }
}
