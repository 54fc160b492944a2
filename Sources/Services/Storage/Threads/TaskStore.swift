import GRDB
package import GatewayAPI

/// Reads and writes tasks: the rows of `thread_tasks`, which another program may also write, and beside each what only the
/// gateway knows.
package struct TaskStore: Sendable {
    let database: GatewayDatabase

    /// Which tasks a list has.
    package enum State: String, Sendable, CaseIterable {
        case open, done, all
    }

    /// Returns a page of tasks: the earliest due day first, then those without one, newest first.
    ///
    /// - Parameter thread: Only the tasks of this thread; nil for all.
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func page(
        _ state: State, thread: Int64? = nil, after cursor: PageCursor? = nil, limit: Int
    ) async throws -> Page<TaskRecord> {
        try cursor?.check(numbers: 3)
        return try await database.read { database, layout in
            let rows = TaskRows(layout)
            var condition: String
            var arguments = StatementArguments()
            switch state {
            case .open: condition = "completed_at IS NULL"
            case .done: condition = "completed_at IS NOT NULL"
            case .all: condition = "1"
            }
            if let thread {
                condition += " AND thread_id = ?"
                arguments += [thread]
            }
            if let cursor {
                condition += " AND (due_key > ? OR due_key = ? AND (time, id) < (?, ?))"
                let numbers = cursor.numbers
                arguments += [numbers[0], numbers[0], numbers[1], numbers[2]]
            }
            let found = try rows.fetch(
                database, "\(condition) ORDER BY due_key, time DESC, id DESC LIMIT ?", arguments + [limit + 1])
            return Page(found, limit: limit) { ($0.title?.utf8.count ?? 0) + 512 }
        }
    }

    /// Returns tasks by id, in the order of `ids`. Missing tasks are left out.
    package func find(_ ids: [Int64]) async throws -> [TaskRecord] {
        let ids = Array(ids.prefix(500))
        guard !ids.isEmpty else { return [] }
        return try await database.read { database, layout in
            let found = try TaskRows(layout).fetch(
                database, "id IN (\(databaseQuestionMarks(count: ids.count))) LIMIT 500", StatementArguments(ids))
            let tasks = Dictionary(found.map { ($0.item.id, $0.item) }) { first, _ in first }
            return ids.compactMap { tasks[$0] }
        }
    }

    /// Changes a task. One that is already done or open as wanted keeps its time.
    ///
    /// - Returns: The task; nil when there is none.
    /// - Throws: ``StorageError``.
    package func change(_ id: Int64, _ update: TaskUpdate) async throws -> TaskRecord? {
        try await database.write { database, layout in
            let rows = TaskRows(layout)
            guard let task = try rows.find(database, id) else { return nil }
            if let isDone = update.isDone, (task.completedAt != nil) != isDone {
                let now = isDone ? try DateStyle.of(layout.schema.tasks, "created_at", in: database).now : nil
                if layout.schema.tasks.names.contains("completed_at") {
                    try database.execute(
                        sql: "UPDATE thread_tasks SET completed_at = ? WHERE rowid = ?", arguments: [now, id])
                } else {
                    try Self.keep("completed_at", now, of: id, database)
                }
            }
            if !update.title.isKeep { try Self.keep("title", update.title.value, of: id, database) }
            if !update.due.isKeep { try Self.keep("due", update.due.value, of: id, database) }
            return try rows.find(database, id)
        }
    }

    /// Sets a column of what only the gateway knows about a task.
    private static func keep(
        _ column: String, _ value: (some DatabaseValueConvertible)?, of id: Int64, _ database: Database
    ) throws {
        try database.execute(
            sql: """
                INSERT INTO gateway_task_details (task_id, \(column)) VALUES (?, ?)
                ON CONFLICT (task_id) DO UPDATE SET \(column) = excluded.\(column)
                """, arguments: [id, value])
    }
}

/// Reads tasks with the columns that the file has.
struct TaskRows {
    private let tasks: TableColumns
    private let threads: TableColumns

    /// The sort key of tasks without a due day.
    private static let noDue = 99_999_999

    init(_ layout: FileLayout) {
        tasks = layout.schema.tasks
        threads = layout.schema.threads
    }

    /// Returns a task; nil when there is none.
    func find(_ database: Database, _ id: Int64) throws -> TaskRecord? {
        try fetch(database, "id = ? LIMIT 1", [id]).first?.item
    }

    /// - Parameter condition: SQL after WHERE, over the selected columns.
    func fetch(
        _ database: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> [(item: TaskRecord, cursor: PageCursor)] {
        guard tasks.names.contains("thread_id") else { return [] }
        let hasNames = threads.names.isSuperset(of: ["id", "name"])
        // Where the table keeps the completion, the table alone decides.
        let completed = tasks.names.contains("completed_at") ? "k.completed_at" : "d.completed_at"
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT * FROM (SELECT k.rowid AS id, k.thread_id AS thread_id,
                    \(hasNames ? threads.bounded("t", "name") : "NULL") AS thread_name,
                    \(tasks.bounded("k", "things_task_id", limit: 65_536)) AS things_task_id,
                    coalesce(d.title, \(tasks.bounded("k", "title", "description", limit: 65_536))) AS title,
                    \(tasks.bounded("k", "created_at", limit: 64)) AS created_at,
                    \(ValueLimit.bounded(completed, 64)) AS completed_at,
                    \(SQLTime.seconds(tasks.value("k", "created_at"))) AS time, d.due AS due,
                    coalesce(CAST(replace(d.due, '-', '') AS INTEGER), \(Self.noDue)) AS due_key
                FROM thread_tasks k LEFT JOIN gateway_task_details d ON d.task_id = k.rowid
                \(hasNames ? "LEFT JOIN threads t ON t.id = k.thread_id" : ""))
                WHERE \(condition)
                """, arguments: arguments)
        var found: [(item: TaskRecord, cursor: PageCursor)] = []
        var bytes = 0
        while bytes < ValueLimit.batch, let row = try rows.next() {
            guard let id = row.integer("id") else { continue }
            var task = TaskRecord(
                id: id, title: row.text("title"), due: row.text("due"), createdAt: row.date("created_at"),
                completedAt: row.date("completed_at"), thingsTaskID: row.text("things_task_id"))
            if let thread = row.integer("thread_id"), let name = row.text("thread_name") {
                task.thread = Note.ThreadReference(id: thread, name: name)
            }
            bytes += (task.title?.utf8.count ?? 0) + 512
            let cursor = PageCursor(row.integer("due_key") ?? Int64(Self.noDue), row.integer("time") ?? 0, id)
            found.append((task, cursor))
        }
        return found
    }
}
