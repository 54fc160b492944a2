package import GatewayAPI

/// Earlier versions of notes, and deleted notes, of either kind of store.
///
/// Methods throw ``StorageError``, and for notes elsewhere the server's own error.
package protocol NoteHistory: Sendable {
    /// Returns the versions of a note that were replaced, newest first, without their texts. Empty for an unknown note.
    func versions(of id: Int64) async throws -> [NoteVersion]
    /// Returns a version with its text; nil when the note has no such version.
    func version(_ version: Int64, of id: Int64) async throws -> NoteVersion?
    /// Returns a page of the deleted notes, the last deleted first, each with its last version.
    func deletedNotes(after cursor: PageCursor?, limit: Int) async throws -> Page<NoteVersion>
    /// Brings a deleted note back, or gives a note the text of an earlier version. The text until then stays as a version.
    ///
    /// - Parameters:
    ///   - version: The version; nil for the last one of a deleted note.
    ///   - revision: The revision that was read; nil to restore over any.
    /// - Returns: false when there is no such note or version.
    /// - Throws: `conflict` when the note is not deleted and no version is named, has another revision, or another note has
    ///   this title and text.
    func restore(_ id: Int64, version: Int64?, revision: String?) async throws -> Bool
    /// Erases all earlier versions of a note, and with them a deleted note for good. Returns how many there were.
    func eraseHistory(of id: Int64) async throws -> Int
    /// Erases what is older than ``NoteHistoryLimits`` allow. Returns how many versions that were.
    @discardableResult func eraseExpired() async throws -> Int
}

/// How much of a note's past is kept.
package enum NoteHistoryLimits {
    /// The number of earlier versions of a note.
    package static let versions = 50
    /// The bytes of a note's earlier versions; the newest one is kept at any size.
    package static let bytes = 8 << 20
    /// How long an earlier version of a note is kept, in seconds: a year.
    package static let versionLifetime: Int64 = 365 * 86_400
    /// How long a deleted note is kept, with its versions, in seconds: 30 days.
    package static let deletedLifetime: Int64 = 30 * 86_400

    /// Returns how many of a note's versions are kept.
    ///
    /// - Parameter sizes: Their bytes, newest first.
    package static func kept(_ sizes: [Int]) -> Int {
        var (count, total) = (0, 0)
        for size in sizes.prefix(versions) {
            total += size
            if total > bytes, count > 0 { break }
            count += 1
        }
        return count
    }
}

/// What replaced a version of a note.
package enum NoteVersionReason: String, Sendable {
    case edited, ingested, deleted, restored
}

package struct StoredNoteVersion: Sendable, Hashable {
    package var id: Int64
    package var replacedAt: Int64
    package var reason: String
    package var record: NoteRecord

    package init(id: Int64, replacedAt: Int64, reason: String, record: NoteRecord) {
        self.id = id
        self.replacedAt = replacedAt
        self.reason = reason
        self.record = record
    }

    package var isDeletion: Bool { reason == NoteVersionReason.deleted.rawValue }

    /// The version as the API has it.
    ///
    /// - Parameter hasText: Whether to add the whole text.
    package func version(hasText: Bool) -> NoteVersion {
        let lifetime = isDeletion ? NoteHistoryLimits.deletedLifetime : NoteHistoryLimits.versionLifetime
        var version = NoteVersion(
            noteId: record.id, version: id, replacedAt: Timestamp.iso8601(replacedAt), reason: reason,
            title: record.title, createdAt: record.createdAt, bytes: record.content.utf8.count,
            keptUntil: Timestamp.iso8601(replacedAt + lifetime))
        version.start = String(record.content.unicodeScalars.prefix(200))
        version.tags = record.tags
        version.threads = record.threads.map(\.name)
        version.externalIds = record.externalIDs
        if hasText { version.content = record.content }
        return version
    }
}

extension NoteRecord {
    package var json: String { ExtraColumns.encode(self) ?? "{}" }

    /// Reads ``json``; nil for anything else.
    package init?(json: String) {
        guard let record = ExtraColumns.decode(NoteRecord.self, json) else { return nil }
        self = record
    }

    /// Whether two records have the same content: all that an author writes.
    package func isSameText(as other: NoteRecord) -> Bool {
        var other = other
        other.extra = extra
        return self == other
    }

    /// Checks that a note can be restored over what is there.
    ///
    /// - Parameters:
    ///   - version: The version that was asked for.
    ///   - isThere: Whether the note exists now.
    /// - Throws: ``StorageError/Code/conflict``.
    package static func checkRestore(_ id: Int64, version: Int64?, isThere: Bool) throws(StorageError) {
        guard isThere, version == nil else { return }
        throw StorageError(
            .conflict,
            "note \(id) is not deleted; name the version to restore, one of GET /api/notes/\(id)/history")
    }
}
