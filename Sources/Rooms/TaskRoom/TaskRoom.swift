package import Database
package import GatewayAPI

extension SQLStore {
    /// The tasks of threads.
    package var tasks: TaskRoom { TaskRoom(store: self) }
}

/// Reads and writes tasks: the rows of a table that in a file another program may also write, and beside each what only the
/// gateway knows.
///
/// Methods throw ``StorageError``, and a server's own error while it is away.
package struct TaskRoom: Sendable {
    let store: any SQLStore

    /// Which tasks a list has.
    package enum State: String, Sendable, CaseIterable {
        case open, done, all
    }

    /// The sort key of tasks without a due day.
    private static let noDue: Int64 = 99_999_999

    // MARK: Reading

    /// Returns a page of tasks: the earliest due day first, then those without one, newest first.
    ///
    /// - Parameter thread: Only the tasks of this thread; nil for all.
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func page(
        _ state: State, thread: Int64? = nil, after cursor: PageCursor? = nil, limit: Int
    ) async throws -> Page<TaskRecord> {
        try cursor?.check(numbers: 3)
        var (condition, values): (String, [SQLValue]) = ("1 = 1", [.count(limit + 1)])
        switch state {
        case .open: condition = "completed_at IS NULL"
        case .done: condition = "completed_at IS NOT NULL"
        case .all: break
        }
        if let thread {
            values.append(.integer(thread))
            condition += " AND thread_id = $\(values.count)"
        }
        if let numbers = cursor?.numbers {
            let next = values.count
            values += numbers.map { .integer($0) }
            condition +=
                " AND (due_key > $\(next + 1) OR due_key = $\(next + 1) AND (time, id) < ($\(next + 2), $\(next + 3)))"
        }
        let (wanted, arguments) = ("\(condition) ORDER BY due_key, time DESC, id DESC LIMIT $1", values)
        let found = try await store.snapshot { try Self.fetch($0, wanted, arguments) }
        return Page(found, limit: limit) { ($0.title?.utf8.count ?? 0) + 512 }
    }

    /// Returns a page of a thread's tasks, newest first.
    ///
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func page(
        ofThread thread: Int64, after cursor: PageCursor? = nil, limit: Int
    ) async throws -> Page<ThreadTask> {
        try cursor?.check(numbers: 2)
        let (values, next) = ([SQLValue.count(limit + 1), .integer(thread)], cursor?.numbers ?? [])
        let found = try await store.snapshot { session in
            try Self.fetch(
                session,
                "thread_id = $2 \(next.isEmpty ? "" : "AND (time, id) < ($3, $4)") ORDER BY time DESC, id DESC LIMIT $1",
                values + next.map { .integer($0) })
        }
        let rows = found.map { task, cursor in
            (
                item: ThreadTask(
                    id: task.id, threadID: thread, thingsTaskID: task.thingsTaskID, title: task.title,
                    createdAt: task.createdAt, completedAt: task.completedAt),
                cursor: PageCursor(cursor.numbers[1], task.id)
            )
        }
        return Page(rows, limit: limit) { ($0.title?.utf8.count ?? 0) + 256 }
    }

    /// Returns tasks by id, in the order of `ids`. Missing tasks are left out.
    package func find(_ ids: [Int64]) async throws -> [TaskRecord] {
        let ids = Array(ids.prefix(500))
        guard !ids.isEmpty else { return [] }
        let found = try await store.snapshot { session in
            try Self.fetch(session, "id IN \(session.dialect.numbers("$1"))", [.numbers(ids)])
        }
        let tasks = Dictionary(found.map { ($0.item.id, $0.item) }) { first, _ in first }
        return ids.compactMap { tasks[$0] }
    }

    // MARK: Writing

    /// Creates a task.
    ///
    /// - Throws: ``StorageError``: invalid for a thread that does not exist, schema for a table that cannot hold it.
    package func create(_ new: NewTask) async throws -> TaskRecord {
        try await store.transaction { try Self.insert(new, $0) }
    }

    /// Changes a task. One that is already done or open as wanted keeps its time.
    ///
    /// - Returns: The task; nil when there is none.
    package func change(_ id: Int64, _ update: TaskUpdate) async throws -> TaskRecord? {
        try await store.transaction { session in
            try session.lock("gateway_task_details")
            guard let task = try Self.find(session, id) else { return nil }
            if let isDone = update.isDone, (task.completedAt != nil) != isDone {
                let tables = try session.noteTables()
                let now = isDone ? try tables.taskTime() : nil
                if tables.keepsCompletion {
                    try tables.completeTask(id, at: now)
                } else {
                    try Self.keep("completed_at", now, of: id, session)
                }
            }
            if !update.title.isKeep { try Self.keep("title", update.title.value, of: id, session) }
            if !update.due.isKeep { try Self.keep("due", update.due.value, of: id, session) }
            return try Self.find(session, id)
        }
    }

    /// Sets a column of what only the gateway knows about a task.
    private static func keep(_ column: String, _ value: String?, of id: Int64, _ session: any SQLSession) throws {
        try session.run(
            """
            INSERT INTO gateway_task_details (task_id, \(column)) VALUES ($1, $2)
            ON CONFLICT (task_id) DO UPDATE SET \(column) = excluded.\(column)
            """, [.integer(id), .text(value)])
    }

    // MARK: Within a transaction

    /// - Throws: ``StorageError/Code/invalid`` when there is no such thread.
    static func check(_ thread: Int64, _ session: any SQLSession) throws {
        let known = try session.first(
            "SELECT 1 FROM \(try session.noteTables().threads) t WHERE t.id = $1", [.integer(thread)])
        guard known != nil else { throw StorageError(.invalid, "there is no thread \(thread)") }
    }

    /// Adds a task to the table. The gateway keeps the title and the due day beside it.
    static func insert(_ new: NewTask, _ session: any SQLSession) throws -> TaskRecord {
        try check(new.thread, session)
        let id = try session.noteTables().addTask(new.title, to: new.thread)
        try session.run(
            """
            INSERT INTO gateway_task_details (task_id, title, due) VALUES ($1, $2, $3)
            ON CONFLICT (task_id) DO UPDATE SET title = excluded.title, due = excluded.due, completed_at = NULL
            """, [.integer(id), .text(new.title), .text(new.due)])
        guard let task = try find(session, id) else {
            throw StorageError(.failed, "the task could not be read back")
        }
        return task
    }

    /// Returns a task; nil when there is none.
    static func find(_ session: any SQLSession, _ id: Int64) throws -> TaskRecord? {
        try fetch(session, "id = $1 LIMIT 1", [.integer(id)]).first?.item
    }

    /// - Parameter condition: SQL after WHERE, over the selected columns.
    private static func fetch(
        _ session: any SQLSession, _ condition: String, _ values: [SQLValue]
    ) throws -> [(item: TaskRecord, cursor: PageCursor)] {
        let (tables, words) = (try session.noteTables(), session.dialect)
        // Where the table keeps the completion, the table alone decides.
        let completed = tables.keepsCompletion ? "k.completed_at" : words.bounded("d.completed_at", 64)
        return try session.rows(
            """
            SELECT id, thread_id, thread_name, things_task_id, title, due, created_at, completed_at, due_key, time FROM (
                SELECT k.id AS id, k.thread_id AS thread_id, t.name AS thread_name, k.things_task_id AS things_task_id,
                    coalesce(d.title, k.title) AS title, d.due AS due, k.created_at AS created_at,
                    \(completed) AS completed_at, k.time AS time,
                    coalesce(CAST(replace(d.due, '-', '') AS \(words.integer)), \(noDue)) AS due_key
                FROM \(tables.tasks) k LEFT JOIN gateway_task_details d ON d.task_id = k.id
                LEFT JOIN \(tables.threads) t ON t.id = k.thread_id) AS f
            WHERE \(condition)
            """, values
        ).compactMap { row in
            guard let id = row.integer(0) else { return nil }
            var task = TaskRecord(
                id: id, title: row.text(4), due: row.text(5), createdAt: row.date(6), completedAt: row.date(7),
                thingsTaskID: row.text(3))
            if let thread = row.integer(1), let name = row.text(2) {
                task.thread = Note.ThreadReference(id: thread, name: name)
            }
            return (task, PageCursor(row.integer(8) ?? noDue, row.integer(9) ?? 0, id))
        }
    }
}
