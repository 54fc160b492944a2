import Foundation
import GRDB
import StoreTestSupport
import Testing

@testable import Storage

@Suite struct Feeds {
    func notes(_ database: GatewayDatabase) async throws -> [FeedNote] {
        let read = FeedReader()
        _ = try await database.changes.readAll(in: nil) { read.add($0) }
        return read.notes
    }

    func changed(_ database: GatewayDatabase, since cursor: ChangeCursor) async throws -> [FeedNote] {
        try await database.changes.since(cursor, in: nil).notes.compactMap {
            if case .present(let note) = $0 { note } else { nil }
        }
    }

    @Test func `notes come with their threads and tags`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        _ = try await database.notes.insert([
            NoteDraft(title: "a", content: "1", noteType: "idea", threads: ["Sea", "Work"], tags: ["x", "y z"]),
            NoteDraft(title: "b", content: "2"),
            NoteDraft(title: "c", content: "3", threads: ["Work"], tags: ["with \"quotes\"", "日本"]),
        ])
        let start = ChangeCursor(sequence: 0)
        for notes in [try await notes(database), try await changed(database, since: start)] {
            #expect(notes.map(\.threads) == [[1, 2], [], [2]])
            #expect(notes.map(\.tags) == [["x", "y z"], [], ["with \"quotes\"", "日本"]])
            #expect(notes.map(\.noteType) == ["idea", nil, nil])
            #expect(notes.map(\.title) == ["a", "b", "c"])
        }
    }

    @Test func `a note that joins, leaves or changes a thread is a change`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        _ = try await database.notes.insert((1...3).map { NoteDraft(title: "\($0)", content: "c") })
        let process = try DatabaseQueue(path: temporary.path)
        func change(_ sql: String) async throws -> [[Int64]] {
            let cursor = try await database.changes.changeState().cursor
            try await process.write { try $0.execute(sql: sql) }
            return try await changed(database, since: cursor).map { [$0.id] + $0.threads }
        }
        #expect(try await change("INSERT INTO thread_notes VALUES (5, 2), (4, 2)") == [[2, 4, 5]])
        #expect(try await change("UPDATE thread_notes SET note_id = 3 WHERE thread_id = 5") == [[2, 4], [3, 5]])
        #expect(try await change("DELETE FROM thread_notes") == [[2], [3]])
    }

    @Test func `a table of threads that takes any value goes on taking it, and the rest is read`() async throws {
        let temporary = try TemporaryDatabase()
        let process = try DatabaseQueue(path: temporary.path)
        try await process.write { database in
            try database.execute(sql: "CREATE TABLE thread_notes (thread_id INTEGER, note_id INTEGER)")
        }
        let database = try temporary.open()
        _ = try await database.notes.insert([NoteDraft(title: "1", content: "c")])
        try await process.write { database in
            try database.execute(
                sql: """
                    INSERT INTO thread_notes VALUES (1, NULL), (NULL, 1), ('x', 1), (2, 'y'), (3, 1), (3, 1), (2.5, 1);
                    UPDATE thread_notes SET note_id = 'z' WHERE note_id IS NULL;
                    DELETE FROM thread_notes WHERE note_id = 'z';
                    """)
        }
        #expect(try await notes(database).map(\.threads) == [[3]])
        #expect(try await changed(database, since: ChangeCursor(sequence: 0)).map(\.threads) == [[3]])
    }

    @Test func `files without the newer columns and tables are read as they are`() async throws {
        let temporary = try TemporaryDatabase()
        let process = try DatabaseQueue(path: temporary.path)
        try await process.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE raw_notes (id INTEGER PRIMARY KEY, title TEXT, content TEXT, created_at TEXT);
                    CREATE TABLE processed_notes (note_id INTEGER, note_type TEXT);
                    CREATE TABLE threads (id INTEGER PRIMARY KEY);
                    CREATE TABLE thread_notes (something TEXT);
                    INSERT INTO raw_notes VALUES (1, NULL, 'text', 'some day'), (2, 'title', NULL, NULL);
                    INSERT INTO processed_notes VALUES (1, 'idea'), (1, 'task');
                    INSERT INTO threads VALUES (7);
                    """)
        }
        var database = try temporary.open()
        try await process.write { try $0.execute(sql: "INSERT INTO thread_notes VALUES ('else')") }
        let expected = [
            FeedNote(id: 1, title: "", content: "text", noteType: "task"), FeedNote(id: 2, title: "title", content: ""),
        ]
        #expect(try await notes(database) == expected)
        #expect(try await database.threads.ids(matching: ["7", "title"]) == [7])
        try await process.write { try $0.execute(sql: "DROP TABLE thread_notes; DROP TABLE threads") }
        try database.close()
        database = try temporary.open()
        #expect(try await notes(database) == expected)
        #expect(try await database.threads.ids(matching: ["7"]).isEmpty)
    }

    @Test func `threads are found by id and by name without case`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        _ = try await database.notes.insert([
            NoteDraft(title: "t", content: "c", threads: ["Übung", "Sea  side", "sea  SIDE", "1", "e\u{301}"])
        ])
        #expect(try await database.threads.ids(matching: []).isEmpty)
        #expect(try await database.threads.ids(matching: ["", " ", "nothing", "99", "-1", "+2"]).isEmpty)
        #expect(try await database.threads.ids(matching: ["üBUNG "]) == [1])
        #expect(try await database.threads.ids(matching: ["SEA  SIDE"]) == [2, 3])
        #expect(try await database.threads.ids(matching: ["2", "\u{C9}"]) == [2, 5])
        #expect(try await database.threads.ids(matching: ["1"]) == [1, 4])
    }

    @Test(
        arguments: [
            ("", []), ("[]", []), (#"["a"]"#, ["a"]), (#" ["a"]"#, [#"["a"]"#]), (#"[ "a" , "b c" ] "#, ["a", "b c"]),
            (#"["a\"b","\u00e9"]"#, [#"a"b"#, "é"]), ("a, b,,c ", ["a", "b", "c"]), (#"["a",]"#, ["a"]),
            (#"["a""#, [#"["a""#]), ("[1]", ["[1]"]), (#"["a"]x"#, [#"["a"]x"#]),
        ] as [(String, [String])])
    func `lists are read in every form`(text: String, list: [String]) {
        #expect(StoredList.decode(text) == list)
    }
}
