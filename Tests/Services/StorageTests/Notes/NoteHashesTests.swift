import Foundation
import GRDB
import StoreTestSupport
import Testing

@testable import Storage

/// Duplicates of captured notes, found without reading the table.
@Suite struct NoteHashTests {
    private let file: TemporaryDatabase
    private let database: GatewayDatabase

    init() throws {
        file = try TemporaryDatabase()
        database = try file.open()
    }

    /// What the hashes say of a text, once they are loaded.
    private func known(_ title: String, _ content: String) async throws -> [Int64] {
        let hashes = database.noteHashes
        while true {
            hashes.prepare(database)
            let found = try await database.write { [database] in
                try database.noteHashes.notes(with: ContentHash.of(title: title, content: content), in: $0)
            }
            if let found { return found.sorted() }
            await Task.yield()
        }
    }

    private func create(_ title: String, _ content: String = "text") async throws -> NoteCreation {
        try await database.notes.create(NoteDraft(title: title, content: content))
    }

    @Test func `duplicates are found, whichever process wrote, changed or deleted the note`() async throws {
        #expect(try await create("a") == .created(1))
        #expect(try await known("a", "text") == [1])
        #expect(try await create("a") == .duplicate(1))
        let other = try DatabaseQueue(path: file.path)
        let insert = """
            INSERT INTO raw_notes (title, content, content_hash, created_at) VALUES (?, 'text', ?, '2026-01-01')
            """
        try await other.write { try $0.execute(sql: insert, arguments: ["theirs", "another hash"]) }
        #expect(try await create("theirs") == .duplicate(2))
        try await other.write { try $0.execute(sql: "UPDATE raw_notes SET title = 'renamed' WHERE id = 2") }
        #expect(try await create("renamed") == .duplicate(2))
        #expect(try await create("theirs") == .created(3))
        try await other.write { try $0.execute(sql: "DELETE FROM raw_notes WHERE id = 1") }
        #expect(try await create("a") == .created(4))
        // Two of one text: the first one counts, and the second when the first is gone.
        try await other.write { try $0.execute(sql: insert, arguments: ["a", "x"]) }
        #expect(try await known("a", "text") == [4, 5])
        #expect(try await create("a") == .duplicate(4))
        #expect(try await database.notes.delete(4))
        #expect(try await create("a") == .duplicate(5))
        // Other texts that embed alike are not the same note.
        #expect(try await create("", "a\ntext") == .created(6))
        #expect(try await known("a", "text") == [5, 6])
        try other.close()
    }

    @Test func `what is too far behind, or cut off, is read anew`() async throws {
        #expect(try await create("a") == .created(1))
        #expect(try await known("a", "text") == [1])
        let drafts = (0..<6000).map { NoteDraft(title: "bulk \($0)", content: "text") }
        _ = try await database.notes.insert(drafts)
        #expect(try await create("bulk 5999") == .duplicate(6001))
        #expect(try await known("bulk 17", "text") == [19])
        let other = try DatabaseQueue(path: file.path)
        try await other.write { database in
            try database.execute(
                sql: """
                    INSERT INTO raw_notes (title, content, created_at) VALUES ('unseen', 'text', '2026-01-01');
                    DELETE FROM gateway_changes;
                    """)
        }
        #expect(try await create("unseen") == .duplicate(6002))
        #expect(try await known("unseen", "text") == [6002])
        try other.close()
    }

    @Test func `what was learnt from a transaction that was rolled back is forgotten`() async throws {
        #expect(try await create("a") == .created(1))
        #expect(try await known("a", "text") == [1])
        database.noteHashes.forget()
        #expect(try await create("a") == .duplicate(1))
        #expect(try await known("a", "text") == [1])
    }
}
