import Cryptography
import Database

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A note whose tasks were not looked for since it changed.
package struct UnreadNote: Sendable {
    package var id: Int64
    /// The text to read.
    package var content: String
    /// When it was written, as stored; empty when unknown.
    package var createdAt: String
    /// The hash of its text.
    package var hash: [UInt8]
}

/// A task that was found in a note.
package struct FoundTask: Sendable {
    package var title: String
    package var due: String?
    /// The sentence, and its UTF-8 bytes in the content.
    package var source: String
    package var range: Range<Int>
    /// Whether it is an open check box of a note.
    package var isBox: Bool

    /// Creates a task that was found.
    package init(title: String, due: String?, source: String, range: Range<Int>, isBox: Bool = false) {
        self.isBox = isBox
        self.title = title
        self.due = due
        self.source = source
        self.range = range
    }
}

/// Finds the notes to read, and keeps the drafts that come of them.
extension TaskDraftRoom {
    /// The version of the rules that find tasks. Notes that another version read are read again.
    package static let rules = 2
    /// The most open drafts of a store; the job reads no further notes while there are as many.
    package static let maxOpen = 10_000

    /// `FROM` and `WHERE` for the notes to read from the second `$1` on, behind the id `$2`. The hash of a note in a file is made
    /// of its text, for each note that is compared.
    private static func unread(_ session: any SQLSession) throws -> String {
        """
        FROM \(try session.noteTables().notes) n LEFT JOIN gateway_task_scans s ON s.note_id = n.id
        WHERE n.time >= $1 AND n.id > $2
        AND (s.note_id IS NULL OR s.rules <> \(rules) OR NOT s.hash \(session.dialect.isSame) n.hash)
        """
    }

    /// Returns notes to read, by id.
    ///
    /// - Parameters:
    ///   - since: Only notes written from this second on.
    ///   - last: Only notes behind this id.
    ///   - some: Only these notes; all when nil.
    package func unread(
        since: Int64 = .min, after last: Int64 = .min, among some: [Int64]? = nil, limit: Int
    ) async throws -> [UnreadNote] {
        try await store.snapshot { session in
            let ids = try session.rows(
                """
                SELECT n.id \(try Self.unread(session)) \(some == nil ? "" : "AND n.id IN \(session.dialect.numbers("$4"))")
                ORDER BY n.id LIMIT $3
                """, [.integer(since), .integer(last), .count(limit)] + (some.map { [.numbers($0)] } ?? [])
            ).compactMap { $0.integer(0) }
            let notes = try session.noteTables().notes
            var (found, bytes) = ([UnreadNote](), 0)
            // A few at a time, since they may be large.
            for start in stride(from: 0, to: ids.count, by: 8) where bytes < ValueLimit.batch {
                let part = ids[start..<min(start + 8, ids.count)]
                let rows = try session.rows(
                    """
                    SELECT n.id, n.content, n.created_at, n.hash FROM \(notes) n
                    WHERE n.id IN \(session.dialect.numbers("$1")) ORDER BY n.id
                    """, [.numbers(part)])
                for row in rows {
                    guard let id = row.integer(0), let hash = row.bytes(3) else { continue }
                    let note = UnreadNote(
                        id: id, content: row.text(1) ?? "", createdAt: row.date(2) ?? "", hash: hash)
                    bytes += note.content.utf8.count
                    found.append(note)
                }
            }
            return found
        }
    }

    /// Counts the notes to read.
    package func unreadCount(since: Int64) async throws -> Int {
        try await store.snapshot { session in
            try session.first(
                "SELECT count(*) \(try Self.unread(session))", [.integer(since), .integer(.min)])?.count(0) ?? 0
        }
    }

    package func openCount() async throws -> Int {
        try await store.rows("SELECT count(*) FROM gateway_task_drafts WHERE state = 'open'", []).first?.count(0) ?? 0
    }

    /// Keeps what was found in notes. A note that changed since it was read is left out. Open drafts of sentences that a
    /// note no longer has are deleted; decided drafts stay.
    ///
    /// - Returns: The number of new drafts.
    package func keep(_ read: [(note: UnreadNote, tasks: [FoundTask])], at time: Int64) async throws -> Int {
        try await store.relaxedTransaction { session in
            let notes = try session.noteTables().notes
            var added = 0
            for (note, tasks) in read {
                let isSame = try session.first(
                    "SELECT 1 FROM \(notes) n WHERE n.id = $1 AND n.hash = $2", [.integer(note.id), .bytes(note.hash)])
                guard isSame != nil else { continue }
                try session.run(
                    "UPDATE gateway_task_drafts SET start = -1 WHERE note_id = $1", [.integer(note.id)])
                for task in tasks { added += try Self.keep(task, of: note.id, at: time, session) }
                try session.run(
                    "DELETE FROM gateway_task_drafts WHERE note_id = $1 AND start = -1 AND state = 'open'",
                    [.integer(note.id)])
                try session.run(
                    """
                    INSERT INTO gateway_task_scans (note_id, hash, rules) VALUES ($1, $2, $3)
                    ON CONFLICT (note_id) DO UPDATE SET hash = excluded.hash, rules = excluded.rules
                    """, [.integer(note.id), .bytes(note.hash), .count(Self.rules)])
            }
            return added
        }
    }

    /// Returns 1 for a new draft, 0 for a known one.
    private static func keep(
        _ task: FoundTask, of note: Int64, at time: Int64, _ session: any SQLSession
    ) throws -> Int {
        // White space and case of a sentence may change without making it another one.
        let text = task.source.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
        let values: [SQLValue] = [
            .integer(note), .bytes(Array(SHA256.hash(data: Data(text.utf8)))), .text(task.title), .text(task.due),
            .text(task.source), .count(task.range.lowerBound), .count(task.range.upperBound),
            .integer(task.isBox ? 1 : 0),
        ]
        let known = try session.run(
            """
            UPDATE gateway_task_drafts SET source = $5, start = $6, stop = $7, is_box = $8,
                title = CASE WHEN is_edited <> 0 OR state <> 'open' THEN title ELSE $3 END,
                due = CASE WHEN is_edited <> 0 OR state <> 'open' THEN due ELSE $4 END
            WHERE note_id = $1 AND span_hash = $2
            """, values)
        guard known == 0 else { return 0 }
        try session.run(
            """
            INSERT INTO gateway_task_drafts (note_id, span_hash, title, due, source, start, stop, is_box, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """, values + [.integer(time)])
        return 1
    }

    /// Deletes open drafts and marks of notes that are gone or hidden, at most `limit` of each.
    package func forgetGone(limit: Int = 10_000) async throws {
        try await store.relaxedTransaction { session in
            let notes = try session.noteTables().notes
            for (table, key, condition) in [
                ("gateway_task_drafts", "id", "state = 'open' AND note_id <> \(Self.noNote)"),
                ("gateway_task_scans", "note_id", "1 = 1"),
            ] {
                try session.run(
                    """
                    DELETE FROM \(table) WHERE \(key) IN (SELECT d.\(key) FROM \(table) d WHERE \(condition)
                    AND NOT EXISTS (SELECT 1 FROM \(notes) n WHERE n.id = d.note_id) LIMIT $1)
                    """, [.count(limit)])
            }
        }
    }
}
