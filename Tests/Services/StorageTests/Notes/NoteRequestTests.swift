import Foundation
import GRDB
import GatewayAPI
import StoreTestSupport
import Testing

@testable import Storage

/// Requests that create a note and may be repeated.
@Suite struct NoteRequests {
    @Test func `a repeated request creates nothing, even when its note was changed since`() async throws {
        let database = try TemporaryDatabase().open()
        let draft = NoteDraft(title: "a", content: "b", tags: ["x"])
        let request = NoteRequest(caller: 7, key: "k")
        #expect(try await database.notes.create(draft, request: request) == .created(1))
        var change = NoteChange()
        change.content = "another"
        #expect(try await database.notes.update(1, change))
        #expect(try await database.notes.create(draft, request: request) == .created(1))
        #expect(try await database.notes.count() == 1)
        // The same words without a name, or with another one, are a new note by now.
        #expect(try await database.notes.create(draft, request: NoteRequest(caller: 8, key: "k")) == .created(2))
        #expect(try await database.notes.create(draft, request: NoteRequest(caller: 7, key: "l")) == .duplicate(2))
    }

    @Test func `a name is refused for another note, and does not revive a deleted one`() async throws {
        let database = try TemporaryDatabase().open()
        let request = NoteRequest(caller: nil, key: "k")
        let draft = NoteDraft(title: "a", content: "b", tags: ["x", "y"])
        #expect(try await database.notes.create(draft, request: request) == .created(1))
        func code(_ draft: NoteDraft) async -> StorageError.Code? {
            do { _ = try await database.notes.create(draft, request: request) } catch let error as StorageError {
                return error.code
            } catch { Issue.record(error) }
            return nil
        }
        for other in [
            NoteDraft(title: "ab", content: "", tags: ["x", "y"]), NoteDraft(title: "a", content: "b", tags: ["x"]),
            NoteDraft(title: "a", content: "b", threads: ["y"], tags: ["x"]),
            NoteDraft(title: "a", content: "b", createdAt: 1, tags: ["x", "y"]),
        ] {
            #expect(await code(other) == .reused)
        }
        #expect(try await database.notes.delete(1))
        #expect(await code(draft) == .duplicate)
        #expect(try await database.notes.count() == 0)
    }

    @Test func `requests at the same time create one note`() async throws {
        let database = try TemporaryDatabase().open()
        let made = try await withThrowingTaskGroup(of: NoteCreation.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await database.notes.create(
                        NoteDraft(title: "a", content: "b"), request: NoteRequest(caller: 1, key: "k"))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(made == Array(repeating: .created(1), count: 8))
        #expect(try await database.notes.count() == 1)
    }

    @Test func `old requests are forgotten, by age and by number`() async throws {
        let database = try TemporaryDatabase().open()
        try await database.write { database in
            for index in 0..<1100 {
                try database.execute(
                    sql: """
                        INSERT INTO gateway_note_receipts (caller, key, request, note_id, created_at)
                        VALUES (?, ?, x'00', 1, ?)
                        """,
                    arguments: [
                        index < 50 ? 2 : 1, Data("\(index)".utf8), index == 0 ? 5 : Timestamp.milliseconds / 1000,
                    ])
            }
        }
        _ = try await database.notes.create(
            NoteDraft(title: "a", content: "b"), request: NoteRequest(caller: 1, key: "k"))
        let counts = try await database.read { database in
            try [1, 2].map {
                try Scalar.integer(
                    database, sql: "SELECT count(*) FROM gateway_note_receipts WHERE caller = ?", arguments: [$0])
            }
        }
        #expect(counts == [1000, 49])
    }

    @Test(arguments: ["NULL", "'text'", "1.5", "x'00'"])
    func `a damaged receipt counts as none`(value: String) async throws {
        let database = try TemporaryDatabase().open()
        let draft = NoteDraft(title: "a", content: "b")
        let request = NoteRequest(caller: 1, key: "k")
        _ = try await database.notes.create(NoteDraft(title: "other", content: "c"))
        try await database.write { database in
            try database.execute(sql: "DROP TABLE gateway_note_receipts")
            try database.execute(
                sql: """
                    CREATE TABLE gateway_note_receipts (id INTEGER PRIMARY KEY, caller, key, request, note_id, created_at,
                        UNIQUE (caller, key));
                    INSERT INTO gateway_note_receipts (caller, key, request, note_id, created_at)
                        VALUES (1, x'\(request.key.map { String(format: "%02x", $0) }.joined())', x'00', \(value), \(value));
                    """)
        }
        #expect(try await database.notes.create(draft, request: request) == .created(2))
        #expect(try await database.notes.create(draft, request: request) == .created(2))
    }
}
