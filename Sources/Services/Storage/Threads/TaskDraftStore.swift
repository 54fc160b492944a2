import GRDB
package import GatewayAPI

/// Reads drafts of tasks, and keeps what a person decided about them.
package struct TaskDraftStore: Sendable {
    let database: GatewayDatabase

    /// Returns a page of open drafts, latest first. Drafts of hidden and deleted notes are left out.
    ///
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func page(after cursor: PageCursor? = nil, limit: Int) async throws -> Page<TaskDraft> {
        try cursor?.check(numbers: 1)
        return try await database.read { database, layout in
            let found = try TaskDraftRows(layout).fetch(
                database, "d.state = 'open' AND d.id < ? ORDER BY d.id DESC LIMIT ?",
                [cursor?.numbers[0] ?? Int64.max, limit + 1])
            return Page(found.map { ($0, PageCursor($0.id)) }, limit: limit) {
                $0.title.utf8.count + $0.source.text.utf8.count + 512
            }
        }
    }

    /// Changes an open draft.
    ///
    /// - Returns: The draft; nil when there is none.
    /// - Throws: ``StorageError``: conflict when it was decided, invalid for a thread that does not exist.
    package func change(_ id: Int64, _ update: TaskDraftUpdate) async throws -> TaskDraft? {
        try await database.write { database, layout in
            guard let state = try Self.state(id, database) else { return nil }
            guard state.name == "open" else {
                throw StorageError(.conflict, "the draft \(id) is \(state.name)")
            }
            try Self.set(id, update, database)
            if let thread = update.thread { try TaskStore.check(thread, database, layout) }
            return try TaskDraftRows(layout).fetch(database, "d.id = ? LIMIT 1", [id]).first
        }
    }

    /// Declines a draft: its sentence gives no draft again. A declined draft stays declined.
    ///
    /// - Returns: false when there is none.
    /// - Throws: ``StorageError``: conflict when it was confirmed.
    package func decline(_ id: Int64) async throws -> Bool {
        try await database.write { database in
            guard let state = try Self.state(id, database) else { return false }
            guard state.name != "confirmed" else { throw StorageError(.conflict, "the draft \(id) is confirmed") }
            try database.execute(
                sql: "UPDATE gateway_task_drafts SET state = 'declined' WHERE id = ?", arguments: [id])
            return true
        }
    }

    /// Makes a task of a draft. A draft that was confirmed before gives the same task.
    ///
    /// - Parameter update: What the person changed.
    /// - Returns: The task, and whether it is new; nil when there is no such draft.
    /// - Throws: ``StorageError``: conflict when it was declined or its task is gone, invalid without a thread.
    package func confirm(_ id: Int64, _ update: TaskDraftUpdate) async throws -> (task: TaskRecord, isNew: Bool)? {
        try await database.write { database, layout in
            guard let state = try Self.state(id, database) else { return nil }
            if state.name == "confirmed" {
                guard let task = try state.task.flatMap({ try TaskRows(layout).find(database, $0) }) else {
                    throw StorageError(.conflict, "the task of draft \(id) was deleted")
                }
                return (task, false)
            }
            guard state.name == "open" else { throw StorageError(.conflict, "the draft \(id) is \(state.name)") }
            try Self.set(id, update, database)
            guard let draft = try TaskDraftRows(layout).fetch(database, "d.id = ? LIMIT 1", [id]).first else {
                return nil
            }
            guard let thread = update.thread ?? draft.thread?.id else {
                throw StorageError(.invalid, "the source of draft \(id) is in no thread: choose one with \"thread\"")
            }
            let task = try TaskStore.insert(
                NewTask(title: draft.title, due: draft.due, thread: thread), database, layout)
            try database.execute(
                sql: "UPDATE gateway_task_drafts SET state = 'confirmed', task_id = ?, thread_id = ? WHERE id = ?",
                arguments: [task.id, thread, id])
            return (task, true)
        }
    }

    private static func state(_ id: Int64, _ database: Database) throws -> (name: String, task: Int64?)? {
        try Row.fetchOne(
            database, sql: "SELECT state, task_id FROM gateway_task_drafts WHERE id = ?", arguments: [id]
        ).flatMap { row in row.text("state").map { ($0, row.integer("task_id")) } }
    }

    private static func set(_ id: Int64, _ update: TaskDraftUpdate, _ database: Database) throws {
        guard update != TaskDraftUpdate() else { return }
        try database.execute(
            sql: """
                UPDATE gateway_task_drafts SET title = coalesce(?, title), due = CASE WHEN ? THEN due ELSE ? END,
                thread_id = coalesce(?, thread_id), is_edited = 1 WHERE id = ?
                """, arguments: [update.title, update.due.isKeep, update.due.value, update.thread, id])
    }
}

/// Reads drafts with the columns that the file has.
struct TaskDraftRows {
    private let columns: NoteColumns
    private let threads: TableColumns

    init(_ layout: FileLayout) {
        columns = layout.columns
        threads = layout.schema.threads
    }

    /// - Parameter condition: SQL after WHERE, over `d`.
    func fetch(_ database: Database, _ condition: String, _ arguments: StatementArguments) throws -> [TaskDraft] {
        let hasNames = threads.names.isSuperset(of: ["id", "name"])
        var ofNote = "NULL"
        if columns.hasThreads, hasNames, let note = columns.threadNote {
            ofNote = """
                (SELECT min(tn.thread_id) FROM thread_notes tn JOIN threads u ON u.id = tn.thread_id
                WHERE tn.\(note) = d.note_id AND typeof(tn.thread_id) = 'integer')
                """
        }
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT f.*, \(hasNames ? threads.bounded("t", "name") : "NULL") AS thread_name FROM (
                    SELECT d.id AS id, d.note_id AS note_id, \(ValueLimit.bounded("d.title", 4096)) AS title,
                        \(ValueLimit.bounded("d.due", 64)) AS due, \(ValueLimit.bounded("d.source", 65_536)) AS source,
                        d.start AS start, d.stop AS stop, d.created_at AS created_at, d.message_id AS message_id,
                        d.session_id AS session_id,
                        coalesce(d.thread_id, \(ofNote)) AS thread, \(columns.boundedRaw("title")) AS note_title
                    FROM gateway_task_drafts d LEFT JOIN raw_notes n ON n.id = d.note_id
                    WHERE (d.note_id = \(TaskDraftStore.noNote) OR n.id IS NOT NULL AND \(columns.isShown))
                        AND \(condition)) f
                \(hasNames ? "LEFT JOIN threads t ON t.id = f.thread" : "")
                """, arguments: arguments)
        var drafts: [TaskDraft] = []
        var bytes = 0
        while bytes < ValueLimit.batch, let row = try rows.next() {
            guard let id = row.integer("id"), let note = row.integer("note_id"), let title = row.text("title") else {
                continue
            }
            let source = TaskSource(
                noteID: note == TaskDraftStore.noNote ? 0 : note, message: row.integer("message_id"),
                session: row.text("session_id"), title: row.text("note_title") ?? "", text: row.text("source") ?? "",
                start: row.count("start"), end: row.count("stop"))
            var thread: Note.ThreadReference?
            if let id = row.integer("thread"), let name = row.text("thread_name") { thread = .init(id: id, name: name) }
            drafts.append(
                TaskDraft(
                    id: id, title: title, due: row.text("due"), thread: thread, source: source,
                    createdAt: Timestamp.iso8601(row.integer("created_at") ?? 0)))
            bytes += title.utf8.count + source.text.utf8.count + 512
        }
        return drafts
    }
}
