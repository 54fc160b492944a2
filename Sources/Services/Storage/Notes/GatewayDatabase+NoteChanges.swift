import Foundation
import GRDB

/// What became of a note that was to be made.
public enum NoteCreation: Sendable, Hashable {
    /// It is there now.
    case created(Int64)
    /// A note with the same title and content was there already; nothing was written.
    case duplicate(Int64)
}

/// How one value of a note changes.
public enum ValueChange<Value: Sendable & Hashable>: Sendable, Hashable {
    /// It stays.
    case keep
    /// Another value, or none.
    case set(Value?)
}

/// What changes of a note.
public struct NoteChange: Sendable, Hashable {
    /// A new title.
    public var title: String?
    /// A new text.
    public var content: String?
    /// Another date, in seconds since 1970.
    public var createdAt: Int64?
    /// Another kind.
    public var noteType: ValueChange<String> = .keep
    /// Another actionability.
    public var actionability: ValueChange<String> = .keep
    /// All tags from now on.
    public var tags: [String]?
    /// All threads from now on, by name.
    public var threads: [String]?

    /// Creates a change of nothing.
    public init() {}
}

extension GatewayDatabase {
    /// Makes a note, unless one with the same title and content exists.
    ///
    /// - Parameter testRun: Marks the note of a test run, which is never shown.
    /// - Throws: ``StorageError``.
    public func createNote(_ draft: NoteDraft, testRun: String? = nil) async throws -> NoteCreation {
        let hashes = noteHashes
        hashes.prepare(self)
        return try await write { database, layout in
            let (columns, schema) = (layout.columns, layout.schema)
            let style = try DateStyle.of(schema.rawNotes, "created_at", in: database)
            let writer = NoteWriter(database: database, columns: columns, dateStyle: style)
            if let known = try writer.anyDuplicate(of: draft, hashes) { return .duplicate(known) }
            let id: Int64
            do {
                id = try writer.insert(draft)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                // Some files allow one note for each content hash, whatever its text is by now.
                guard let known = try writer.duplicate(of: draft) else { throw error }
                return .duplicate(known)
            }
            if let testRun, columns.raw.contains("test_run") {
                try database.execute(
                    sql: "UPDATE raw_notes SET test_run = ? WHERE id = ?", arguments: [testRun, id])
            }
            return .created(id)
        }
    }

    /// Changes a note.
    ///
    /// - Returns: false when there is no such note.
    /// - Throws: ``StorageError``: `conflict` when another note has the new title and content.
    public func updateNote(_ id: Int64, _ change: NoteChange) async throws -> Bool {
        let hashes = noteHashes
        return try await write { database, layout in
            let (columns, schema) = (layout.columns, layout.schema)
            guard let note = try Self.loadNotes(database, columns, [id]).first else { return false }
            let style = try DateStyle.of(schema.rawNotes, "created_at", in: database)
            let writer = NoteWriter(database: database, columns: columns, dateStyle: style)
            try writer.change(note, change, hashes)
            return true
        }
    }

    /// Deletes a note with its findings, threads' entries, associations and vectors, and follows the references that other
    /// tables declare: rows go with `CASCADE`, are emptied with `SET NULL`.
    ///
    /// - Returns: false when there is no such note.
    /// - Throws: ``StorageError``: `conflict` when a table's reference forbids it.
    public func deleteNote(_ id: Int64) async throws -> Bool {
        try await write { database, layout in
            guard try !Self.loadNotes(database, layout.columns, [id]).isEmpty else { return false }
            try NoteReferences.delete(of: id, database, layout)
            try database.execute(sql: "DELETE FROM raw_notes WHERE id = ?", arguments: [id])
            return true
        }
    }
}

extension NoteWriter {
    /// A note with the same title and content, by its hash or, when another program hashes otherwise, by the text itself.
    func anyDuplicate(of draft: NoteDraft, _ hashes: NoteHashes) throws -> Int64? {
        let hash = ContentHash.of(title: draft.title, content: draft.content)
        if let notes = try hashes.notes(with: hash, in: database) {
            let same = try database.cachedStatement(
                sql: "SELECT 1 FROM raw_notes WHERE id = ? AND title = ? AND content = ?")
            return try notes.sorted().first { id in
                try Row.fetchOne(same, arguments: [id, draft.title, draft.content]) != nil
            }
        }
        if let known = try duplicate(of: draft) { return known }
        return try Scalar.integer(
            database, sql: "SELECT id FROM raw_notes WHERE title = ? AND content = ? ORDER BY id",
            arguments: [draft.title, draft.content])
    }

    func change(_ note: Note, _ change: NoteChange, _ hashes: NoteHashes) throws {
        var draft = NoteDraft(title: change.title ?? note.title, content: change.content ?? note.content)
        if draft.title != note.title || draft.content != note.content {
            if let other = try anyDuplicate(of: draft, hashes), other != note.id {
                throw StorageError(.conflict, "note \(other) has this title and content already")
            }
            try set(
                [
                    ("title", draft.title), ("content", draft.content), ("content_hash", hash(draft)),
                    ("word_count", draft.content.split(whereSeparator: \.isWhitespace).count),
                    ("character_count", draft.content.count),
                ], of: note.id)
        }
        if let created = change.createdAt { try set([("created_at", dateStyle.text(created))], of: note.id) }
        if let tags = change.tags { try set([("tags", StoredList.encode(tags))], of: note.id) }
        if case .set(let value) = change.noteType { try setProcessed("note_type", value, of: note.id) }
        if case .set(let value) = change.actionability { try setProcessed("actionability", value, of: note.id) }
        if let threads = change.threads {
            for thread in note.threads where !threads.contains(thread.name) { try leave(thread.id, note.id) }
            draft.threads = threads
            try join(note.id, draft)
        }
    }

    private func set(_ values: [(column: String, value: (any DatabaseValueConvertible)?)], of id: Int64) throws {
        let known = values.filter { columns.raw.contains($0.column) }
        guard !known.isEmpty else { return }
        try database.execute(
            sql: "UPDATE raw_notes SET \(known.map { "\($0.column) = ?" }.joined(separator: ", ")) WHERE id = ?",
            arguments: StatementArguments(known.map(\.value)) + [id])
    }

    private func setProcessed(_ column: String, _ value: String?, of id: Int64) throws {
        guard columns.processed.contains(column), let note = columns.processedNote else { return }
        if value != nil { try ensureProcessed(id) }
        try database.execute(
            sql: "UPDATE processed_notes SET \(column) = ?1 WHERE \(note) = ?2 AND \(column) IS NOT ?1",
            arguments: [value, id])
    }

    private func leave(_ thread: Int64, _ id: Int64) throws {
        guard let note = columns.threadNote else { return }
        try database.execute(
            sql: "DELETE FROM thread_notes WHERE thread_id = ? AND \(note) = ?", arguments: [thread, id])
    }
}
