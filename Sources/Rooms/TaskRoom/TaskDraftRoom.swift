package import Database
package import GatewayAPI

extension SQLStore {
    /// The drafts of tasks.
    package var taskDrafts: TaskDraftRoom { TaskDraftRoom(store: self) }
}

/// Reads drafts of tasks, and keeps what a person decided about them.
///
/// Methods throw ``StorageError``, and a server's own error while it is away.
package struct TaskDraftRoom: Sendable {
    let store: any SQLStore

    /// Returns a page of open drafts, latest first. Drafts of hidden and deleted notes are left out.
    ///
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func page(after cursor: PageCursor? = nil, limit: Int) async throws -> Page<TaskDraft> {
        try cursor?.check(numbers: 1)
        let last = cursor?.numbers[0] ?? .max
        let found = try await store.snapshot { session in
            try Self.fetch(
                session, "d.state = 'open' AND d.id < $1 ORDER BY d.id DESC LIMIT $2",
                [.integer(last), .count(limit + 1)])
        }
        return Page(found.map { ($0, PageCursor($0.id)) }, limit: limit) {
            $0.title.utf8.count + $0.source.text.utf8.count + 512
        }
    }

    /// Returns an open draft; nil when there is none.
    package func open(_ id: Int64) async throws -> TaskDraft? {
        try await store.snapshot { try Self.fetch($0, "d.id = $1 AND d.state = 'open'", [.integer(id)]).first }
    }

    /// Changes an open draft.
    ///
    /// - Returns: The draft; nil when there is none.
    /// - Throws: ``StorageError``: conflict when it was decided, invalid for a thread that does not exist.
    package func change(_ id: Int64, _ update: TaskDraftUpdate) async throws -> TaskDraft? {
        try await store.transaction { session in
            guard let state = try Self.state(id, session) else { return nil }
            guard state.name == "open" else {
                throw StorageError(.conflict, "the draft \(id) is \(state.name)")
            }
            try Self.set(id, update, session)
            if let thread = update.thread { try TaskRoom.check(thread, session) }
            return try Self.find(id, session)
        }
    }

    /// Declines a draft: its sentence gives no draft again. A declined draft stays declined.
    ///
    /// - Returns: false when there is none.
    /// - Throws: ``StorageError``: conflict when it was confirmed.
    package func decline(_ id: Int64) async throws -> Bool {
        try await store.transaction { session in
            guard let state = try Self.state(id, session) else { return false }
            guard state.name != "confirmed" else { throw StorageError(.conflict, "the draft \(id) is confirmed") }
            try session.run("UPDATE gateway_task_drafts SET state = 'declined' WHERE id = $1", [.integer(id)])
            return true
        }
    }

    /// Makes a task of a draft. A draft that was confirmed before gives the same task.
    ///
    /// - Parameter update: What the person changed.
    /// - Returns: The task, and whether it is new; nil when there is no such draft.
    /// - Throws: ``StorageError``: conflict when it was declined or its task is gone, invalid without a thread.
    package func confirm(_ id: Int64, _ update: TaskDraftUpdate) async throws -> (task: TaskRecord, isNew: Bool)? {
        try await store.transaction { session in
            guard let state = try Self.state(id, session) else { return nil }
            if state.name == "confirmed" {
                guard let task = try state.task.flatMap({ try TaskRoom.find(session, $0) }) else {
                    throw StorageError(.conflict, "the task of draft \(id) was deleted")
                }
                return (task, false)
            }
            guard state.name == "open" else { throw StorageError(.conflict, "the draft \(id) is \(state.name)") }
            try Self.set(id, update, session)
            guard let draft = try Self.find(id, session) else { return nil }
            guard let thread = update.thread ?? draft.thread?.id else {
                throw StorageError(.invalid, "the source of draft \(id) is in no thread: choose one with \"thread\"")
            }
            let task = try TaskRoom.insert(NewTask(title: draft.title, due: draft.due, thread: thread), session)
            try session.run(
                "UPDATE gateway_task_drafts SET state = 'confirmed', task_id = $1, thread_id = $2 WHERE id = $3",
                [.integer(task.id), .integer(thread), .integer(id)])
            return (task, true)
        }
    }

    /// What was decided about a draft, which no other transaction changes meanwhile.
    private static func state(_ id: Int64, _ session: any SQLSession) throws -> (name: String, task: Int64?)? {
        try session.first(
            "SELECT state, task_id FROM gateway_task_drafts WHERE id = $1\(session.dialect.locksRows)", [.integer(id)]
        ).flatMap { row in row.text(0).map { ($0, row.integer(1)) } }
    }

    private static func set(_ id: Int64, _ update: TaskDraftUpdate, _ session: any SQLSession) throws {
        guard update != TaskDraftUpdate() else { return }
        try session.run(
            """
            UPDATE gateway_task_drafts SET title = coalesce($1, title), due = CASE WHEN $2 THEN due ELSE $3 END,
            thread_id = coalesce($4, thread_id), is_edited = 1 WHERE id = $5
            """,
            [
                .text(update.title), .bool(update.due.isKeep), .text(update.due.value), .integer(update.thread),
                .integer(id),
            ])
    }

    private static func find(_ id: Int64, _ session: any SQLSession) throws -> TaskDraft? {
        try fetch(session, "d.id = $1", [.integer(id)]).first
    }

    /// Returns drafts, latest first, without those of hidden and deleted notes.
    ///
    /// - Parameter condition: SQL after WHERE, over `d`.
    static func fetch(_ session: any SQLSession, _ condition: String, _ values: [SQLValue]) throws -> [TaskDraft] {
        let (tables, words) = (try session.noteTables(), session.dialect)
        return try session.rows(
            """
            SELECT f.id, f.note_id, f.title, f.due, f.source, f.start, f.stop, f.created_at, f.message_id, f.session_id,
                f.thread, f.note_title, t.name, f.is_box FROM (
                SELECT d.id AS id, d.note_id AS note_id, \(words.bounded("d.title", 4096)) AS title,
                    \(words.bounded("d.due", 64)) AS due, \(words.bounded("d.source", 65_536)) AS source,
                    d.start AS start, d.stop AS stop, d.created_at AS created_at, d.message_id AS message_id,
                    d.session_id AS session_id, d.is_box AS is_box, n.title AS note_title,
                    coalesce(d.thread_id, (SELECT min(m.thread_id) FROM \(tables.members) m
                        JOIN \(tables.threads) u ON u.id = m.thread_id WHERE m.note_id = d.note_id)) AS thread
                FROM gateway_task_drafts d LEFT JOIN \(tables.notes) n ON n.id = d.note_id
                WHERE (d.note_id = \(noNote) OR n.id IS NOT NULL) AND \(condition)) AS f
            LEFT JOIN \(tables.threads) t ON t.id = f.thread ORDER BY f.id DESC
            """, values
        ).compactMap { row in
            guard let id = row.integer(0), let note = row.integer(1), let title = row.text(2) else { return nil }
            let source = TaskSource(
                noteID: note == noNote ? 0 : note, message: row.integer(8), session: row.text(9),
                title: row.text(11) ?? "", text: row.text(4) ?? "", start: row.count(5), end: row.count(6))
            var thread: Note.ThreadReference?
            if let id = row.integer(10), let name = row.text(12) { thread = .init(id: id, name: name) }
            var draft = TaskDraft(
                id: id, title: title, due: row.text(3), thread: thread, source: source,
                createdAt: Timestamp.iso8601(row.integer(7) ?? 0))
            if row.integer(13) == 1 { draft.box = true }
            return draft
        }
    }
}
