import Foundation
import GRDB
import GatewayAPI
import Machine
import StoreTestSupport
import TestSupport
import Testing

@testable import Storage

/// Another program's change of its tables takes our triggers along; they come back, and nothing is lost.
@Suite struct TriggersOfFiles {
    private func filled(_ kind: FileKind = .existing) async throws -> (TemporaryDatabase, GatewayDatabase, StoredSpace)
    {
        let temporary = try TemporaryDatabase()
        try kind.make(temporary, loosely: false)
        let database = try temporary.open()
        let space = try await database.spaces.ensure(
            EmbeddingSpace(model: "m", digest: "d", dimensions: 2, queryPrefix: "", documentPrefix: ""))
        try await database.spaces.activate(space.id)
        try await database.queue.reconcile(for: space.id)
        try await embed(database, space)
        return (temporary, database, space)
    }

    @discardableResult
    private func embed(_ database: GatewayDatabase, _ space: StoredSpace) async throws -> [Int64] {
        let worker = WorkerName()
        var done: [Int64] = []
        while true {
            let claim = try await database.queue.claim(in: space.id, as: worker, limit: 50, lease: .seconds(60))
            if claim.isEmpty { return done.sorted() }
            done += claim.items.map(\.note.id)
            try await database.queue.complete(
                claim.items.map {
                    EmbeddingRow(noteID: $0.note.id, contentHash: $0.note.contentHash, vector: [1, 0])
                }, in: space, as: worker)
        }
    }

    private func present(_ batch: ChangeBatch) -> [Int64] {
        batch.notes.compactMap { if case .present(let note) = $0 { note.id } else { nil } }.sorted()
    }

    @Test(.slow, arguments: FileKind.allCases)
    func `a file has the triggers that it needs, and no more`(_ kind: FileKind) async throws {
        let temporary = try TemporaryDatabase()
        try kind.make(temporary, loosely: false)
        let database = try temporary.open()
        let report = try await database.inspectTriggers()
        #expect(report.isHealthy && report.unexpected.isEmpty, "\(report)")
        #expect(database.triggerRepairs == 0)
        try database.close()
        let again = try temporary.open()
        #expect(again.triggerRepairs == 0)
    }

    @Test(.slow, arguments: TableRebuild.allCases)
    func `after a rebuild of the notes, what is written is logged and enqueued as before`(
        _ rebuild: TableRebuild
    ) async throws {
        let (temporary, database, space) = try await filled()
        let before = try await database.changes.changeState().cursor
        try temporary.sql { other in
            for statement in try rebuild.statements(for: "raw_notes", in: other) { try other.execute(sql: statement) }
            // Written and deleted while no trigger watches.
            try other.execute(
                sql: """
                    INSERT INTO raw_notes (id, title, content, content_hash, created_at)
                        VALUES (50, 'unseen', 'heron', 'h50', '2026-01-01');
                    UPDATE raw_notes SET content = 'other words' WHERE id = 1;
                    DELETE FROM raw_notes WHERE id = 4;
                    """)
        }
        #expect(try await database.inspectTriggers().missing.contains("gateway_note_in"))
        let changeState = try await database.changes.changeState()
        #expect(database.triggerRepairs == 1)
        #expect(try await database.inspectTriggers().isHealthy)
        let cut = try await database.changes.since(before, in: space)
        #expect(cut.needsReload && cut.cursor > before && cut.cursor < changeState.cursor)
        // From there on the log can be followed again.
        #expect(try await !database.changes.since(cut.cursor, in: space).needsReload)
        // The queue follows in the background.
        try await database.keepTriggers()
        #expect(try await embed(database, space) == [1, 50])
        let seen = FeedReader()
        let cursor = try await database.changes.readAll(in: space) { seen.add($0) }
        #expect(seen.notes.map(\.id) == [1, 2, 50] && seen.notes.allSatisfy { $0.passages == 1 })
        #expect(cursor > changeState.cursor)
        // From here on everything is seen at once.
        try temporary.sql { other in
            try other.execute(
                sql: """
                    INSERT INTO raw_notes (id, title, content, content_hash, created_at)
                        VALUES (51, 'seen', 'wader', 'h51', '2026-01-01');
                    DELETE FROM raw_notes WHERE id = 50;
                    """)
        }
        let batch = try await database.changes.since(cursor, in: space)
        #expect(present(batch) == [51] && batch.notes.contains(.removed(id: 50)))
        #expect(try await database.spaces.embeddingCount(in: space.id) == 3)
        // The vector of the note that was deleted unseen goes later: a table may be empty for a moment only.
        let repaired = try await database.repairTriggers()
        #expect(!repaired.isRepaired)
        #expect(try await database.spaces.embeddingCount(in: space.id) == 2)
        #expect(database.triggerRepairs == 1)
    }

    @Test func `a snapshot from before another one's repair is not taken for the end of the log`() async throws {
        let (temporary, database, space) = try await filled()
        try temporary.sql { other in
            for statement in try TableRebuild.drizzle.statements(for: "raw_notes", in: other) {
                try other.execute(sql: statement)
            }
        }
        let unwatched = try await database.read { try FileLayout.version($0) }
        // Somebody else repairs between a reader's look at the log and its look at the triggers.
        let second = try temporary.open()
        #expect(second.triggerRepairs == 1)
        #expect(try await database.keepTriggers(schemaVersion: unwatched))
        let version = try await database.read { try FileLayout.version($0) }
        #expect(try await !database.keepTriggers(schemaVersion: version))
        #expect(try await embed(database, space) == [])
    }

    @Test(arguments: ["processed_notes", "thread_notes"])
    func `a rebuild of a table beside the notes is seen, too`(_ table: String) async throws {
        let (temporary, database, space) = try await filled()
        try temporary.sql { other in
            for statement in try TableRebuild.drizzle.statements(for: table, in: other) {
                try other.execute(sql: statement)
            }
        }
        let cursor = try await database.changes.changeState().cursor
        #expect(database.triggerRepairs == 1)
        try temporary.sql { try $0.execute(sql: "INSERT INTO \(table) (note_id) VALUES (2)") }
        #expect(present(try await database.changes.since(cursor, in: space)) == [2])
    }

    @Test(.slow) func `a table that is gone for a while costs no vectors`() async throws {
        let (temporary, database, space) = try await filled()
        let before = try await database.spaces.embeddingCount(in: space.id)
        let statements = Locked(try TableRebuild.withoutTransaction.statementsOfFile(temporary, "raw_notes"))
        try temporary.sql { try $0.execute(sql: statements.value[0]) }
        // There is no table of notes now.
        _ = try await database.changes.changeState()
        await #expect(throws: StorageError.self) { try await database.notes.page(limit: 5) }
        do {
            _ = try await database.notes.count()
        } catch let error as StorageError {
            #expect(error.code == .schema)
        }
        try temporary.sql { try $0.execute(sql: statements.value[1]) }
        // An empty one.
        _ = try await database.changes.changeState()
        #expect(try await database.notes.page(limit: 5).items.isEmpty)
        try temporary.sql { other in for statement in statements.value[2...] { try other.execute(sql: statement) } }
        _ = try await database.changes.changeState()
        #expect(try await database.notes.page(limit: 5).items.count == 3)
        #expect(try await database.spaces.embeddingCount(in: space.id) == before)
        try await database.keepTriggers()
        #expect(try await embed(database, space) == [])
        #expect(try await database.inspectTriggers().isHealthy)
    }

    @Test func `vectors of notes that went unseen are swept some time after a repair`() async throws {
        let (temporary, database, space) = try await filled()
        try temporary.sql { other in
            for statement in try TableRebuild.knex.statements(for: "raw_notes", in: other) {
                try other.execute(sql: statement)
            }
            try other.execute(sql: "DELETE FROM raw_notes WHERE id = 1")
        }
        _ = try await database.changes.changeState()
        _ = try await database.changes.changeState()
        #expect(try await database.spaces.embeddingCount(in: space.id) == 3)
        try temporary.sql {
            try $0.execute(
                sql: "UPDATE gateway_meta SET value = '1' WHERE key = ?", arguments: [GatewayDatabase.sweepKey])
        }
        _ = try await database.changes.changeState()
        #expect(try await database.spaces.embeddingCount(in: space.id) == 2)
    }

    @Test func `a process that ended before it enqueued what was written unseen leaves that to the next one`()
        async throws
    {
        let (temporary, database, space) = try await filled()
        try database.close()
        try temporary.sql { other in
            // As a repair leaves the file until the queue has followed.
            try Triggers.cutLog(other)
            try other.execute(
                sql: """
                    DROP TRIGGER gateway_queue_up;
                    UPDATE raw_notes SET content = 'other words' WHERE id = 1;
                    """)
            let wanted = WantedTriggers(try FileLayout(other, version: 0)).all
            for trigger in wanted where trigger.name == "gateway_queue_up" { try other.execute(sql: trigger.sql) }
        }
        let again = try temporary.open()
        #expect(again.triggerRepairs == 0)
        #expect(try await embed(again, space) == [1])
        let isDue = try await again.read { try Triggers.isEnqueuingDue($0) }
        #expect(!isDue)
    }

    @Test func `triggers that went while nobody looked are back at the next open`() async throws {
        let (temporary, database, _) = try await filled()
        try database.close()
        try temporary.sql { other in
            try other.execute(
                sql: """
                    DROP TRIGGER gateway_note_in;
                    DROP TRIGGER gateway_vector_up;
                    DROP TRIGGER gateway_queue_up;
                    CREATE TRIGGER gateway_queue_up AFTER UPDATE ON raw_notes BEGIN SELECT 1; END;
                    CREATE TRIGGER gateway_of_later AFTER UPDATE ON raw_notes BEGIN SELECT 1; END;
                    """)
        }
        let looking = try GatewayDatabase(path: temporary.path, repairsTriggers: false)
        let report = try await looking.inspectTriggers()
        #expect(report.missing == ["gateway_note_in", "gateway_vector_up"])
        #expect(report.altered == ["gateway_queue_up"] && report.unexpected == ["gateway_of_later"])
        #expect(looking.triggerRepairs == 0)
        #expect(try await looking.repairTriggers().isRepaired)
        #expect(try await looking.inspectTriggers().isHealthy)
        try looking.close()
        try temporary.sql { try $0.execute(sql: "DROP TRIGGER gateway_note_out") }
        let again = try temporary.open()
        let told = Locked<[TriggerReport]>([])
        again.observeTriggerRepairs { report in told.change { $0.append(report) } }
        #expect(told.value.map(\.missing) == [["gateway_note_out"]])
        #expect(again.triggerRepairs == 1)
    }

    @Test func `a file whose triggers an earlier version lost is reconciled when it is opened`() async throws {
        let (temporary, database, space) = try await filled()
        try database.close()
        try temporary.sql { other in
            try other.execute(
                sql: """
                    DELETE FROM grdb_migrations WHERE identifier = 'gateway-9-triggers';
                    DROP TRIGGER gateway_note_moved;
                    """)
            for statement in try TableRebuild.drizzle.statements(for: "raw_notes", in: other) {
                try other.execute(sql: statement)
            }
            try other.execute(
                sql: """
                    INSERT INTO raw_notes (id, title, content, content_hash, created_at)
                    VALUES (50, 'unseen', 'heron', 'h50', '2026-01-01')
                    """)
        }
        let again = try temporary.open()
        #expect(try await embed(again, space) == [50])
    }

    @Test func `a file of a later version keeps that version's triggers`() async throws {
        let (temporary, database, _) = try await filled()
        try temporary.sql { other in
            try other.execute(
                sql: """
                    INSERT INTO grdb_migrations VALUES ('gateway-99-future');
                    DROP TRIGGER gateway_note_in;
                    """)
        }
        _ = try await database.changes.changeState()
        #expect(database.triggerRepairs == 0)
    }

    @Test func `columns of the notes can be dropped, renamed and added`() async throws {
        let (temporary, database, space) = try await filled()
        try temporary.sql { other in
            try other.execute(
                sql: """
                    ALTER TABLE raw_notes DROP COLUMN test_run;
                    ALTER TABLE raw_notes ADD COLUMN mood TEXT;
                    ALTER TABLE raw_notes DROP COLUMN tags;
                    ALTER TABLE processed_notes RENAME COLUMN note_id TO raw_note_id;
                    UPDATE processed_notes SET concepts = '["new"]' WHERE raw_note_id = 1;
                    """)
        }
        let note = try #require(try await database.notes.find(ids: [1]).first)
        #expect(note.concepts == ["new"] && note.tags.isEmpty)
        // The note of a test run has no mark now.
        #expect(try await database.notes.count() == 4)
        let cursor = try await database.changes.changeState().cursor
        try temporary.sql { try $0.execute(sql: "UPDATE processed_notes SET concepts = '[]' WHERE raw_note_id = 1") }
        #expect(present(try await database.changes.since(cursor, in: space)) == [1])
        #expect(try await database.inspectTriggers().isHealthy)
        guard case .created = try await database.notes.create(NoteDraft(title: "a", content: "b", tags: ["x"])) else {
            Issue.record("it was a duplicate")
            return
        }
    }

    @Test func `a note that gets another id takes its old vectors and its place in the index along`() async throws {
        let (temporary, database, space) = try await filled()
        let cursor = try await database.changes.changeState().cursor
        try temporary.sql { try $0.execute(sql: "UPDATE raw_notes SET id = 70 WHERE id = 1") }
        let batch = try await database.changes.since(cursor, in: space)
        #expect(present(batch) == [70] && batch.notes.contains(.removed(id: 1)))
        #expect(try await database.spaces.embeddingCount(in: space.id) == 2)
        #expect(try await embed(database, space) == [70])
    }
}

extension TableRebuild {
    func statementsOfFile(_ temporary: TemporaryDatabase, _ table: String) throws -> [String] {
        var found: [String] = []
        try temporary.sql { found = try statements(for: table, in: $0) }
        return found
    }
}
