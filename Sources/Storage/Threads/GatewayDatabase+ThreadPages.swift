import Foundation
import GRDB

/// A thread as the database holds it.
public struct StoredThread: Sendable, Hashable {
    /// The row's id.
    public var id: Int64
    /// The name.
    public var name: String
    /// What it is about.
    public var why: String?
    /// What its notes say.
    public var summary: String?
    /// `active` or another word.
    public var status: String?
    /// How many of its notes are shown.
    public var noteCount: Int
    /// As it stands in the database.
    public var lastActivityAt: String?
    /// How much feeling is in it.
    public var emotionalCharge: Double?
    /// How much happens in it.
    public var momentumScore: Double?
    /// As it stands in the database.
    public var createdAt: String?
    /// As it stands in the database.
    public var updatedAt: String?
}

/// A task of a thread as the database holds it.
public struct StoredTask: Sendable, Hashable {
    /// The row's id.
    public var id: Int64
    /// The thread.
    public var thread: Int64
    /// Its name in the program that keeps tasks.
    public var thingsTaskID: String?
    /// What is to be done.
    public var title: String?
    /// As it stands in the database.
    public var createdAt: String?
    /// When it was done.
    public var completedAt: String?
}

extension GatewayDatabase {
    /// Threads whose name is compared in a fuzzy search at most.
    static let maxComparedThreads = 20_000

    /// A page of the active threads: most momentum first, then those with the latest activity.
    ///
    /// - Throws: ``StorageError``, also when the cursor is another list's.
    public func activeThreads(after cursor: PageCursor? = nil, limit: Int) async throws -> Page<StoredThread> {
        try cursor?.check(numbers: 3)
        let rows = ThreadRows(columns: columns, table: schema.threads)
        return try await read { database in
            var condition = rows.isActive
            var arguments = StatementArguments()
            if let cursor {
                condition += " AND (momentum, activity, t.id) < (?, ?, ?)"
                arguments = [
                    Double(bitPattern: UInt64(bitPattern: cursor.numbers[0])), cursor.numbers[1], cursor.numbers[2],
                ]
            }
            let found = try rows.fetch(
                database, "\(condition) ORDER BY momentum DESC, activity DESC, t.id DESC LIMIT ?",
                arguments + [limit + 1])
            return Page(found, limit: limit) { ($0.summary?.utf8.count ?? 0) + ($0.why?.utf8.count ?? 0) + 512 }
        }
    }

    /// A thread; nil when there is none of that id.
    public func thread(_ id: Int64) async throws -> StoredThread? {
        let rows = ThreadRows(columns: columns, table: schema.threads)
        return try await read { try rows.fetch($0, "t.id = ? LIMIT 1", [id]).first?.item }
    }

    /// The thread whose name fits best; of several the one with the most momentum. nil when none fits.
    public func thread(named name: String) async throws -> StoredThread? {
        let rows = ThreadRows(columns: columns, table: schema.threads)
        let best: Int64? = try await read { database in
            guard rows.table.names.isSuperset(of: ["id", "name"]) else { return nil }
            let match = ThreadNameMatch(name)
            let names = try Row.fetchCursor(
                database,
                sql: """
                    SELECT t.id, substr(t.name, 1, \(ThreadNameMatch.maxScalars)) FROM threads t WHERE typeof(t.id) = 'integer'
                    ORDER BY \(rows.momentum) DESC, t.id DESC LIMIT \(Self.maxComparedThreads)
                    """)
            var best: (id: Int64, score: Double)?
            while let row = try names.next() {
                let score = match.score(row.text(1) ?? "", beating: best?.score ?? 0)
                if score >= ThreadNameMatch.threshold, score > best?.score ?? 0 { best = (row[0], score) }
            }
            return best?.id
        }
        guard let best else { return nil }
        return try await thread(best)
    }

    /// A page of a thread's tasks, newest first.
    ///
    /// - Throws: ``StorageError``, also when the cursor is another list's.
    public func tasks(of thread: Int64, after cursor: PageCursor? = nil, limit: Int) async throws -> Page<StoredTask> {
        try cursor?.check(numbers: 2)
        let tasks = schema.tasks
        guard tasks.names.contains("thread_id") else { return Page(items: [], next: nil) }
        return try await read { database in
            let time = SQLTime.seconds(tasks.value("k", "created_at"))
            var arguments: StatementArguments = [thread]
            if let cursor { arguments += [cursor.numbers[0], cursor.numbers[1]] }
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT k.rowid AS id, \(time) AS time, \(tasks.value("k", "things_task_id")) AS things_task_id,
                        \(tasks.value("k", "title", "description")) AS title,
                        \(tasks.value("k", "created_at")) AS created_at,
                        \(tasks.value("k", "completed_at")) AS completed_at
                    FROM thread_tasks k WHERE k.thread_id = ? \(cursor == nil ? "" : "AND (time, k.rowid) < (?, ?)")
                    ORDER BY time DESC, k.rowid DESC LIMIT ?
                    """, arguments: arguments + [limit + 1])
            let items = rows.map { row in
                let id: Int64 = row["id"]
                return (
                    item: StoredTask(
                        id: id, thread: thread, thingsTaskID: row.text("things_task_id"), title: row.text("title"),
                        createdAt: row.date("created_at"), completedAt: row.date("completed_at")),
                    cursor: PageCursor(row["time"], id)
                )
            }
            return Page(items, limit: limit) { ($0.title?.utf8.count ?? 0) + 256 }
        }
    }
}

/// Reads threads from whatever columns the file has.
private struct ThreadRows {
    let columns: NoteColumns
    let table: TableColumns

    /// Threads without a score come last.
    var momentum: String { "CAST(coalesce(\(table.value("t", "momentum_score")), -1e300) AS REAL)" }

    var isActive: String { table.names.contains("status") ? "t.status = 'active'" : "1" }

    /// - Parameter condition: What follows WHERE, over `t`, `momentum` and `activity`.
    func fetch(
        _ database: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> [(item: StoredThread, cursor: PageCursor)] {
        guard table.names.contains("id") else { return [] }
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT t.id AS id, \(table.value("t", "name")) AS name, \(table.value("t", "why")) AS why,
                    \(table.value("t", "summary")) AS summary, \(table.value("t", "status")) AS status,
                    \(table.value("t", "last_activity_at")) AS last_activity_at,
                    \(table.value("t", "emotional_charge")) AS emotional_charge,
                    \(table.value("t", "momentum_score")) AS momentum_score,
                    \(table.value("t", "created_at")) AS created_at, \(table.value("t", "updated_at")) AS updated_at,
                    \(momentum) AS momentum, \(SQLTime.seconds(table.value("t", "last_activity_at"))) AS activity,
                    \(noteCount) AS note_count
                FROM threads t WHERE typeof(t.id) = 'integer' AND \(condition)
                """, arguments: arguments)
        return rows.map { row in
            let id: Int64 = row["id"]
            let momentum: Double = row["momentum"]
            return (
                item: StoredThread(
                    id: id, name: row.text("name") ?? "", why: row.text("why"), summary: row.text("summary"),
                    status: row.text("status"), noteCount: Int(row.integer("note_count") ?? 0),
                    lastActivityAt: row.date("last_activity_at"), emotionalCharge: row.real("emotional_charge"),
                    momentumScore: row.real("momentum_score"), createdAt: row.date("created_at"),
                    updatedAt: row.date("updated_at")),
                cursor: PageCursor(Int64(bitPattern: momentum.bitPattern), row["activity"], id)
            )
        }
    }

    private var noteCount: String {
        guard columns.hasThreads, let note = columns.threadNote else { return "0" }
        return """
            (SELECT count(DISTINCT n.id) FROM thread_notes tn JOIN raw_notes n ON n.id = tn.\(note)
            WHERE tn.thread_id = t.id AND \(columns.isShown))
            """
    }
}
