import Cryptography
package import Foundation
import GRDB
import GatewayAPI

/// Names a request that creates a note. A second request with the same name creates nothing.
package struct NoteRequest: Sendable, Hashable {
    /// How long the gateway remembers a request, in seconds: 30 days.
    package static let lifetime: Int64 = 30 * 86_400
    /// The largest number of remembered requests of a caller; the oldest are forgotten first.
    package static let maxPerCaller = 1000

    /// The caller's key, so that callers cannot see each other's requests; 0 for callers without a key of their own.
    package let caller: Int64
    package let key: Data

    /// Creates a name.
    ///
    /// - Parameters:
    ///   - caller: The id of the caller's key; nil for a caller without one.
    ///   - key: What the caller chose, such as a UUID.
    package init(caller: Int64?, key: String) {
        self.caller = caller ?? 0
        self.key = RandomSecret.hash(key)
    }

    /// Returns the note that the request created; nil when this is the first request of that name.
    ///
    /// - Throws: ``StorageError``: `conflict` when the first request had another draft, or its note was deleted since.
    func note(for draft: NoteDraft, in database: Database) throws -> Int64? {
        let row = try Row.fetchOne(
            database, sql: "SELECT note_id, request FROM gateway_note_receipts WHERE caller = ? AND key = ?",
            arguments: [caller, key])
        guard let row, let note = row.integer(0) else { return nil }
        let isThere =
            try Scalar.integer(database, sql: "SELECT 1 FROM raw_notes WHERE id = ?", arguments: [note]) != nil
        try Self.check(row.bytes(1).map { Array($0) }, of: draft, note: note, isThere: isThere)
        return note
    }

    /// Checks that a known request is repeated.
    ///
    /// - Parameters:
    ///   - digest: That of the first request's draft.
    ///   - note: The note of the first request.
    /// - Throws: ``StorageError``: `reused` when the draft is another one, `duplicate` when the note was deleted since.
    package static func check(
        _ digest: [UInt8]?, of draft: NoteDraft, note: Int64, isThere: Bool
    ) throws(StorageError) {
        guard let digest, draft.digest.elementsEqual(digest) else {
            throw StorageError(
                .reused, "the Idempotency-Key belongs to an earlier request with another note; use a new key")
        }
        guard isThere else {
            throw StorageError(.duplicate, "note \(note) was created by this request and deleted since")
        }
    }

    /// Remembers that the request created a note, and forgets old requests.
    func record(_ note: Int64, for draft: NoteDraft, in database: Database) throws {
        let now = Timestamp.milliseconds / 1000
        try database.execute(
            sql: "DELETE FROM gateway_note_receipts WHERE created_at < ?", arguments: [now - Self.lifetime])
        // A damaged row of this key may be there.
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO gateway_note_receipts (caller, key, request, note_id, created_at)
                VALUES (?, ?, ?, ?, ?)
                """, arguments: [caller, key, draft.digest, note, now])
        try database.execute(
            sql: """
                DELETE FROM gateway_note_receipts WHERE caller = ?1 AND id <= (
                    SELECT id FROM gateway_note_receipts WHERE caller = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
                """, arguments: [caller, Self.maxPerCaller])
    }
}

extension NoteDraft {
    /// A hash of everything that the author wrote.
    package var digest: Data {
        var hash = SHA256()
        let words = [title, content, noteType ?? "", actionability ?? "", createdAt.map(String.init) ?? ""]
        for list in [words, tags, threads] {
            for text in list + ["\(list.count)"] {
                hash.update(data: Array(text.utf8))
                // No text has a NUL, so the parts cannot run into each other.
                hash.update(data: [0])
            }
        }
        return Data(hash.finalize())
    }
}
