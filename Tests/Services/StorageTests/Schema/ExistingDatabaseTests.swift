import Foundation
import GRDB
import GatewayAPI
import Storage
import StoreTestSupport
import Testing

@Suite struct ExistingDatabases {
    func makeExisting(_ temporary: TemporaryDatabase) throws {
        let url = try #require(
            Bundle.module.url(forResource: "existing", withExtension: "sql", subdirectory: "Fixtures"))
        let sql = try String(contentsOf: url, encoding: .utf8)
        let queue = try DatabaseQueue(path: temporary.path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    /// Definitions and rows of the tables that are not ours.
    func theirs(_ temporary: TemporaryDatabase) throws -> [String] {
        let queue = try DatabaseQueue(path: temporary.path)
        return try queue.read { database in
            var lines: [String] = []
            let tables = ["raw_notes", "processed_notes", "threads", "thread_notes"]
            for row in try Row.fetchAll(
                database,
                sql:
                    "SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'index') AND tbl_name IN (\(tables.map { "'\($0)'" }.joined(separator: ","))) ORDER BY name"
            ) {
                lines.append(row.description)
            }
            for table in tables {
                lines += try Row.fetchAll(database, sql: "SELECT * FROM \(table) ORDER BY rowid").map(\.description)
            }
            return lines
        }
    }

    @Test func `opens unchanged: tables, indexes and rows stay as they were`() async throws {
        let temporary = try TemporaryDatabase()
        try makeExisting(temporary)
        let before = try theirs(temporary)
        let database = try temporary.open()
        #expect(try await database.notes.count() == 3)
        try database.close()
        let again = try temporary.open()
        try again.close()
        #expect(try theirs(temporary) == before)
        #expect(before.count > 10)
    }

    @Test func `reads both forms of dates, lists and Unicode, and hides test runs`() async throws {
        let temporary = try TemporaryDatabase()
        try makeExisting(temporary)
        let database = try temporary.open()
        let notes = try await database.notes.find(ids: [4, 3, 1, 99, 2])
        #expect(notes.map(\.id) == [4, 1, 2])
        #expect(notes[1].tags == ["a", "b"])
        #expect(notes[2].tags == ["x", "y"])
        #expect(notes[1].concepts == ["tide", "moon"])
        #expect(notes[1].threads.map(\.name) == ["Petrel"])
        #expect(notes[2].title == "Zweite 日本")
        #expect(notes[2].content.unicodeScalars.contains("\u{301}"))
        let read = FeedReader()
        _ = try await database.changes.readAll(in: nil) { read.add($0) }
        #expect(read.times == [1: 1_767_323_045, 2: 1_767_323_045, 4: 1_767_323_045])
    }

    @Test func `new notes fit into a file that wants unique hashes and its own columns`() async throws {
        let temporary = try TemporaryDatabase()
        try makeExisting(temporary)
        let database = try temporary.open()
        let drafts = [
            NoteDraft(title: "t", content: "same", noteType: "idea", threads: ["Petrel", "New"], externalID: "a"),
            NoteDraft(title: "t", content: "same", externalID: "b"),
        ]
        let outcome = try await database.notes.insert(drafts)
        #expect(outcome.inserted == 1)
        #expect(outcome.unchanged == 1)
        let note = try #require(try await database.notes.find(ids: [5]).first)
        #expect(note.threads.map(\.name) == ["New", "Petrel"])
        #expect(note.noteType == "idea")
    }
}
