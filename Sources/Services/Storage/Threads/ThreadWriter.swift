import Foundation
import GRDB

/// Writes the other program's tables of threads with the columns that the file has. Only what a person accepted is written.
struct ThreadWriter {
    private let threads: TableColumns
    private let members: TableColumns
    private let note: String
    /// The current time in the format of the table of threads.
    private let now: String

    /// - Throws: ``StorageError/Code/schema`` when the file has no tables of threads.
    init(_ layout: FileLayout, _ database: Database) throws {
        guard layout.schema.threads.names.isSuperset(of: ["id", "name"]), layout.columns.hasThreads,
            let note = layout.columns.threadNote
        else { throw StorageError(.schema, "the file has no tables of threads") }
        threads = layout.schema.threads
        members = layout.schema.threadNotes
        self.note = note
        now = try DateStyle.of(threads, "created_at", in: database).now
    }

    /// Makes a thread. Returns its id.
    func make(
        _ name: String, why: String, summary: String?, _ notes: [Int64], _ database: Database
    ) throws -> Int64 {
        let values: [(String, (any DatabaseValueConvertible)?)] = [
            ("name", name), ("why", why), ("summary", summary), ("status", "active"), ("momentum_score", 0.0),
            ("last_activity_at", now), ("created_at", now), ("updated_at", now), ("note_count", notes.count),
        ]
        let present = values.filter { threads.names.contains($0.0) }
        try database.execute(
            sql: """
                INSERT INTO threads (\(present.map(\.0).joined(separator: ", ")))
                VALUES (\(databaseQuestionMarks(count: present.count)))
                """, arguments: StatementArguments(present.map(\.1)))
        // A table without an integer key has its own ids.
        let row = database.lastInsertedRowID
        guard let id = try Scalar.integer(database, sql: "SELECT id FROM threads WHERE rowid = ?", arguments: [row])
        else { throw StorageError(.schema, "the table of threads gives new threads no id") }
        try put(notes, into: id, database)
        return id
    }

    func add(_ notes: [Int64], to thread: Int64, _ database: Database) throws {
        try put(notes, into: thread, database)
        try touch(thread, database)
    }

    func remove(_ notes: [Int64], from thread: Int64, _ database: Database) throws {
        try database.execute(
            sql: "DELETE FROM thread_notes WHERE thread_id = ? AND \(note) IN (SELECT value FROM json_each(?))",
            arguments: [thread, "[" + notes.map(String.init).joined(separator: ",") + "]"])
        try touch(thread, database)
    }

    /// Records that a thread has changed.
    private func touch(_ thread: Int64, _ database: Database) throws {
        if threads.names.contains("updated_at") {
            try database.execute(sql: "UPDATE threads SET updated_at = ? WHERE id = ?", arguments: [now, thread])
        }
        if threads.names.contains("note_count") {
            try database.execute(
                sql: """
                    UPDATE threads SET note_count = (SELECT count(*) FROM thread_notes WHERE thread_id = ?1)
                    WHERE id = ?1
                    """, arguments: [thread])
        }
    }

    private func put(_ notes: [Int64], into thread: Int64, _ database: Database) throws {
        let known = Set(
            try Scalar.integers(
                database, sql: "SELECT \(note) FROM thread_notes WHERE thread_id = ?", arguments: [thread]))
        let added = members.names.contains("added_at") ? try DateStyle.of(members, "added_at", in: database).now : nil
        for id in notes where !known.contains(id) {
            if let added {
                try database.execute(
                    sql: "INSERT INTO thread_notes (thread_id, \(note), added_at) VALUES (?, ?, ?)",
                    arguments: [thread, id, added])
            } else {
                try database.execute(
                    sql: "INSERT INTO thread_notes (thread_id, \(note)) VALUES (?, ?)", arguments: [thread, id])
            }
        }
    }
}
