import Foundation
import GatewayAPI
import Goals
import JobRoom
import Machine
import Notes
import Storage
import TaskRoom
import TestSupport
import Testing

/// Tasks that a job finds in notes, and what a person decides about them.
@Suite struct TaskDrafts {
    private func actions(_ diary: Diary, of database: GatewayDatabase? = nil) -> ActionsService {
        ActionsService(
            store: database ?? diary.database, rule: diary.service.rule, firstWeekday: 1, now: diary.now)
    }

    /// Runs a job to its end. Returns its text.
    @discardableResult
    private func run(_ service: ActionsService, _ parameters: String = "{}") async throws -> String? {
        let worker = WorkerName()
        let job = try await service.store.jobs.begin(kind: .actions, parameters: parameters, as: worker).job
        let text = try await service.work(job) { _ in }
        _ = try await service.store.jobs.end(job.id, .done, as: worker)
        return text
    }

    private func write(_ diary: Diary, _ id: Int, _ text: String, _ date: String = "2026-11-20 10:00:00") throws {
        let text = text.replacing("'", with: "''")
        try diary.write(
            "INSERT OR REPLACE INTO raw_notes (id, title, content, created_at) VALUES (\(id), 'Note \(id)', '\(text)', '\(date)')"
        )
    }

    private func drafts(_ diary: Diary) async throws -> [TaskDraft] {
        try await diary.database.taskDrafts.page(limit: 500).items
    }

    /// What a person sees of the drafts, without ids and times.
    private func seen(_ diary: Diary) async throws -> [String] {
        try await drafts(diary).map { "\($0.source.noteID) \($0.title) \($0.due ?? "-") \($0.source.start)" }.sorted()
    }

    @Test func `a note gives a draft with its day, thread and sentence`() async throws {
        let diary = try Diary()
        try diary.write("INSERT INTO threads (id, name, created_at) VALUES (3, 'House', '2025-01-01')")
        // Half past midnight in Berlin, Saturday; in UTC it is Friday.
        try write(diary, 1, "It rained. I need to call the surveyor tomorrow.", "2026-11-20 23:30:00")
        try diary.write("INSERT INTO thread_notes (thread_id, note_id) VALUES (3, 1)")
        #expect(try await run(actions(diary)) == "1 draft of tasks in 1 note")
        let draft = try #require(try await drafts(diary).first)
        #expect(draft.title == "Call the surveyor" && draft.due == "2026-11-22")
        #expect(draft.thread == Note.ThreadReference(id: 3, name: "House"))
        #expect(draft.source.text == "I need to call the surveyor tomorrow." && draft.source.start == 11)
        #expect(draft.source.end == 48 && draft.source.title == "Note 1")
    }

    @Test(.slow) func `a second run changes nothing, and the order of notes neither`() async throws {
        let texts = (1...12).map { "Call person \($0) by Friday. Buy bread for \($0) people." }
        func seen(_ order: [Int]) async throws -> [String] {
            let diary = try Diary()
            for id in order { try write(diary, id, texts[id - 1]) }
            let service = actions(diary)
            try await run(service)
            let before = try await drafts(diary)
            #expect(try await run(service) == "0 drafts of tasks in 0 notes")
            #expect(try await drafts(diary) == before)
            return try await self.seen(diary)
        }
        let first = try await seen(Array(1...12))
        #expect(first.count == 24)
        #expect(try await seen(Array((1...12).reversed())) == first)
        #expect(try await seen([5, 2, 9, 1, 12, 3, 7, 4, 11, 6, 8, 10]) == first)
    }

    @Test func `a changed note gives its drafts anew, but not those that were declined`() async throws {
        let diary = try Diary()
        try write(diary, 1, "Call Anna by Friday. Buy bread for Theo. Send Bo the key.")
        let service = actions(diary)
        try await run(service)
        let all = try await drafts(diary)
        let ids = Dictionary(uniqueKeysWithValues: all.map { ($0.title, $0.id) })
        let bread = try #require(ids["Buy bread for Theo"])
        #expect(try await diary.database.taskDrafts.decline(bread))
        #expect(try await diary.database.taskDrafts.decline(bread))
        let anna = try #require(ids["Call Anna"])
        let changed = try await diary.database.taskDrafts.change(
            anna, TaskDraftUpdate(title: "Ring Anna", due: .set("2026-12-24")))
        #expect(changed?.title == "Ring Anna" && changed?.due == "2026-12-24")
        try write(diary, 1, "New start. Buy bread for  Theo. Call Anna  by Friday. Order the tiles by Monday.")
        #expect(try await run(service) == "1 draft of tasks in 1 note")
        // Of the three drafts one was declined, one was changed by the person and stays so, one has no sentence any more.
        #expect(try await seen(diary) == ["1 Order the tiles 2026-11-23 54", "1 Ring Anna 2026-12-24 32"])
        #expect(try await drafts(diary).contains { $0.id == anna })
        await #expect(throws: StorageError.self) {
            _ = try await diary.database.taskDrafts.change(bread, TaskDraftUpdate(title: "x"))
        }
    }

    @Test func `a confirmed draft is a task once, whoever confirms it and however often`() async throws {
        let diary = try Diary()
        try diary.write("INSERT INTO threads (id, name, created_at) VALUES (3, 'House', '2025-01-01')")
        try write(diary, 1, "Call Anna by Friday.")
        try await run(actions(diary))
        let id = try #require(try await drafts(diary).first?.id)
        await #expect(throws: StorageError.self) {
            _ = try await diary.database.taskDrafts.confirm(id, TaskDraftUpdate())
        }
        await #expect(throws: StorageError.self) {
            _ = try await diary.database.taskDrafts.confirm(id, TaskDraftUpdate(thread: 77))
        }
        let tasks = try await withThrowingTaskGroup(of: (task: TaskRecord, isNew: Bool)?.self) { group in
            for _ in 0..<8 {
                group.addTask { try await diary.database.taskDrafts.confirm(id, TaskDraftUpdate(thread: 3)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }.compactMap(\.self)
        #expect(tasks.count == 8 && Set(tasks.map(\.task)).count == 1 && tasks.filter(\.isNew).count == 1)
        let listed = try await diary.database.tasks.page(.open, limit: 10).items
        #expect(listed.map(\.title) == ["Call Anna"] && listed.map(\.due) == ["2026-11-27"])
        #expect(listed.first?.thread?.id == 3)
        #expect(try await drafts(diary).isEmpty)
        try await run(actions(diary))
        #expect(try await drafts(diary).isEmpty)
        await #expect(throws: StorageError.self) { _ = try await diary.database.taskDrafts.decline(id) }
        #expect(try await diary.database.taskDrafts.confirm(999, TaskDraftUpdate()) == nil)
    }

    @Test func `notes that are deleted or hidden, also while the job runs, have no drafts`() async throws {
        let diary = try Diary()
        for id in 1...5 { try write(diary, id, "Call person \(id) by Friday.") }
        let store = diary.database.taskDrafts
        let read = try await store.unread(since: 0, after: .min, limit: 10)
        try diary.write("DELETE FROM raw_notes WHERE id = 2", "UPDATE raw_notes SET test_run = 'x' WHERE id = 3")
        try write(diary, 4, "Nothing to do.")
        let found = read.map {
            ($0, [FoundTask(title: "Call", due: nil, source: $0.content, range: 0..<$0.content.utf8.count)])
        }
        #expect(try await store.keep(found, at: 0) == 2)
        #expect(Set(try await drafts(diary).map(\.source.noteID)) == [1, 5])
        try diary.write("DELETE FROM raw_notes WHERE id = 5")
        #expect(try await drafts(diary).map(\.source.noteID) == [1])
        try await run(actions(diary))
        #expect(try await drafts(diary).map(\.source.noteID) == [1])
        // A note that comes back with the same id is another note.
        try write(diary, 5, "Call person 5 by Friday.")
        try await run(actions(diary))
        #expect(Set(try await drafts(diary).map(\.source.noteID)) == [1, 5])
    }

    @Test(.slow) func `a run that was interrupted goes on where it was`() async throws {
        let diary = try Diary()
        for id in 1...250 { try write(diary, id, "Call person \(id) by Friday.") }
        let service = actions(diary)
        let worker = WorkerName()
        let job = try await diary.database.jobs.begin(kind: .actions, parameters: "{}", as: worker).job
        let task = Task {
            try await service.work(job) { if $0.done > 0 { withUnsafeCurrentTask { $0?.cancel() } } }
        }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(try await drafts(diary).count == 100)
        #expect(try await !diary.database.jobs.ran("actions", on: "2026-11-23"))
        #expect(try await service.work(job) { _ in } == "150 drafts of tasks in 150 notes")
        #expect(try await drafts(diary).count == 250)
    }

    @Test func `old notes are left alone, and tables of other types do no harm`() async throws {
        let diary = try Diary()
        try write(diary, 1, "Call Anna by Friday.", "2020-01-01 10:00:00")
        try write(diary, 2, "Call Bo by Friday.")
        try write(diary, 3, "Call Cy by Friday.", "2026-11-23")
        let service = actions(diary)
        try await run(service)
        #expect(try await seen(diary) == ["2 Call Bo 2026-11-27 0", "3 Call Cy 2026-11-27 0"])
        try await run(service, #"{"days":10000}"#)
        #expect(try await seen(diary).first == "1 Call Anna 2020-01-03 0")
        try diary.write(
            "UPDATE raw_notes SET content = x'ff00', title = 7 WHERE id = 2",
            "UPDATE raw_notes SET created_at = x'01' WHERE id = 3", "DROP TABLE threads", "DROP TABLE thread_tasks",
            "UPDATE gateway_task_drafts SET due = 5, thread_id = 'x' WHERE note_id = 1")
        try await run(service, #"{"days":36500}"#)
        #expect(try await drafts(diary).contains { $0.source.noteID == 1 && $0.thread == nil })
        let id = try #require(try await drafts(diary).first?.id)
        await #expect(throws: StorageError.self) {
            _ = try await diary.database.taskDrafts.confirm(id, TaskDraftUpdate(thread: 1))
        }
    }

    @Test func `another program's table of tasks gets rows that it takes`() async throws {
        let diary = try Diary()
        try diary.write(
            "INSERT INTO threads (id, name, created_at) VALUES (3, 'House', '2025-01-01')", "DROP TABLE thread_tasks",
            """
            CREATE TABLE thread_tasks (id INTEGER PRIMARY KEY, thread_id INTEGER NOT NULL,
            things_task_id TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL, completed_at TEXT)
            """)
        let tasks = diary.database.tasks
        let first = try await tasks.create(NewTask(title: "One", due: "2026-12-01", thread: 3))
        let second = try await tasks.create(NewTask(title: "Two", thread: 3))
        #expect(first.title == "One" && first.due == "2026-12-01" && second.title == "Two" && first.id != second.id)
        #expect(try await tasks.change(first.id, TaskUpdate(isDone: true))?.completedAt != nil)
    }

    @Test func `two servers do the work of a day once`() async throws {
        let diary = try Diary()
        for id in 1...30 { try write(diary, id, "Call person \(id) by Friday.") }
        let other = try GatewayDatabase(path: diary.database.path)
        let settings = NotesSettings(workflows: [.actions], briefingMinute: 7 * 60)
        let servers = [actions(diary), actions(diary, of: other)]
        for server in servers { #expect(try await server.isDue(settings)) }
        var texts: [String?] = []
        for server in servers { texts.append(try await run(server, #"{"daily":true}"#)) }
        #expect(texts == ["30 drafts of tasks in 30 notes", "the workflow ran today"])
        for server in servers { #expect(try await !server.isDue(settings)) }
        // The next day it is due again, from its time on.
        diary.setTime("2026-11-24T05:30:00Z")
        for server in servers { #expect(try await !server.isDue(settings)) }
        diary.setTime("2026-11-24T06:00:00Z")
        for server in servers { #expect(try await server.isDue(settings)) }
        let off = NotesSettings(workflows: [.briefing], briefingMinute: 0)
        for server in servers { #expect(try await !server.isDue(off)) }
        try other.close()
    }
}
