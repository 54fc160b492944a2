import Foundation
import GatewayAPI
import Retrieval
package import Storage

/// Single notes: created, changed and deleted as ``NoteStore`` does it.
extension PostgresNotes: NoteBook {
    /// How often a change is computed anew because the note changed meanwhile.
    private static let attempts = 8

    package func create(
        _ draft: NoteDraft, testRun: String?, request: NoteRequest?
    ) async throws -> NoteCreation {
        var record = NoteRecord(draft).storable
        record.isHidden = testRun != nil
        let text = try await Self.indexed(record)
        // Notes of test runs are never found.
        let numbers = record.isHidden ? [:] : try await numbers(of: [text])
        let prepared = record
        return try await store.write { connection in
            if let request, let known = try await Self.note(of: request, draft, connection) { return .created(known) }
            try await Self.lock([prepared.contentHash], connection)
            if let known = try await Self.note(with: prepared.contentHash, connection) { return .duplicate(known) }
            var record = prepared
            let numbered = try await connection.run("SELECT nextval(pg_get_serial_sequence('selene.notes', 'id'))")
            record.id = numbered.integer(0, 0) ?? 0
            if record.createdAt.isEmpty { record.createdAt = Timestamp.now }
            try await Self.write([record], connection)
            try await Self.join([record], connection)
            if !record.isHidden {
                let worded = Worded(id: record.id, created: record.created, text: text)
                try await writeWords(of: [worded], numbers: numbers, connection)
            }
            if let request { try await Self.remember(request, record.id, draft, connection) }
            return .created(record.id)
        }
    }

    package func update(_ id: Int64, _ change: NoteChange, revision: String?) async throws -> Bool {
        for _ in 0..<Self.attempts {
            guard let before = try await store.read({ try await Self.records([id], $0) }).first, !before.isHidden else {
                return false
            }
            let after = Self.changed(before, change)
            let text = try await Self.indexed(after)
            let numbers = try await numbers(of: [text])
            let isDone = try await store.write { connection in
                // Locks are taken in the order of insertions: texts, then rows.
                if after.contentHash != before.contentHash { try await Self.lock([after.contentHash], connection) }
                guard let now = try await Self.records([id], isLocked: true, connection).first, now == before else {
                    return false
                }
                try now.note.require(revision: revision)
                if after.contentHash != now.contentHash,
                    let other = try await Self.note(with: after.contentHash, connection), other != id
                {
                    throw StorageError(.conflict, "note \(other) has this title and content already")
                }
                if after != now { try await PostgresNoteHistory.keep([now], .edited, connection) }
                try await write(after, over: now, text, numbers, connection)
                return true
            }
            if isDone { return true }
        }
        throw PostgresError(.serialization, "note \(id) is being changed all the time")
    }

    package func delete(_ id: Int64, revision: String?) async throws -> Bool {
        try await store.write { connection in
            guard let now = try await Self.records([id], isLocked: true, connection).first, !now.isHidden else {
                return false
            }
            try now.note.require(revision: revision)
            try await PostgresNoteHistory.keep([now], .deleted, connection)
            return try await connection.run("DELETE FROM notes WHERE id = $1", [.integer(id)]).changed > 0
        }
    }

    /// The record of a note after a change. New threads have no number yet.
    private static func changed(_ before: NoteRecord, _ change: NoteChange) -> NoteRecord {
        var after = before
        after.title = change.title ?? before.title
        after.content = change.content ?? before.content
        if let created = change.createdAt { after.createdAt = Timestamp.text(created) }
        if let tags = change.tags { after.tags = tags }
        if !change.noteType.isKeep { after.noteType = change.noteType.value }
        if !change.actionability.isKeep { after.actionability = change.actionability.value }
        if let threads = change.threads {
            after.threads = threads.map { name in
                before.threads.first { $0.name == name } ?? NoteRecord.Thread(id: 0, name: name)
            }
        }
        after = after.storable
        if !after.hasSameTitleAndContent(as: before) {
            after.extra = ExtraColumns(after.extra)?.withoutTextColumns.text
        }
        return after
    }

    func write(
        _ after: NoteRecord, over before: NoteRecord, _ text: IndexedText, _ numbers: [String: Int32],
        _ connection: PostgresConnection
    ) async throws {
        try await Self.write([after], connection)
        let left = before.threads.filter { thread in !after.threads.contains { $0.name == thread.name } }
        if !left.isEmpty {
            try await connection.run(
                "DELETE FROM thread_notes WHERE note_id = $1 AND thread_id = ANY ($2)",
                [.integer(after.id), .integers(left.map(\.id))])
        }
        // A note may be in several threads of one name, and stays in them.
        var joining = after
        joining.threads = after.threads.filter { $0.id == 0 }
        try await Self.join([joining], connection)
        guard after.contentHash != before.contentHash || after.created != before.created else { return }
        let worded = Worded(id: after.id, created: after.created, text: text)
        try await writeWords(of: [worded], numbers: numbers, connection)
    }

    /// The note with a text; the first of several.
    static func note(with hash: [UInt8], _ connection: PostgresConnection) async throws -> Int64? {
        try await connection.run("SELECT min(id) FROM notes WHERE content_hash = $1", [.bytes(hash)]).integer(0, 0)
    }

    // MARK: Repeated requests

    /// The note that a request created; nil for the first of its name. Requests of a name wait for each other.
    private static func note(
        of request: NoteRequest, _ draft: NoteDraft, _ connection: PostgresConnection
    ) async throws -> Int64? {
        try await lock([Array(request.key)], connection)
        let rows = try await connection.run(
            """
            SELECT r.note_id, r.request, n.id IS NOT NULL FROM note_receipts r LEFT JOIN notes n ON n.id = r.note_id
            WHERE r.caller = $1 AND r.key = $2
            """, [.integer(request.caller), .bytes(Array(request.key))])
        guard let note = rows.integer(0, 0) else { return nil }
        try NoteRequest.check(rows.bytes(0, 1), of: draft, note: note, isThere: rows.bool(0, 2) ?? false)
        return note
    }

    /// Remembers that a request created a note, and forgets old requests.
    private static func remember(
        _ request: NoteRequest, _ note: Int64, _ draft: NoteDraft, _ connection: PostgresConnection
    ) async throws {
        try await connection.run(
            "DELETE FROM note_receipts WHERE created < now() - make_interval(secs => $1::float8)",
            [.double(Double(NoteRequest.lifetime))])
        try await connection.run(
            "INSERT INTO note_receipts (caller, key, request, note_id) VALUES ($1, $2, $3, $4)",
            [
                .integer(request.caller), .bytes(Array(request.key)), .bytes(Array(draft.digest)), .integer(note),
            ])
        try await connection.run(
            """
            DELETE FROM note_receipts WHERE caller = $1 AND id <= (
                SELECT id FROM note_receipts WHERE caller = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)
            """, [.integer(request.caller), .integer(Int64(NoteRequest.maxPerCaller))])
    }
}
