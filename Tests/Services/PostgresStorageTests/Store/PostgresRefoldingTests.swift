import GatewayAPI
import Retrieval
import Storage
import StoreTestSupport
import TestSupport
import Testing
import Text

@testable import PostgresStorage

/// A database that an older rule of folding wrote is folded once more when it is opened.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct PostgresRefoldingTests {
    @Test func `notes and threads of an older rule are found`() async throws {
        let stage = try await PostgresStage()
        _ = try await stage.store.notes.insert([
            NoteDraft(
                title: "a", content: "Dinner at Murphy’s in Gütersloh", threads: ["Anna’s plans"], externalID: "1"),
            NoteDraft(title: "b", content: "another", externalID: "2"),
        ])
        // As it was stored before.
        try await stage.store.write { connection in
            try await connection.run(
                "UPDATE note_words SET folded = 'a' || chr(1) || 'dinner at murphy’s in gütersloh', runs = '{}', marks = '' WHERE note_id = 1"
            )
            try await connection.run("UPDATE threads SET folded = 'anna’s plans'")
            try await connection.run("UPDATE vocabulary SET stems = ARRAY[run]")
            try await connection.run("DELETE FROM meta WHERE key = 'folding'")
        }
        let store = try PostgresStage.store(stage.uri)
        for text in ["Murphy's", "MURPHY’S", "gütersloh"] {
            let page = try await store.notes.page(NoteSelection(text: text), after: nil, limit: 10)
            #expect(page.items.map(\.title) == ["a"], "\(text)")
        }
        let rows = try await store.rows(
            """
            SELECT (SELECT value FROM meta WHERE key = 'folding'), (SELECT folded FROM threads),
                (SELECT count(*) FROM vocabulary WHERE run = 'gütersloh' AND array_length(stems, 1) = 2),
                (SELECT array_length(runs, 1) FROM note_words WHERE note_id = 1)
            """)
        #expect(rows.text(0, 0) != nil)
        #expect(rows.text(0, 1) == "anna's plans")
        #expect(rows.integer(0, 2) == 1)
        #expect(rows.integer(0, 3) == 7)
    }

    @Test func `an interrupted run goes on behind its last note`() async throws {
        let stage = try await PostgresStage()
        _ = try await stage.store.notes.insert(
            (1...4).map { NoteDraft(title: "a", content: "tide \($0)", externalID: "\($0)") })
        try await stage.store.write { connection in
            try await connection.run("UPDATE note_words SET folded = 'old'")
            try await connection.run("DELETE FROM meta WHERE key = 'folding'")
            try await connection.run(
                "INSERT INTO meta VALUES ('folding-at', $1)", [.text("\(TextFolding.version):2")])
        }
        let store = try PostgresStage.store(stage.uri)
        let rows = try await store.rows(
            """
            SELECT (SELECT string_agg(note_id::text, ',' ORDER BY note_id) FROM note_words WHERE folded = 'old'),
                (SELECT count(*) FROM meta WHERE key = 'folding-at'), (SELECT value FROM meta WHERE key = 'folding')
            """)
        #expect(rows.text(0, 0) == "1,2")
        #expect(rows.integer(0, 1) == 0)
        #expect(rows.text(0, 2) == String(TextFolding.version))
    }

    @Test func `progress of another rule does not count`() async throws {
        let stage = try await PostgresStage()
        _ = try await stage.store.notes.insert([NoteDraft(title: "a", content: "tide", externalID: "1")])
        try await stage.store.write { connection in
            try await connection.run("UPDATE note_words SET folded = 'old'")
            try await connection.run("DELETE FROM meta WHERE key = 'folding'")
            try await connection.run("INSERT INTO meta VALUES ('folding-at', '0:9')")
        }
        let store = try PostgresStage.store(stage.uri)
        let rows = try await store.rows("SELECT count(*) FROM note_words WHERE folded = 'old'")
        #expect(rows.integer(0, 0) == 0)
    }
}

/// How many notes are folded at once.
struct RefoldingBatchTests {
    @Test(
        arguments: [
            ([], 0), ([10], 1), ([1, 2, 3], 3), ([PostgresRefolding.maxBytes + 1], 1),
            ([PostgresRefolding.maxBytes * 9, 1, 1], 1), ([1, PostgresRefolding.maxBytes], 1),
            ([1, PostgresRefolding.maxBytes - 1, 1], 2),
        ] as [([Int64], Int)])
    func `a batch has so many bytes, but at least one note`(sizes: [Int64], count: Int) {
        #expect(PostgresRefolding.count(of: sizes) == count)
    }
}
