package import Foundation
import Cryptography
import GRDB

/// A note whose tasks were not looked for since it changed.
package struct UnreadNote: Sendable {
    package var id: Int64
    /// The text to read.
    package var content: String
    /// When it was written, as stored; empty when unknown.
    package var createdAt: String
    /// The hash of its text.
    package var hash: Data
}

/// A task that was found in a note.
package struct FoundTask: Sendable {
    package var title: String
    package var due: String?
    /// The sentence, and its UTF-8 bytes in the content.
    package var source: String
    package var range: Range<Int>

    /// Creates a task that was found.
    package init(title: String, due: String?, source: String, range: Range<Int>) {
        self.title = title
        self.due = due
        self.source = source
        self.range = range
    }
}

/// Finds the notes to read, and keeps the drafts that come of them.
extension TaskDraftStore {
    /// The version of the rules that find tasks. Notes that another version read are read again.
    package static let rules = 1
    /// The most open drafts of a file; the job reads no further notes while there are as many.
    package static let maxOpen = 10_000

    private static func isUnread(_ columns: NoteColumns) -> String {
        """
        \(columns.isShown) AND \(SQLTime.seconds(columns.raw("created_at"))) >= ? AND n.id > ?
        AND (s.note_id IS NULL OR s.rules <> \(rules) OR s.hash IS NOT \(columns.hash))
        """
    }

    /// Returns notes to read, by id.
    ///
    /// - Parameters:
    ///   - since: Only notes written from this second on.
    ///   - last: Only notes behind this id.
    package func unread(since: Int64, after last: Int64, limit: Int) async throws -> [UnreadNote] {
        try await database.read { database, layout in
            let columns = layout.columns
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT n.id AS id, \(columns.boundedRaw("content")) AS content,
                        \(columns.boundedRaw("created_at")) AS created_at, \(columns.hash) AS hash
                    FROM raw_notes n LEFT JOIN gateway_task_scans s ON s.note_id = n.id
                    WHERE \(Self.isUnread(columns)) ORDER BY n.id LIMIT ?
                    """, arguments: [since, last, limit])
            var notes: [UnreadNote] = []
            var bytes = 0
            while bytes < ValueLimit.batch, let row = try rows.next() {
                guard let id = row.integer("id"), let hash = row.bytes("hash") else { continue }
                let note = UnreadNote(
                    id: id, content: row.text("content") ?? "", createdAt: row.date("created_at") ?? "", hash: hash)
                bytes += note.content.utf8.count
                notes.append(note)
            }
            return notes
        }
    }

    /// Counts the notes to read.
    package func unreadCount(since: Int64) async throws -> Int {
        try await database.read { database, layout in
            try Scalar.count(
                database,
                sql: """
                    SELECT count(*) FROM raw_notes n LEFT JOIN gateway_task_scans s ON s.note_id = n.id
                    WHERE \(Self.isUnread(layout.columns))
                    """, arguments: [since, Int64.min]) ?? 0
        }
    }

    package func openCount() async throws -> Int {
        try await database.read { database in
            try Scalar.count(database, sql: "SELECT count(*) FROM gateway_task_drafts WHERE state = 'open'") ?? 0
        }
    }

    /// Keeps what was found in notes. A note that changed since it was read is left out. Open drafts of sentences that a
    /// note no longer has are deleted; decided drafts stay.
    ///
    /// - Returns: The number of new drafts.
    package func keep(_ read: [(note: UnreadNote, tasks: [FoundTask])], at time: Int64) async throws -> Int {
        try await database.writeRelaxed { database, layout in
            var added = 0
            for (note, tasks) in read {
                let columns = layout.columns
                guard
                    try Scalar.count(
                        database,
                        sql:
                            "SELECT 1 FROM raw_notes n WHERE n.id = ? AND \(columns.isShown) AND \(columns.hash) = ? LIMIT 1",
                        arguments: [note.id, note.hash]) != nil
                else { continue }
                try database.execute(
                    sql: "UPDATE gateway_task_drafts SET start = -1 WHERE note_id = ?", arguments: [note.id])
                for task in tasks { added += try Self.keep(task, of: note.id, at: time, database) }
                try database.execute(
                    sql: "DELETE FROM gateway_task_drafts WHERE note_id = ? AND start = -1 AND state = 'open'",
                    arguments: [note.id])
                try database.execute(
                    sql: """
                        INSERT INTO gateway_task_scans (note_id, hash, rules) VALUES (?1, ?2, ?3)
                        ON CONFLICT (note_id) DO UPDATE SET hash = excluded.hash, rules = excluded.rules
                        """, arguments: [note.id, note.hash, Self.rules])
            }
            return added
        }
    }

    /// Returns 1 for a new draft, 0 for a known one.
    private static func keep(_ task: FoundTask, of note: Int64, at time: Int64, _ database: Database) throws -> Int {
        // White space and case of a sentence may change without making it another one.
        let text = task.source.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
        let hash = Data(SHA256.hash(data: Data(text.utf8)))
        let arguments: StatementArguments = [
            note, hash, task.title, task.due, task.source, task.range.lowerBound, task.range.upperBound,
        ]
        try database.execute(
            sql: """
                UPDATE gateway_task_drafts SET source = ?5, start = ?6, stop = ?7,
                    title = CASE WHEN is_edited OR state <> 'open' THEN title ELSE ?3 END,
                    due = CASE WHEN is_edited OR state <> 'open' THEN due ELSE ?4 END
                WHERE note_id = ?1 AND span_hash = ?2
                """, arguments: arguments)
        guard database.changesCount == 0 else { return 0 }
        try database.execute(
            sql: """
                INSERT INTO gateway_task_drafts (note_id, span_hash, title, due, source, start, stop, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """, arguments: arguments + [time])
        return 1
    }

    /// Deletes open drafts and marks of notes that are gone or hidden, at most `limit` of each.
    package func forgetGone(limit: Int = 10_000) async throws {
        try await database.writeRelaxed { database, layout in
            let isShown = "SELECT n.id FROM raw_notes n WHERE \(layout.columns.isShown)"
            for (table, condition) in [
                ("gateway_task_drafts", "state = 'open' AND note_id <> \(Self.noNote)"), ("gateway_task_scans", "1"),
            ] {
                try database.execute(
                    sql: """
                        DELETE FROM \(table) WHERE rowid IN (SELECT rowid FROM \(table)
                        WHERE \(condition) AND note_id NOT IN (\(isShown)) LIMIT ?)
                        """, arguments: [limit])
            }
        }
    }
}
