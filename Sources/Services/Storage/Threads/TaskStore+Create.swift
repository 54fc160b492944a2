import Foundation
import GRDB
package import GatewayAPI

extension TaskStore {
    /// Creates a task.
    ///
    /// - Throws: ``StorageError``: invalid for a thread that does not exist, schema for a table that cannot hold it.
    package func create(_ new: NewTask) async throws -> TaskRecord {
        try await database.write { database, layout in
            try Self.check(new.thread, database, layout)
            return try Self.insert(new, database, layout)
        }
    }

    /// - Throws: ``StorageError/Code/invalid`` when there is no such thread.
    static func check(_ thread: Int64, _ database: Database, _ layout: FileLayout) throws {
        guard layout.schema.threads.names.contains("id"),
            try Scalar.count(database, sql: "SELECT 1 FROM threads WHERE id = ? LIMIT 1", arguments: [thread]) != nil
        else { throw StorageError(.invalid, "there is no thread \(thread)") }
    }

    /// Inserts a row with the columns that the file has. The gateway keeps the title and the due day beside it.
    static func insert(_ new: NewTask, _ database: Database, _ layout: FileLayout) throws -> TaskRecord {
        try check(new.thread, database, layout)
        let tasks = layout.schema.tasks
        guard tasks.names.contains("thread_id") else {
            throw StorageError(.schema, "the table thread_tasks has no column thread_id")
        }
        var values: [(column: String, value: (any DatabaseValueConvertible)?)] = [("thread_id", new.thread)]
        if tasks.names.contains("created_at") {
            values.append(("created_at", try DateStyle.of(tasks, "created_at", in: database).now))
        }
        if let column = tasks.name("title", "description") { values.append((column, new.title)) }
        // Another program's table may ask for the id of a task of Things, which there is none of.
        if tasks.required.contains("things_task_id") {
            values.append(("things_task_id", TaskRecord.withoutThings + UUID().uuidString))
        }
        try database.execute(
            sql: """
                INSERT INTO thread_tasks (\(values.map(\.column).joined(separator: ", ")))
                VALUES (\(databaseQuestionMarks(count: values.count)))
                """, arguments: StatementArguments(values.map(\.value)))
        let id = database.lastInsertedRowID
        try database.execute(
            sql: """
                INSERT INTO gateway_task_details (task_id, title, due) VALUES (?, ?, ?)
                ON CONFLICT (task_id) DO UPDATE SET title = excluded.title, due = excluded.due, completed_at = NULL
                """, arguments: [id, new.title, new.due])
        guard let task = try TaskRows(layout).find(database, id) else {
            throw StorageError(.failed, "the task could not be read back")
        }
        return task
    }
}
