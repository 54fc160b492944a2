import Database
import Foundation
import GRDB
import GatewayAPI

/// The other program's tables of notes and threads, with the columns that the file has.
struct FileNoteTables: NoteTables {
    let database: Database
    let layout: FileLayout
    let now: StoreClock

    private var columns: NoteColumns { layout.columns }
    private var schema: FileSchema { layout.schema }

    var notes: String {
        """
        (SELECT n.id AS id, \(columns.boundedRaw("title")) AS title, \(columns.boundedRaw("content")) AS content,
            \(columns.boundedRaw("created_at")) AS created_at, \(SQLTime.seconds(columns.raw("created_at"))) AS time,
            \(columns.hash) AS hash
        FROM raw_notes n WHERE \(columns.isShown))
        """
    }

    var threads: String {
        let table = schema.threads
        guard table.names.contains("id") else { return Self.none("id", "name", "is_active", "time", "why", "summary") }
        let isActive = table.names.contains("status") ? "CASE WHEN t.status = 'active' THEN 1 ELSE 0 END" : "1"
        return """
            (SELECT t.id AS id, \(table.bounded("t", "name")) AS name, \(isActive) AS is_active,
                \(SQLTime.seconds(table.value("t", "created_at"))) AS time, \(table.bounded("t", "why")) AS why,
                \(table.bounded("t", "summary")) AS summary
            FROM threads t WHERE \(table.hasNumber("t")))
            """
    }

    var members: String {
        guard columns.hasThreads, let note = columns.threadNote else { return Self.none("thread_id", "note_id") }
        return """
            (SELECT thread_id, \(note) AS note_id FROM thread_notes
            WHERE typeof(thread_id) = 'integer' AND typeof(\(note)) = 'integer')
            """
    }

    var tasks: String {
        let table = schema.tasks
        guard table.names.contains("thread_id") else {
            return Self.none("id", "thread_id", "things_task_id", "title", "created_at", "completed_at", "time")
        }
        return """
            (SELECT k.rowid AS id, k.thread_id AS thread_id,
                \(table.bounded("k", "things_task_id", limit: 65_536)) AS things_task_id,
                \(table.bounded("k", "title", "description", limit: 65_536)) AS title,
                \(table.bounded("k", "created_at", limit: 64)) AS created_at,
                \(table.bounded("k", "completed_at", limit: 64)) AS completed_at,
                \(SQLTime.seconds(table.value("k", "created_at"))) AS time
            FROM thread_tasks k)
            """
    }

    var pairs: String {
        guard let pairTable else { return Self.none("note_a_id", "note_b_id", "similarity") }
        return """
            (SELECT note_a_id, note_b_id, \(ValueLimit.finite(pairTable.similarity, else: "-1e300")) AS similarity
            FROM note_associations WHERE typeof(note_a_id) = 'integer' AND typeof(note_b_id) = 'integer')
            """
    }

    var pairTable: (name: String, similarity: String)? {
        guard let column = schema.similarity, schema.associations.names.isSuperset(of: ["note_a_id", "note_b_id"])
        else { return nil }
        return ("note_associations", column)
    }

    var keepsCompletion: Bool { schema.tasks.names.contains("completed_at") }

    func threadNames(limit: Int) throws -> [(id: Int64, name: String)] {
        let threads = schema.threads
        guard threads.names.isSuperset(of: ["id", "name"]) else { return [] }
        return try database.compiledRows(
            """
            SELECT t.id, \(threads.bounded("t", "name", limit: 1024)) FROM threads t WHERE typeof(t.id) = 'integer'
            ORDER BY \(ValueLimit.finite(threads.value("t", "momentum_score"), else: "-1e300")) DESC, t.id DESC
            LIMIT ?
            """, [limit]
        ).compactMap { row in
            guard let id = row.integer(0), let name = row.text(1) else { return nil }
            return (id, name)
        }
    }

    func makeThread(_ name: String, why: String, summary: String?, _ notes: [Int64]) throws -> Int64 {
        try ThreadWriter(layout, database).make(name, why: why, summary: summary, notes, database)
    }

    func add(_ notes: [Int64], to thread: Int64) throws {
        try ThreadWriter(layout, database).add(notes, to: thread, database)
    }

    func remove(_ notes: [Int64], from thread: Int64) throws {
        try ThreadWriter(layout, database).remove(notes, from: thread, database)
    }

    func setMomentum(_ momentum: Double, of thread: Int64) throws {
        guard schema.threads.names.isSuperset(of: ["id", "momentum_score"]) else { return }
        do {
            try database.execute(
                sql: "UPDATE threads SET momentum_score = ? WHERE id = ?", arguments: [momentum, thread])
        } catch let error as DatabaseError where [.SQLITE_CONSTRAINT, .SQLITE_ERROR].contains(error.resultCode) {
            // The table of the other program does not take the score; ours has it.
        }
    }

    func addTask(_ title: String, to thread: Int64) throws -> Int64 {
        guard schema.tasks.names.contains("thread_id") else {
            throw StorageError(.schema, "the table thread_tasks has no column thread_id")
        }
        try insertTask(nil, title, to: thread, at: now.now / 1000)
        return database.lastInsertedRowID
    }

    private func insertTask(_ id: Int64?, _ title: String?, to thread: Int64, at time: Int64) throws {
        let table = schema.tasks
        var values: [(column: String, value: (any DatabaseValueConvertible)?)] = [("rowid", id), ("thread_id", thread)]
        if table.names.contains("created_at") { values.append(("created_at", try taskTime(time))) }
        if let column = table.name("title", "description") { values.append((column, title)) }
        // Another program's table may ask for the id of a task of Things, which there is none of.
        if table.required.contains("things_task_id") {
            values.append(("things_task_id", TaskRecord.withoutThings + UUID().uuidString))
        }
        try database.execute(
            sql: """
                INSERT INTO thread_tasks (\(values.map(\.column).joined(separator: ", ")))
                VALUES (\(databaseQuestionMarks(count: values.count)))
                """, arguments: StatementArguments(values.map(\.value)))
    }

    func putTask(_ id: Int64, _ title: String?, in thread: Int64, at time: Int64) throws -> Bool {
        guard schema.tasks.names.contains("thread_id") else { return false }
        let session = SQLiteSession(database: database, now: now)
        let known = try session.first("SELECT k.thread_id, k.time FROM \(tasks) k WHERE k.id = $1", [.integer(id)])
        guard let known else {
            try insertTask(id, title, to: thread, at: time)
            return true
        }
        if known.integer(0) != thread {
            try session.run(
                "UPDATE thread_tasks SET thread_id = $1 WHERE rowid = $2", [.integer(thread), .integer(id)])
        }
        if known.integer(1) != time, schema.tasks.names.contains("created_at") {
            try session.run(
                "UPDATE thread_tasks SET created_at = $1 WHERE rowid = $2", [.text(try taskTime(time)), .integer(id)])
        }
        return true
    }

    func removeTask(_ id: Int64) throws {
        try database.execute(sql: "DELETE FROM thread_tasks WHERE rowid = ?", arguments: [id])
    }

    func completeTask(_ id: Int64, at time: String?) throws {
        try database.execute(
            sql: "UPDATE thread_tasks SET completed_at = ? WHERE rowid = ?", arguments: [time, id])
    }

    func taskTime() throws -> String { try taskTime(now.now / 1000) }

    private func taskTime(_ seconds: Int64) throws -> String {
        try DateStyle.of(schema.tasks, "created_at", in: database).text(seconds)
    }

    /// A table without rows.
    private static func none(_ columns: String...) -> String {
        "(SELECT \(columns.map { "NULL AS \($0)" }.joined(separator: ", ")) WHERE 0)"
    }
}
