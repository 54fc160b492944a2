import Foundation
import GRDB
import GatewayAPI

/// Reads notes with their vectors and threads for the retrieval index.
///
/// Threads and further passages come from one query each, ordered by note and read in step with the notes. So the
/// number of queries does not depend on the number of notes.
struct NoteFeed: Sendable {
    let columns: NoteColumns
    let space: StoredSpace?

    /// The notes to read.
    enum Choice {
        case all
        /// At most 30,000.
        case ids(ArraySlice<Int64>)
        case range(ClosedRange<Int64>)
    }

    /// Calls a closure with each visible note, by id.
    func forEach(_ database: Database, _ ids: Choice, _ body: (FeedNote) throws -> Void) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT n.id, \(columns.boundedRaw("title")), \(columns.boundedRaw("content")),
                    \(columns.boundedRaw("created_at")), \(columns.boundedProcessed("note_type")),
                    \(columns.boundedProcessed("actionability")), \(columns.boundedRaw("tags")), e.passages, e.vector
                FROM raw_notes n LEFT JOIN processed_notes p ON \(columns.processedJoin)
                LEFT JOIN gateway_embeddings e ON e.space_id = ? AND e.note_id = n.id
                WHERE \(columns.isShown) AND \(condition("n.id", ids)) ORDER BY n.id
                """, arguments: [space?.id] + arguments(ids))
        let threads = try SideRows(threadRows(database, ids))
        let passages = try SideRows(passageRows(database, ids))
        // Some files have several rows of `processed_notes` for a note; the last row counts.
        var held: FeedNote?
        while let row = try rows.next() {
            guard let id = row.integer(0) else { continue }
            if held?.id == id {
                held?.noteType = row.text(4)
                held?.actionability = row.text(5)
                continue
            }
            if let held { try body(held) }
            held = try note(id, row, threads, passages)
        }
        if let held { try body(held) }
    }

    private func note(_ id: Int64, _ row: Row, _ threads: SideRows, _ passages: SideRows) throws -> FeedNote {
        var note = FeedNote(
            id: id, title: row.text(1) ?? "", content: row.text(2) ?? "", noteType: row.text(4),
            actionability: row.text(5), createdAt: row.date(3).flatMap(Timestamp.unixSeconds) ?? 0,
            tags: StoredList.decode(row.text(6)))
        try threads.forEach(of: id) { row in
            if let thread = row.integer(1), note.threads.last != thread { note.threads.append(thread) }
        }
        guard let space, let stored = row.integer(7), let first = try vector(row, at: 8, space) else { return note }
        note.vectors = first
        note.passages = 1
        guard stored > 1 else { return note }
        try passages.forEach(of: id) { row in
            guard note.passages < stored, row.count(1) == note.passages, let next = try vector(row, at: 2, space) else {
                return
            }
            note.vectors += next
            note.passages += 1
        }
        return note
    }

    private func vector(_ row: Row, at column: Int, _ space: StoredSpace) throws -> [Float]? {
        try row.withUnsafeData(atIndex: column) { data in
            data.flatMap { VectorBlob.decode($0, dimensions: space.space.dimensions) }
        }
    }

    /// Returns rows of note and thread; some files hold values of other types there.
    private func threadRows(_ database: Database, _ ids: Choice) throws -> RowCursor? {
        guard columns.hasThreads, let note = columns.threadNote else { return nil }
        return try Row.fetchCursor(
            database,
            sql: """
                SELECT \(note), thread_id FROM thread_notes
                WHERE typeof(\(note)) = 'integer' AND typeof(thread_id) = 'integer' AND \(condition(note, ids))
                ORDER BY \(note), thread_id
                """, arguments: arguments(ids))
    }

    /// Returns rows of note, passage and vector.
    private func passageRows(_ database: Database, _ ids: Choice) throws -> RowCursor? {
        guard let space else { return nil }
        return try Row.fetchCursor(
            database,
            sql: """
                SELECT note_id, passage, vector FROM gateway_passages
                WHERE space_id = ? AND typeof(note_id) = 'integer' AND \(condition("note_id", ids)) ORDER BY note_id, passage
                """, arguments: [space.id] + arguments(ids))
    }

    private func condition(_ column: String, _ ids: Choice) -> String {
        switch ids {
        case .all: "1"
        case .ids(let ids): "\(column) IN (\(databaseQuestionMarks(count: ids.count)))"
        case .range: "\(column) BETWEEN ? AND ?"
        }
    }

    private func arguments(_ ids: Choice) -> StatementArguments {
        switch ids {
        case .all: []
        case .ids(let ids): StatementArguments(ids)
        case .range(let range): [range.lowerBound, range.upperBound]
        }
    }
}

/// Reads rows that belong to notes, ordered by the note's id in their first column.
private final class SideRows {
    private let rows: RowCursor?
    private var current: Row?

    init(_ rows: RowCursor?) throws {
        self.rows = rows
        current = try rows?.next()
    }

    /// Calls a closure with each row of a note. Ask for notes in the order of their ids.
    func forEach(of note: Int64, _ body: (Row) throws -> Void) throws {
        while let row = current {
            if let id = row.integer(0) {
                if id > note { return }
                if id == note { try body(row) }
            }
            current = try rows?.next()
        }
    }
}
