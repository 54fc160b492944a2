import ChatRoom
import PushRoom
import AssociationRoom
import Foundation
import GRDB
import GatewayAPI
import Machine
import StoreTestSupport
import TaskRoom
import TestSupport
import Testing

@testable import Storage

/// Every column of every table that another program writes may hold anything. A value that traps ends the test run.
@Suite(.serialized) struct ForeignValues {
    /// Calls everything that reads tables of other programs, and some that write.
    ///
    /// - Parameter hasKeys: Whether no two rows of notes have one id.
    private func readEverything(_ database: GatewayDatabase, hasKeys: Bool) async throws {
        let space = try await database.spaces.ensure(
            EmbeddingSpace(model: "m", digest: "d", dimensions: 2, queryPrefix: "", documentPrefix: ""))
        _ = try await database.spaces.switch(to: space.id, atLeast: 0, isAutomatic: false)
        try await database.spaces.activate(space.id)
        var cursor: PageCursor?
        repeat {
            let page = try await database.notes.page(after: cursor, limit: 7)
            _ = try await database.notes.find(ids: page.items.map(\.id))
            cursor = page.next
        } while cursor != nil
        for text in ["tide", "Ü", "%"] { _ = try await database.notes.page(NoteSelection(text: text), limit: 50) }
        _ = try await database.notes.page(NoteSelection(since: 0, thread: 1), limit: 50)
        _ = try await database.notes.threadAssignments(of: [1, 2, 3])
        _ = try await database.notes.hasTextToEmbed()
        _ = try await database.notes.count()
        repeat {
            let page = try await database.threads.active(after: cursor, limit: 7)
            for thread in page.items { _ = try await database.tasks.page(ofThread: thread.id, limit: 20) }
            cursor = page.next
        } while cursor != nil
        _ = try await database.threads.find(1)
        _ = try await database.threads.find(named: "tide")
        _ = try await database.threads.ids(matching: ["tide 1", "3"])
        repeat {
            let page = try await database.sessions.page(after: cursor, limit: 7)
            for session in page.items { _ = try await database.messages.page(of: session.id, limit: 20) }
            cursor = page.next
        } while cursor != nil
        _ = try await database.messages.recent(limit: 100)
        repeat {
            let page = try await database.memories.page(embeddings: true, after: cursor, limit: 7)
            for memory in page.items {
                #expect(memory.confidence.isFinite)
                #expect(memory.vector?.allSatisfy(\.isFinite) != false)
            }
            cursor = page.next
        } while cursor != nil
        _ = try await database.memories.look(after: nil, limit: 1000) { _, _ in }
        repeat {
            let page = try await database.associations.page(minSimilarity: -1, since: nil, after: cursor, limit: 7)
            for pair in page.items { #expect(pair.similarity.isFinite) }
            cursor = page.next
        } while cursor != nil
        _ = try await database.associations.page(minSimilarity: 0, since: 1, limit: 50)
        _ = try await database.push.devices.tokens()
        try await embedEverything(database, space, hasKeys)
        _ = try await database.inspectTriggers()
        _ = try await OddRowReport.of(database, limit: 3)
    }

    /// The queue, the feed and the change log, to their ends.
    private func embedEverything(
        _ database: GatewayDatabase, _ space: StoredSpace, _ hasKeys: Bool
    ) async throws {
        _ = try await database.queue.pendingSize(in: nil, filter: QueueFilter(createdSince: "2020-01-01"), limit: 5)
        _ = try await database.queue.pendingSize(in: space.id, filter: QueueFilter(), limit: nil).notes
        try await database.queue.reconcile(for: space.id)
        let worker = WorkerName()
        while true {
            let claim = try await database.queue.claim(
                in: space.id, as: worker, limit: 50, maxBytes: 1 << 20, lease: .seconds(60))
            if claim.isEmpty { break }
            let rows = claim.items.map {
                EmbeddingRow(noteID: $0.note.id, contentHash: $0.note.contentHash, vector: [1, 0])
            }
            try await database.queue.complete(rows, in: space, as: worker)
        }
        if hasKeys {
            #expect(try await database.queue.pendingSize(in: space.id, filter: QueueFilter(), limit: nil).notes == 0)
        }
        let seen = FeedReader()
        let end = try await database.changes.readAll(in: space) { seen.add($0) }
        #expect(Set(seen.notes.map(\.id)).count == seen.notes.count)
        if hasKeys { #expect(seen.notes.count == (try await database.notes.count())) }
        var position = ChangeCursor(position: 0)
        while position < end {
            let batch = try await database.changes.since(position, in: space)
            if batch.needsReload { break }
            try #require(position < batch.cursor)
            position = batch.cursor
        }
    }

    @Test(.slow, arguments: FileKind.allCases, [false, true])
    func `any value anywhere is read, searched, embedded and indexed`(_ kind: FileKind, _ loosely: Bool) async throws {
        for seed in 1...2 as ClosedRange<UInt64> {
            let temporary = try TemporaryDatabase()
            try kind.make(temporary, loosely: loosely)
            var odd = OddValues(seed: seed)
            try temporary.sql { try odd.fill($0, rows: 40) }
            let database = try temporary.open()
            try await readEverything(database, hasKeys: !loosely)
            // And what is written while it is open.
            try temporary.sql { try odd.fill($0, rows: 10) }
            try await readEverything(database, hasKeys: !loosely)
            try database.close()
        }
    }

    @Test(.slow, arguments: FileKind.allCases)
    func `values of ten million bytes are read with bounds`(_ kind: FileKind) async throws {
        let temporary = try TemporaryDatabase()
        try kind.make(temporary, loosely: true)
        var odd = OddValues(seed: 11)
        try temporary.sql { try odd.fill($0, rows: 3, huge: 3) }
        let database = try temporary.open()
        try await readEverything(database, hasKeys: false)
        try temporary.sql {
            try $0.execute(
                sql: """
                    INSERT INTO raw_notes (id, title, content, created_at) VALUES
                    (501, zeroblob(10000000), 'tide', '2026-01-01'),
                    (502, 'too long', replace(hex(zeroblob(9000000)), '0', 'm'), '2026-01-01'),
                    (503, 'long', replace(hex(zeroblob(5000000)), '0', 'm'), '2026-01-01')
                    """)
        }
        let notes = try await database.notes.find(ids: [501, 502, 503])
        #expect(notes.map(\.title) == ["", "too long", "long"])
        #expect(notes.map(\.content.utf8.count) == [4, 0, 10_000_000])
        let found = try await OddRowReport.of(database, limit: 10).values.filter {
            ($0.rowID ?? 0) > 0 && $0.table == "raw_notes"
        }
        #expect(found.contains { $0.column == "title" && $0.found == "blob" })
        #expect(found.contains { $0.column == "content" && $0.found.hasPrefix("larger than") })
        try database.close()
    }

    /// Every statement of the other program does the same as in a file that we never opened.
    @Test(.slow, arguments: FileKind.allCases, [false, true])
    func `no write of the other program fails because of our triggers`(_ kind: FileKind, _ loosely: Bool) async throws {
        let (ours, theirs) = (try TemporaryDatabase(), try TemporaryDatabase())
        try kind.make(ours, loosely: loosely)
        try kind.make(theirs, loosely: loosely)
        let database = try ours.open()
        let space = try await database.spaces.ensure(
            EmbeddingSpace(model: "m", digest: "d", dimensions: 2, queryPrefix: "", documentPrefix: ""))
        try await database.spaces.activate(space.id)
        #expect(try await database.inspectTriggers().isHealthy)
        var odd = OddValues(seed: 5)
        var tables: [(table: String, columns: [String])] = []
        try theirs.sql { tables = try OddValues.columns($0) }
        var statements: [String] = []
        for clause in ["", " OR ABORT", " OR FAIL", " OR IGNORE", " OR REPLACE", " OR ROLLBACK"] {
            for (table, columns) in tables {
                for _ in 0..<12 { statements.append(odd.insertion(into: table, columns, clause: clause)) }
                for _ in 0..<6 {
                    let column = columns.randomElement(using: &odd.generator) ?? columns[0]
                    let other = columns.randomElement(using: &odd.generator) ?? columns[0]
                    statements.append(
                        "UPDATE\(clause) \(table) SET \(column) = \(odd.literal()) WHERE \(other) = \(odd.literal())")
                }
                statements.append("DELETE FROM \(table) WHERE \(columns[0]) = \(odd.literal())")
            }
        }
        func outcomes(_ file: TemporaryDatabase) throws -> [String] {
            var found: [String] = []
            try file.sql { database in
                for statement in statements {
                    do {
                        try database.execute(sql: statement)
                        found.append("done")
                    } catch let error as DatabaseError {
                        found.append("\(error.resultCode)")
                    }
                }
            }
            return found
        }
        let (left, right) = (try outcomes(ours), try outcomes(theirs))
        for (index, statement) in statements.enumerated() where left[index] != right[index] {
            Issue.record("\(left[index]) instead of \(right[index]): \(statement)")
        }
        #expect(left.contains("done"))
        try database.close()
    }

    @Test func `odd rows are counted and named`() async throws {
        let temporary = try TemporaryDatabase()
        try FileKind.existing.make(temporary, loosely: true)
        let database = try temporary.open()
        #expect(try await OddRowReport.of(database, limit: 9).counts.isEmpty)
        try temporary.sql { database in
            try database.execute(
                sql: """
                    INSERT INTO processed_notes (note_id, concepts) VALUES ('abc', '[]'), (NULL, 7), (1, CAST(x'ff' AS TEXT));
                    INSERT INTO raw_notes (id, title, content, created_at) VALUES ('x', 't', NULL, 'yesterday');
                    """)
        }
        let report = try await OddRowReport.of(database, limit: 1)
        #expect(report.rows == ["processed_notes": 3, "raw_notes": 1])
        #expect(
            report.counts.map { "\($0.table).\($0.column) \($0.values)" } == [
                "raw_notes.id 1", "raw_notes.content 1", "raw_notes.created_at 1", "processed_notes.note_id 2",
                "processed_notes.concepts 2",
            ])
        let first = try #require(report.values.first { $0.column == "note_id" })
        #expect(first.found == "text" && first.expected == "a whole number" && first.rowID != nil)
        try database.close()
    }
}
