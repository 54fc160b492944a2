import Foundation
import GRDB
import GatewayAPI
import Text

extension NoteWriter {
    /// Finds a note with the same title and content, by hash. Compares the text itself where the hashes are not loaded
    /// and another program hashes differently.
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
        if !draft.title.hasSameBytes(as: note.title) || !draft.content.hasSameBytes(as: note.content) {
            if let other = try anyDuplicate(of: draft, hashes), other != note.id {
                throw StorageError(.conflict, "note \(other) has this title and content already")
            }
            let sizes = TextSizes(draft.content)
            try set(
                [
                    ("title", draft.title), ("content", draft.content), ("content_hash", hash(draft)),
                    ("word_count", sizes.words), ("character_count", sizes.characters),
                ], of: note.id)
        }
        if let created = change.createdAt { try set([("created_at", dateStyle.text(created))], of: note.id) }
        if let tags = change.tags { try set([("tags", StoredList.encode(tags))], of: note.id) }
        for (column, update) in [("note_type", change.noteType), ("actionability", change.actionability)]
        where !update.isKeep {
            try setProcessed(column, update.value, of: note.id)
        }
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
