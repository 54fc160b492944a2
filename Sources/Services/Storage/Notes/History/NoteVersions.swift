import GRDB
import GatewayAPI

/// Keeps what notes were before they change, within one transaction.
final class NoteVersions {
    private let database: Database
    private let layout: FileLayout
    private lazy var reading = FileTransferReading(layout)

    init(_ database: Database, _ layout: FileLayout) {
        self.database = database
        self.layout = layout
    }

    /// The note as it is now; nil when it does not exist or belongs to a test run.
    func record(_ id: Int64) throws -> NoteRecord? {
        guard let record = try reading.notes(database, id...id, withVectors: false).first?.record, !record.isHidden
        else { return nil }
        return record
    }

    /// Stores a version, and erases those beyond the limits of its note.
    func keep(_ record: NoteRecord, _ reason: NoteVersionReason) throws {
        let json = record.json
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO gateway_note_versions (note_id, replaced_at, reason, bytes, record) VALUES (?, ?, ?, ?, ?)
                """)
        try statement.execute(
            arguments: [
                record.id, Timestamp.milliseconds / 1000, reason.rawValue, Int64(json.utf8.count), json,
            ])
        try trim(record.id)
    }

    private func trim(_ id: Int64) throws {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT id, bytes FROM gateway_note_versions WHERE note_id = ? ORDER BY id DESC"),
            arguments: [id])
        let kept = NoteHistoryLimits.kept(rows.map { $0.count(1) })
        guard kept < rows.count, let last = rows[kept - 1].integer(0) else { return }
        try database.cachedStatement(sql: "DELETE FROM gateway_note_versions WHERE note_id = ? AND id < ?")
            .execute(arguments: [id, last])
    }

    /// The condition for versions of a note that is there. Versions up to a deletion belong to a note that is gone, in tables
    /// that give its number to a new note.
    private static let since = """
        id > coalesce((SELECT max(id) FROM gateway_note_versions WHERE note_id = ?1 AND reason = 'deleted'
            AND EXISTS (SELECT 1 FROM raw_notes WHERE id = ?1)), 0)
        """

    /// The versions of a note, newest first.
    static func all(of id: Int64, _ database: Database) throws -> [StoredNoteVersion] {
        try find("note_id = ?1 AND \(since) ORDER BY id DESC LIMIT \(NoteHistoryLimits.versions)", [id], database)
    }

    static func one(_ version: Int64, of id: Int64, _ database: Database) throws -> StoredNoteVersion? {
        try find("note_id = ?1 AND \(since) AND id = ?2", [id, version], database).first
    }

    /// Reads versions. Rows that another program damaged are left out.
    static func find(
        _ condition: String, _ arguments: StatementArguments, _ database: Database
    ) throws -> [StoredNoteVersion] {
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT id, replaced_at, reason, record FROM gateway_note_versions WHERE \(condition)",
            arguments: arguments)
        var found: [StoredNoteVersion] = []
        while let row = try rows.next() {
            guard let id = row.integer(0), let time = row.integer(1), let reason = row.text(2),
                let record = row.text(3).flatMap(NoteRecord.init(json:))
            else { continue }
            found.append(StoredNoteVersion(id: id, replacedAt: time, reason: reason, record: record))
        }
        return found
    }

    /// Erases versions and deleted notes that are too old.
    static func eraseExpired(_ database: Database) throws -> Int {
        let now = Timestamp.milliseconds / 1000
        try database.execute(
            sql: """
                DELETE FROM gateway_note_versions WHERE note_id IN (
                    SELECT note_id FROM gateway_note_versions v WHERE reason = 'deleted' AND replaced_at < ?1
                        AND id = (SELECT max(id) FROM gateway_note_versions w WHERE w.note_id = v.note_id))
                """, arguments: [now - NoteHistoryLimits.deletedLifetime])
        let deleted = database.changesCount
        try database.execute(
            sql: "DELETE FROM gateway_note_versions WHERE replaced_at < ?",
            arguments: [now - NoteHistoryLimits.versionLifetime])
        return deleted + database.changesCount
    }

    /// Writes a version as its note.
    ///
    /// - Throws: ``StorageError/Code/conflict`` when another note has its title and text.
    func write(_ version: StoredNoteVersion, _ hashes: NoteHashes) throws {
        var record = version.record
        let writer = NoteWriter(database: database, columns: layout.columns)
        let draft = NoteDraft(title: record.title, content: record.content)
        if let other = try writer.anyDuplicate(of: draft, hashes), other != record.id {
            throw StorageError(.conflict, "note \(other) has this title and content already")
        }
        record.threads = try threads(record.threads)
        // A name in a source may have become another note's.
        record.externalIDs = try record.externalIDs.filter { name in
            let owner = try Scalar.integer(
                database, sql: "SELECT note_id FROM gateway_note_sources WHERE external_id = ?", arguments: [name])
            return owner == nil || owner == record.id
        }
        try FileTransferWriting(database, layout).apply([TransferNote(record: record)], removing: [])
    }

    /// The threads as they are now: by number, else by name, else new ones.
    private func threads(_ old: [NoteRecord.Thread]) throws -> [NoteRecord.Thread] {
        guard layout.columns.hasThreads else { return [] }
        return try old.map { thread in
            if let name = try Scalar.text(
                database, sql: "SELECT name FROM threads WHERE id = ?", arguments: [thread.id])
            {
                return NoteRecord.Thread(id: thread.id, name: NoteRecord.clean(name))
            }
            let known = try Scalar.integer(
                database, sql: "SELECT id FROM threads WHERE name = ? ORDER BY id", arguments: [thread.name])
            return NoteRecord.Thread(id: known ?? thread.id, name: thread.name)
        }
    }
}
