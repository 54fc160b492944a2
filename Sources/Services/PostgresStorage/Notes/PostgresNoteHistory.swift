package import GatewayAPI
import Retrieval
package import Storage

import Foundation

/// The earlier versions of a database's notes.
package struct PostgresNoteHistory: NoteHistory {
    let store: PostgresStore

    /// Versions up to a deletion belong to a note that is gone, if a note has its number.
    private static let since = """
        id > coalesce((SELECT max(d.id) FROM note_versions d WHERE d.note_id = $1 AND d.reason = 'deleted'
            AND EXISTS (SELECT 1 FROM notes n WHERE n.id = $1)), 0)
        """

    private static var now: Int64 { Int64(Date.now.timeIntervalSince1970) }

    package func versions(of id: Int64) async throws -> [NoteVersion] {
        try await store.read { try await Self.all(of: id, $0) }.map { $0.version(hasText: false) }
    }

    package func version(_ version: Int64, of id: Int64) async throws -> NoteVersion? {
        try await store.read { connection in
            try await Self.find(
                "note_id = $1 AND \(Self.since) AND id = $2", [.integer(id), .integer(version)], connection)
        }.first?.version(hasText: true)
    }

    package func deletedNotes(after cursor: PageCursor?, limit: Int) async throws -> Page<NoteVersion> {
        try cursor?.check(numbers: 1)
        let values: [PostgresValue] = [
            .integer(cursor?.numbers[0] ?? .max), .integer(Self.now - NoteHistoryLimits.deletedLifetime),
            .integer(Int64(limit) + 1),
        ]
        return try await store.read { connection in
            // The end of the page is found before texts are loaded.
            let rows = try await connection.run(
                """
                SELECT id, bytes FROM note_versions v WHERE reason = 'deleted' AND id < $1 AND replaced_at >= $2
                AND NOT EXISTS (SELECT 1 FROM notes n WHERE n.id = v.note_id)
                AND NOT EXISTS (SELECT 1 FROM note_versions w WHERE w.note_id = v.note_id AND w.id > v.id)
                ORDER BY id DESC LIMIT $3
                """, values)
            var (ids, bytes) = ([Int64](), Int64(0))
            for row in rows.indices.prefix(limit) where ids.isEmpty || bytes < Int64(PageLimits.maxBytes) {
                bytes += rows.integer(row, 1) ?? 0
                if let id = rows.integer(row, 0) { ids.append(id) }
            }
            let found = try await Self.find("id = ANY ($1) ORDER BY id DESC", [.integers(ids)], connection)
            return Page(
                items: found.map { $0.version(hasText: false) },
                next: ids.count < rows.count ? ids.last.map { PageCursor($0) } : nil)
        }
    }

    package func restore(_ id: Int64, version: Int64?, revision: String?) async throws -> Bool {
        let all = try await store.read { try await Self.all(of: id, $0) }
        let isThere = try await !store.notes.find(ids: [id]).isEmpty
        guard let stored = version.map({ version in all.first { $0.id == version } }) ?? all.first else {
            if isThere { try NoteRecord.checkRestore(id, version: version, isThere: true) }
            return false
        }
        try NoteRecord.checkRestore(id, version: version, isThere: isThere)
        let text = IndexedText(title: stored.record.title, text: stored.record.content)
        let numbers = try await store.notes.numbers(of: [text])
        return try await store.write { connection in
            var record = stored.record
            try await PostgresNotes.lock([record.contentHash], connection)
            if let other = try await PostgresNotes.note(with: record.contentHash, connection), other != id {
                throw StorageError(.conflict, "note \(other) has this title and content already")
            }
            let now = try await PostgresNotes.records([id], isLocked: true, connection).first
            try NoteRecord.checkRestore(id, version: version, isThere: now != nil)
            try now?.note.require(revision: revision)
            if let now {
                // The files that the note has now follow it, not those of that time.
                record.externalIDs = now.externalIDs
                if !now.isSameText(as: record) { try await Self.keep([now], .restored, connection) }
            } else {
                try await Self.bringBack(id, stored.id, connection)
            }
            let taken = try await connection.run(
                """
                SELECT s.external_id FROM unnest($1::text[]) AS u (name) JOIN note_sources s
                    ON md5(s.external_id) = md5(u.name) WHERE s.note_id <> $2
                """, [.texts(record.externalIDs), .integer(id)])
            let names = Set(taken.indices.compactMap { taken.text($0, 0) })
            record.externalIDs.removeAll { names.contains($0) }
            record.threads = try await Self.threads(record.threads, connection)
            // Without the old text, words and threads are written in any case.
            var before = now ?? record
            if now == nil { (before.threads, before.title, before.content) = ([], "", "") }
            for index in record.threads.indices
            where !before.threads.contains(where: { $0.name == record.threads[index].name }) {
                record.threads[index].id = 0
            }
            try await store.notes.write(record, over: before, text, numbers, connection)
            return true
        }
    }

    /// Takes the deletion out of the versions of a note that comes back: it is the note again, or an earlier version.
    private static func bringBack(_ id: Int64, _ version: Int64, _ connection: PostgresConnection) async throws {
        try await connection.run(
            "DELETE FROM note_versions WHERE note_id = $1 AND id = $2 AND reason = 'deleted'",
            [.integer(id), .integer(version)])
        try await connection.run(
            "UPDATE note_versions SET reason = 'restored' WHERE note_id = $1 AND reason = 'deleted'", [.integer(id)])
    }

    /// The threads with their present names.
    private static func threads(
        _ old: [NoteRecord.Thread], _ connection: PostgresConnection
    ) async throws -> [NoteRecord.Thread] {
        let rows = try await connection.run(
            "SELECT id, name FROM threads WHERE id = ANY ($1)", [.integers(old.map(\.id))])
        var names: [Int64: String] = [:]
        for row in rows.indices { if let id = rows.integer(row, 0) { names[id] = rows.text(row, 1) } }
        return old.map { NoteRecord.Thread(id: $0.id, name: names[$0.id] ?? $0.name) }
    }

    package func eraseHistory(of id: Int64) async throws -> Int {
        try await store.write { connection in
            try await connection.run("DELETE FROM note_versions WHERE note_id = $1", [.integer(id)]).changed
        }
    }

    package func eraseExpired() async throws -> Int {
        try await store.write { try await Self.eraseExpired($0) }
    }

    // MARK: Within a transaction

    /// Stores versions, and erases those beyond the limits of their notes.
    static func keep(
        _ records: [NoteRecord], _ reason: NoteVersionReason, _ connection: PostgresConnection
    ) async throws {
        guard !records.isEmpty else { return }
        let texts = records.map(\.json)
        try await connection.run(
            """
            INSERT INTO note_versions (note_id, replaced_at, reason, bytes, record)
            SELECT id, $3, $4, octet_length(record), record FROM unnest($1::bigint[], $2::text[]) AS u (id, record)
            """,
            [.integers(records.map(\.id)), .texts(texts), .integer(now), .text(reason.rawValue)])
        try await connection.run(
            """
            DELETE FROM note_versions v USING (
                SELECT id, row_number() OVER (PARTITION BY note_id ORDER BY id DESC) AS place,
                    sum(bytes) OVER (PARTITION BY note_id ORDER BY id DESC) AS total
                FROM note_versions WHERE note_id = ANY ($1)
            ) w WHERE w.id = v.id AND w.place > 1 AND (w.place > $2 OR w.total > $3)
            """,
            [
                .integers(records.map(\.id)), .integer(Int64(NoteHistoryLimits.versions)),
                .integer(Int64(NoteHistoryLimits.bytes)),
            ])
    }

    @discardableResult
    static func eraseExpired(_ connection: PostgresConnection) async throws -> Int {
        let deleted = try await connection.run(
            """
            DELETE FROM note_versions WHERE note_id IN (
                SELECT note_id FROM note_versions v WHERE reason = 'deleted' AND replaced_at < $1
                    AND id = (SELECT max(id) FROM note_versions w WHERE w.note_id = v.note_id))
            """, [.integer(now - NoteHistoryLimits.deletedLifetime)]
        ).changed
        let old = try await connection.run(
            "DELETE FROM note_versions WHERE replaced_at < $1",
            [.integer(now - NoteHistoryLimits.versionLifetime)])
        return deleted + old.changed
    }

    private static func all(of id: Int64, _ connection: PostgresConnection) async throws -> [StoredNoteVersion] {
        try await find(
            "note_id = $1 AND \(since) ORDER BY id DESC LIMIT $2",
            [.integer(id), .integer(Int64(NoteHistoryLimits.versions))], connection)
    }

    private static func find(
        _ condition: String, _ values: [PostgresValue], _ connection: PostgresConnection
    ) async throws -> [StoredNoteVersion] {
        let rows = try await connection.run(
            "SELECT id, replaced_at, reason, record FROM note_versions WHERE \(condition)", values)
        return rows.indices.compactMap { row in
            guard let id = rows.integer(row, 0), let time = rows.integer(row, 1), let reason = rows.text(row, 2),
                let record = rows.text(row, 3).flatMap({ NoteRecord(json: $0) })
            else { return nil }
            return StoredNoteVersion(id: id, replacedAt: time, reason: reason, record: record)
        }
    }
}
