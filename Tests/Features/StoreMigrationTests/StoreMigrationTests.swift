import Foundation
import GRDB
import GatewayAPI
import KeyRoom
import PostgresStorage
import Retrieval
import Storage
import TestSupport
import Testing

@testable import StoreMigration

/// Notes on their way between a file and PostgreSQL.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct StoreMigrationTests {
    /// Values that another program may have stored.
    private static let odd = """
        UPDATE raw_notes SET title = X'FF00FE' WHERE id = 3;
        UPDATE raw_notes SET content = X'3432' WHERE id = 4;
        UPDATE raw_notes SET created_at = 1700000000000 WHERE id = 5;
        UPDATE raw_notes SET tags = 'x, y' WHERE id = 6;
        UPDATE raw_notes SET test_run = 'run 1' WHERE id = 7;
        UPDATE raw_notes SET word_count = NULL, status = 'done', imported_at = NULL WHERE id = 8;
        UPDATE raw_notes SET title = 'nul' || char(0) || 'x', content = X'FFFE' WHERE id = 9;
        UPDATE raw_notes SET tags = 7, source_type = X'01' WHERE id = 10;
        UPDATE processed_notes SET concepts = '["c"]', sentiment_score = 0.25, actionability = 9 WHERE note_id = 1;
        INSERT INTO processed_notes (note_id, primary_theme, concepts) VALUES (2, X'00', 9e999);
        UPDATE threads SET momentum_score = 'high', last_activity_at = 5 WHERE id = 1;
        INSERT INTO raw_notes (id, title, content, created_at) VALUES (-5, '', '', ''), (4000000000, 'late', 'x', 'never');
        UPDATE gateway_embeddings SET vector = X'00' WHERE note_id = 12;
        """

    @Test(.slow) func `odd rows of another program go to PostgreSQL and come back as they were`() async throws {
        let stage = try await MoveStage(notes: 40)
        try stage.execute(Self.odd)
        let before = try MoveStage.rows(of: stage.path)
        let there = try await stage.migration().run()
        #expect(there.isEqual)
        #expect(there.notes == 42)
        #expect(there.copied == 42)
        #expect(there.equal == 42)
        let subjects = Set(there.remarks.map(\.subject))
        #expect(subjects.isSuperset(of: ["raw_notes.title", "raw_notes.content", "gateway_embeddings"]), "\(subjects)")
        // As the gateway reads them.
        let notes = try await stage.store.notes.find(ids: [1, 2, 4, 5, 7, 9])
        #expect(notes.map(\.id) == [1, 2, 4, 5, 9])
        #expect(notes.map(\.content).suffix(3) == ["42", "words of note 4, plum 4", ""])
        #expect(try await stage.database.notes.find(ids: [1, 2, 4, 5]) == Array(notes.prefix(4)))

        let path = stage.folder.path("back.sqlite")
        let back = try GatewayDatabase(path: path)
        let here = try await StoreMigration(from: stage.server, to: FileTransfer(back)).run()
        #expect(here.isEqual, "\(here.different)")
        #expect(here.equal == 42)
        #expect(try await back.spaces.active()?.space == stage.database.spaces.active()?.space)
        try back.close()
        var expected = before
        // The damaged vector is embedded again.
        expected["gateway_embeddings"]?.removeAll { $0.contains("integer12 ") }
        let after = try MoveStage.rows(of: path)
        for (table, rows) in expected { #expect(after[table] == rows, "\(table)") }
    }

    @Test func `files are known after a migration: an edit stays, and a deleted note does not return`() async throws {
        let stage = try await MoveStage()
        var (file, server) = (stage.file, stage.server)
        (file.mostIngests, server.mostIngests) = (2, 2)
        func migrate(overwrites: Bool = false) async throws {
            _ = try await StoreMigration(from: file, to: server, options: .init(overwrites: overwrites)).run()
        }
        let drafts = (1...3).map { number in
            var draft = NoteDraft(title: "file \(number)", content: "what file \(number) says")
            (draft.externalID, draft.isFile, draft.modifiedAt) = ("/v/\(number).md", true, 1_700_000_000)
            return draft
        }
        _ = try await stage.database.notes.insert(drafts)
        var change = NoteChange()
        change.content = "edited"
        #expect(try await stage.database.notes.update(1, change))
        #expect(try await stage.database.notes.delete(2))
        try await migrate()
        let before = try await stage.file.ingests(after: "")
        #expect(before.count == 3)
        #expect(try await stage.server.ingests(after: "") == before)
        let again = try await stage.store.notes.insert(drafts)
        #expect(again.inserted == 0 && again.updated == 0, "\(again)")
        #expect(try await stage.store.notes.find(ids: [1]).map(\.content) == ["edited"])
        #expect(try await stage.store.notes.count() == 2)

        // Rows that the source does not have go.
        var other = NoteDraft(title: "other", content: "of PostgreSQL")
        other.externalID = "/v/2b.md"
        _ = try await stage.store.notes.insert([other])
        try await migrate(overwrites: true)
        #expect(try await stage.server.ingests(after: "") == before)
        let back = try GatewayDatabase(path: stage.folder.path("back.sqlite"))
        _ = try await StoreMigration(from: stage.server, to: FileTransfer(back)).run()
        #expect(try await FileTransfer(back).ingests(after: "") == before)
        #expect(try await back.notes.insert(drafts).inserted == 0)
        try back.close()
    }

    @Test func `searches and the queue are ready after a migration`() async throws {
        let stage = try await MoveStage(notes: 30)
        _ = try await stage.database.notes.insert([NoteDraft(title: "without a vector", content: "quince")])
        _ = try await stage.migration().run()
        let space = try #require(try await stage.store.spaces.active())
        #expect(try await stage.store.spaces.embeddingCount(in: space.id) == 30)
        #expect(try await stage.store.queue.reconcile(for: space.id) == 1)
        let search = PostgresSearch(stage.store)
        let view = try await search.view()
        #expect(view.totals.documents == 31)
        let outcome = try await stage.store.notes.insert([NoteDraft(title: "new", content: "after the switch")])
        #expect(outcome.inserted == 1)
        #expect(try await stage.store.notes.count() == 32)
    }

    @Test(.slow) func `changes of a file in use are applied before the end`() async throws {
        let stage = try await MoveStage(notes: 900)
        let isDone = Locked(false)
        let writing = Task {
            var number = 0
            while !isDone.value {
                number += 1
                _ = try await stage.database.notes.insert([
                    NoteDraft(title: "edited \(number)", content: "again", externalID: "name/\(number * 2 % 900)"),
                    NoteDraft(title: "fresh \(number)", content: "fresh \(number)", threads: ["t \(number % 3)"]),
                ])
                try stage.execute("DELETE FROM raw_notes WHERE id = \(number * 7 % 900)")
                try await Task.sleep(for: .milliseconds(5))
            }
            return number
        }
        let busy = try await stage.migration().run()
        isDone.change { $0 = true }
        #expect(try await writing.value > 0)
        #expect(busy.notes > 0)
        let last = try await stage.migration().run()
        #expect(last.isEqual)
        #expect(last.copied == 0)
        let verified = try await stage.migration().verify()
        #expect(verified.isEqual)
        #expect(verified.equal == (try await stage.file.noteCount()))
    }

    @Test(.slow) func `a stopped migration continues after its last batch`() async throws {
        let stage = try await MoveStage(notes: 1500)
        let steps = Locked(0)
        let copied = Locked(0)
        var runs = 0
        while true {
            runs += 1
            let task = Task {
                try await stage.migration { progress in
                    guard progress.step == .copy else { return }
                    steps.change { $0 += 1 }
                    copied.change { $0 = progress.done }
                    // Every second batch ends the run.
                    if steps.value % 2 == 0 { withUnsafeCurrentTask { $0?.cancel() } }
                }.run()
            }
            guard case .success(let summary) = await task.result else { continue }
            #expect(summary.isEqual)
            #expect(summary.equal == 1500)
            break
        }
        #expect(runs > 1)
        #expect(steps.value == 6)
        #expect(copied.value == 1500)
    }

    @Test func `a log that was cut costs a comparison, not a change`() async throws {
        let stage = try await MoveStage(notes: 50)
        #expect(try await stage.migration().run().isEqual)
        try stage.execute(
            """
            UPDATE raw_notes SET content = 'unseen' WHERE id = 9;
            DELETE FROM raw_notes WHERE id = 10;
            DELETE FROM gateway_changes;
            INSERT INTO gateway_changes (note_id) VALUES (-1);
            DELETE FROM gateway_changes;
            """)
        let summary = try await stage.migration().run()
        #expect(summary.isEqual)
        #expect(summary.mended == 2)
        #expect(try await stage.store.notes.find(ids: [9, 10]).map(\.content) == ["unseen"])
    }

    @Test func `a target with notes of its own is not overwritten`() async throws {
        let stage = try await MoveStage(notes: 5)
        _ = try await stage.store.notes.insert([NoteDraft(title: "own", content: "text")])
        await #expect { try await stage.migration().run() } throws: {
            ($0 as? MigrationRefusal)?.code == .targetNotEmpty
        }
        let forced = try await stage.migration(.init(overwrites: true)).run()
        #expect(forced.isEqual)
        #expect(try await stage.store.notes.count() == 5)
        // After the switch, another run would undo what was written since.
        _ = try await stage.store.notes.insert([NoteDraft(title: "own", content: "text")])
        await #expect { try await stage.migration().run() } throws: {
            ($0 as? MigrationRefusal)?.code == .targetChanged
        }
        let difference = try await stage.migration().verify()
        #expect(difference.differences == 1)
        #expect(difference.different.count == 1)
    }

    @Test(.slow) func `notes go back into the file that they came from`() async throws {
        let stage = try await MoveStage(notes: 20)
        try stage.execute("INSERT INTO chat_sessions (id, title) VALUES ('s', 'kept')")
        _ = try await stage.migration().run()
        _ = try await stage.store.notes.insert([
            NoteDraft(title: "edited", content: "in PostgreSQL", threads: ["new thread"], externalID: "name/0"),
            NoteDraft(title: "fresh", content: "in PostgreSQL"),
        ])
        #expect(try await stage.store.notes.delete([5]) == 1)
        let summary = try await StoreMigration(from: stage.server, to: stage.file).run()
        #expect(summary.isEqual, "\(summary.different)")
        #expect(summary.mended == 3)
        let notes = try await stage.database.notes.find(ids: [1, 5, 21])
        #expect(notes.map(\.title) == ["edited", "fresh"])
        #expect(notes[0].threads.map(\.name).sorted() == ["even 0", "new thread"])
        let rows = try MoveStage.rows(of: stage.path)
        let fresh = try #require(rows["raw_notes"]?.first { $0.contains("fresh") })
        #expect(fresh.contains("'pending'"))
        #expect(try await stage.database.sessions.find("s")?.title == "kept")
        // Changes of the database are followed in this direction, too.
        _ = try await stage.store.notes.insert([NoteDraft(title: "later", content: "still", externalID: "name/2")])
        let again = try await StoreMigration(from: stage.server, to: stage.file).run()
        #expect(again.isEqual)
        #expect(again.followed == 1)
    }

    @Test(.slow) func `of two migrations into a store the newer one goes on`() async throws {
        let stage = try await MoveStage(notes: 600)
        let (other, isFirst) = (Locked<StoreMigration.Summary?>(nil), Locked(true))
        let slow = stage.migration { progress in
            guard progress.step == .copy, isFirst.value else { return }
            isFirst.change { $0 = false }
            let summary = try? await stage.migration().run()
            other.change { $0 = summary }
        }
        await #expect {
            try await slow.run()
        } throws: {
            ($0 as? PostgresError)?.code == .conflict
        }
        #expect(other.value?.isEqual == true)
    }

    @Test func `keys, their use and sessions move, and keep their names and ids`() async throws {
        let stage = try await MoveStage(notes: 1)
        let phone = try await stage.database.keys.create(
            name: "phone", grant: KeyGrant(scopes: [.notesRead], models: ["m"], requestsPerMinute: 9))
        let lost = try await stage.database.keys.create(name: "lost")
        try await stage.database.keys.revoke("lost")
        let today = UTCDay.today
        _ = try await stage.database.keys.addUsage(
            [KeyDay(key: phone.record.id, day: today): KeyUsage(requests: 3, promptTokens: 7)],
            lastUsed: [phone.record.id: 1_700_000_000], sumsOf: today)
        _ = try await stage.database.webSessions.open(
            secret: "s", owner: .key(phone.record.id), userAgent: "browser", now: 5)
        #expect(try await stage.migration().run().keys == 2)
        let stored = stage.store.keys
        #expect(try await stored.all() == (try await stage.database.keys.all()))
        let snapshot = try await stored.snapshot(of: today)
        #expect(snapshot.spent.mapValues(\.tokens) == [phone.record.id: 7])
        #expect(snapshot.sessions.map(\.userAgent) == ["browser"])
        #expect(snapshot.keys.first { $0.id == lost.record.id }?.revokedAt != nil)
        // A second run changes nothing, and new keys have new ids.
        _ = try await stage.migration().run()
        #expect(try await stored.all().count == 2)
        let fresh = try await stored.create(name: "tablet")
        #expect(fresh.record.id > lost.record.id)
    }
}
