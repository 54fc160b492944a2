import GRDB
import StoreTestSupport
import TestSupport
import Testing

@testable import Storage

/// A deletion does what the tables of the other program declare, and no more.
@Suite struct ReferencesToNotes {
    private func make(_ sql: String) throws -> (TemporaryDatabase, GatewayDatabase) {
        let temporary = try TemporaryDatabase()
        try FileKind.original.make(temporary, loosely: false)
        try temporary.sql { try $0.execute(sql: sql) }
        return (temporary, try temporary.open())
    }

    private func count(_ database: GatewayDatabase, _ table: String) async throws -> Int {
        try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0 }
    }

    @Test(.slow, arguments: ["", "ON DELETE NO ACTION", "ON DELETE RESTRICT", "ON DELETE SET DEFAULT"])
    func `a table that forbids it keeps the note, and is named`(_ action: String) async throws {
        let (_, database) = try make(
            """
            CREATE TABLE invoices (id INTEGER PRIMARY KEY, about INTEGER REFERENCES raw_notes(id) \(action));
            INSERT INTO invoices (about) VALUES (1);
            """)
        do {
            _ = try await database.notes.delete(1)
            Issue.record("the note is gone")
        } catch let error as StorageError {
            #expect(error.code == .conflict)
            #expect(error.message.contains("\"invoices\""), "\(error.message)")
        }
        // All of it or nothing.
        #expect(try await count(database, "invoices") == 1)
        #expect(try await count(database, "processed_notes") == 1)
        #expect(try await count(database, "mood_history") == 2)
        #expect(try await database.notes.find(ids: [1]).count == 1)
        #expect(try await database.notes.delete(2))
        #expect(try await count(database, "mood_history") == 1)
    }

    @Test func `references are followed through tables, and by the column that they name`() async throws {
        let (_, database) = try make(
            """
            CREATE TABLE places (id INTEGER PRIMARY KEY, note TEXT REFERENCES raw_notes(content_hash) ON DELETE CASCADE);
            CREATE TABLE visits (id INTEGER PRIMARY KEY, place INTEGER REFERENCES places ON DELETE CASCADE);
            CREATE TABLE photos (id INTEGER PRIMARY KEY, visit INTEGER REFERENCES visits(id) ON DELETE SET NULL);
            INSERT INTO places VALUES (1, 'h1'), (2, 'h2'), (3, NULL), (4, '1');
            INSERT INTO visits VALUES (1, 1), (2, 2);
            INSERT INTO photos VALUES (1, 1), (2, 2);
            """)
        #expect(try await database.notes.delete(1))
        #expect(
            try await database.read { try Int.fetchAll($0, sql: "SELECT id FROM places ORDER BY id") } == [2, 3, 4])
        #expect(try await database.read { try Int.fetchAll($0, sql: "SELECT id FROM visits") } == [2])
        #expect(
            try await database.read { try Int?.fetchAll($0, sql: "SELECT visit FROM photos ORDER BY id") } == [nil, 2])
    }

    @Test func `a table that forbids it behind one that does not keeps both`() async throws {
        let (_, database) = try make(
            """
            CREATE TABLE visits (id INTEGER PRIMARY KEY, note INTEGER REFERENCES raw_notes(id) ON DELETE CASCADE);
            CREATE TABLE bills (id INTEGER PRIMARY KEY, visit INTEGER NOT NULL REFERENCES visits(id));
            CREATE TABLE tree (id INTEGER PRIMARY KEY, note INTEGER REFERENCES raw_notes(id) ON DELETE CASCADE,
                parent INTEGER REFERENCES tree(id) ON DELETE CASCADE);
            INSERT INTO visits VALUES (1, 1), (2, 2);
            INSERT INTO bills VALUES (1, 1);
            INSERT INTO tree VALUES (1, 2, NULL), (2, NULL, 1);
            """)
        await #expect(throws: StorageError.self) { try await database.notes.delete(1) }
        #expect(try await count(database, "visits") == 2)
        #expect(try await database.notes.delete(2))
        #expect(try await count(database, "visits") == 1)
        #expect(try await count(database, "tree") == 0)
    }
}
