import Foundation
import GRDB
import GatewayAPI
import StoreTestSupport
import Testing

@testable import Storage

/// What a file keeps of notes that change or go.
@Suite struct NoteHistoryTests {
    private let file: TemporaryDatabase

    init() throws { file = try TemporaryDatabase() }

    private func draft(_ content: String, _ name: String = "vault/a.md", tags: [String] = []) -> NoteDraft {
        NoteDraft(
            title: "Tide", content: content, createdAt: 86_400, threads: ["Sea"], tags: tags, externalID: name,
            source: "markdown")
    }

    @Test func `an ingest that changes a note keeps what it was, and one that changes nothing keeps nothing`()
        async throws
    {
        let database = try file.open()
        _ = try await database.notes.insert([draft("one")])
        let id = try #require(try await database.notes.byExternalID()["vault/a.md"])
        #expect(try await database.notes.insert([draft("one")]).unchanged == 1)
        #expect(try await database.noteHistory.versions(of: id).isEmpty)
        _ = try await database.notes.insert([draft("two")])
        _ = try await database.notes.insert([draft("two", tags: ["sea"])])
        let versions = try await database.noteHistory.versions(of: id)
        #expect(versions.map(\.reason) == ["ingested", "ingested"] && versions.map(\.start) == ["two", "one"])
        try database.close()
    }

    @Test func `a note of another program comes back with the columns that only its file has`() async throws {
        let raw = try DatabaseQueue(path: file.path)
        try await raw.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE raw_notes (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, content TEXT NOT NULL,
                        content_hash TEXT UNIQUE NOT NULL, source_uuid TEXT, tags TEXT, created_at DATETIME NOT NULL,
                        test_run TEXT, mood INTEGER);
                    INSERT INTO raw_notes VALUES (7, 'Tide', 'at eight', 'h', 'u-1', '["sea"]', '2026-01-02 03:04:05', NULL, 3);
                    """)
        }
        try raw.close()
        let database = try file.open()
        #expect(try await database.notes.delete(7))
        #expect(try await database.notes.find(ids: [7]).isEmpty)
        #expect(try await database.noteHistory.restore(7, version: nil, revision: nil))
        let row = try await database.read { database in
            try Row.fetchOne(database, sql: "SELECT * FROM raw_notes WHERE id = 7").map { "\($0)" }
        }
        for value in [#"source_uuid:"u-1""#, "mood:3", "2026-01-02 03:04:05", "at eight", #"content_hash:"h""#] {
            #expect(row?.contains(value) == true, "\(row ?? "-")")
        }
        try database.close()
    }

    @Test func `names in sources come back unless another note has them, and threads keep their new names`()
        async throws
    {
        let database = try file.open()
        _ = try await database.notes.insert([draft("one"), draft("two", "vault/b.md")])
        let names = try await database.notes.byExternalID()
        let (first, second) = (try #require(names["vault/a.md"]), try #require(names["vault/b.md"]))
        #expect(try await database.notes.delete(first))
        #expect(try await database.notes.delete(second))
        _ = try await database.notes.insert([draft("three")])
        let new = try #require(try await database.notes.byExternalID()["vault/a.md"])
        try await database.write { try $0.execute(sql: "UPDATE threads SET name = 'Ocean' WHERE name = 'Sea'") }
        for id in [first, second] { #expect(try await database.noteHistory.restore(id, version: nil, revision: nil)) }
        #expect(try await database.notes.byExternalID() == ["vault/a.md": new, "vault/b.md": second])
        let threads = try await database.notes.find(ids: [first]).first?.threads.map(\.name)
        #expect(threads == ["Ocean"])
        try database.close()
    }

    @Test func `what is too old is erased: deleted notes after 30 days, versions after a year`() async throws {
        let database = try file.open()
        _ = try await database.notes.insert([draft("one"), draft("two", "b")])
        let names = try await database.notes.byExternalID()
        let (stays, gone) = (try #require(names["vault/a.md"]), try #require(names["b"]))
        _ = try await database.notes.insert([draft("one again"), draft("two again", "b")])
        #expect(try await database.notes.delete(gone))
        func age(_ seconds: Int64) async throws {
            try await database.write { database in
                try database.execute(
                    sql: "UPDATE gateway_note_versions SET replaced_at = replaced_at - ?", arguments: [seconds])
            }
        }
        #expect(try await database.noteHistory.eraseExpired() == 0)
        try await age(NoteHistoryLimits.deletedLifetime + 60)
        #expect(try await database.noteHistory.deletedNotes(after: nil, limit: 10).items.isEmpty)
        #expect(try await database.noteHistory.eraseExpired() == 2)
        #expect(try await database.noteHistory.restore(gone, version: nil, revision: nil) == false)
        #expect(try await database.noteHistory.versions(of: stays).count == 1)
        try await age(NoteHistoryLimits.versionLifetime)
        #expect(try await database.noteHistory.eraseExpired() == 1)
        #expect(try await database.noteHistory.versions(of: stays).isEmpty)
        try database.close()
    }

    @Test func `large texts are kept up to a number of bytes, the newest at any size`() {
        let limit = NoteHistoryLimits.bytes
        #expect(NoteHistoryLimits.kept([limit * 2, 1]) == 1)
        #expect(NoteHistoryLimits.kept([limit / 2, limit / 2, 1]) == 2)
        #expect(NoteHistoryLimits.kept(Array(repeating: 1, count: 200)) == NoteHistoryLimits.versions)
        #expect(NoteHistoryLimits.kept([]) == 0)
    }

    @Test func `an erased text is in no file of the database`() async throws {
        let database = try file.open()
        let secret = "correct horse battery staple"
        _ = try await database.notes.insert([draft(secret)])
        let id = try #require(try await database.notes.byExternalID()["vault/a.md"])
        #expect(try await database.notes.delete(id))
        #expect(try await database.noteHistory.eraseHistory(of: id) == 1)
        try database.close()
        let bytes = try Data(contentsOf: URL(filePath: file.path))
        #expect(bytes.range(of: Data(secret.utf8)) == nil)
    }

    @Test func `rows that another program damaged do not keep the others from being read`() async throws {
        let database = try file.open()
        _ = try await database.notes.insert([draft("one")])
        let id = try #require(try await database.notes.byExternalID()["vault/a.md"])
        _ = try await database.notes.insert([draft("two")])
        _ = try await database.notes.insert([draft("three")])
        try await database.write { database in
            try database.execute(
                sql:
                    "UPDATE gateway_note_versions SET record = x'ff' WHERE id = (SELECT max(id) FROM gateway_note_versions)"
            )
        }
        #expect(try await database.noteHistory.versions(of: id).map(\.start) == ["one"])
        try database.close()
    }
}
