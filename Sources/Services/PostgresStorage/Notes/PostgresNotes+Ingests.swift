import Foundation
import GatewayAPI
package import Storage
import Text

/// What is stored about the drafts of a batch.
struct PostgresIngests: IngestLookup {
    private var ingests: [ByteText: StoredIngest] = [:]
    private var texts: [[UInt8]: [StoredIngest]] = [:]
    private var named: [ByteText: Int64] = [:]
    private var notes: [Int64: IngestedText] = [:]
    private var aliases: [Int64: [String]] = [:]
    /// The notes with the texts of files that were sent, by the hash of title and text.
    private var twins: [[UInt8]: Int64] = [:]

    /// Reads what drafts with names need, and locks the notes.
    init(_ drafts: [NoteDraft], _ connection: PostgresConnection) async throws {
        let drafts = drafts.filter { $0.externalID != nil }
        guard !drafts.isEmpty else { return }
        let names = Set(drafts.flatMap { ($0.externalID.map { [$0] } ?? []) + $0.formerIDs }.map(ByteText.init)).map(
            \.text)
        let hashes = drafts.compactMap(\.textHash).reduce(into: [[UInt8]: Int64]()) { $0[$1, default: 0] += 1 }
        let sources = try await connection.run(
            """
            SELECT s.external_id, s.note_id FROM unnest($1::text[]) AS u (name)
            JOIN note_sources s ON md5(s.external_id) = md5(u.name)
            """, [.texts(names)])
        for row in sources.indices {
            if let name = sources.text(row, 0), let note = sources.integer(row, 1) { named[ByteText(name)] = note }
        }
        let columns = "SELECT i.external_id, i.note_id, i.source_hash, i.note_hash, i.text_hash FROM"
        let rows = try await connection.run(
            "\(columns) unnest($1::text[]) AS u (name) JOIN note_ingests i ON md5(i.external_id) = md5(u.name)",
            [.texts(names)])
        for row in rows.indices {
            if let ingest = Self.ingest(rows, row) { ingests[ByteText(ingest.externalID)] = ingest }
        }
        let alike = try await connection.run(
            """
            \(columns) unnest($1::bytea[], $2::bigint[]) AS u (hash, drafts) CROSS JOIN LATERAL (
                SELECT * FROM note_ingests WHERE text_hash = u.hash AND NOT (external_id = ANY ($3))
                ORDER BY external_id COLLATE "C" LIMIT u.drafts + 100) i
            """, [.blobs(Array(hashes.keys)), .integers(Array(hashes.values)), .texts(names)])
        for row in alike.indices {
            if let ingest = Self.ingest(alike, row) { texts[ingest.textHash, default: []].append(ingest) }
        }
        let sent = Array(Set(drafts.filter(\.isUpload).map(Self.hash)))
        let copies = try await connection.run(
            """
            SELECT u.hash, min(n.id) FROM unnest($1::bytea[]) AS u (hash) JOIN notes n ON n.content_hash = u.hash
            GROUP BY u.hash
            """, [.blobs(sent)])
        for row in copies.indices {
            if let hash = copies.bytes(row, 0), let note = copies.integer(row, 1) { twins[hash] = note }
        }
        let others =
            texts.values.joined().map(\.note) + drafts.compactMap { $0.export?.note } + twins.values
        let ids = Set(named.values).union(ingests.values.map(\.note)).union(others)
        for record in try await PostgresNotes.records(ids.sorted(), isLocked: true, connection) where !record.isHidden {
            notes[record.id] = IngestedText(record)
            aliases[record.id] = record.externalIDs
        }
    }

    fileprivate static func ingest(_ rows: PostgresRows, _ row: Int) -> StoredIngest? {
        guard let name = rows.text(row, 0), let note = rows.integer(row, 1) else { return nil }
        return StoredIngest(
            externalID: name, note: note, sourceHash: rows.bytes(row, 2) ?? [], noteHash: rows.bytes(row, 3) ?? [],
            textHash: rows.bytes(row, 4) ?? [])
    }

    private static func hash(_ draft: NoteDraft) -> [UInt8] {
        Array(ContentHash.of(title: draft.title, content: draft.content))
    }

    func ingest(_ name: String) -> StoredIngest? { ingests[ByteText(name)] }
    func twin(of draft: NoteDraft) -> Int64? { twins[Self.hash(draft)] }
    func note(named name: String) -> Int64? { named[ByteText(name)] }
    func note(_ id: Int64) -> IngestedText? { notes[id] }
    func isShared(_ id: Int64, besides own: [String]) -> Bool {
        aliases[id]?.contains { alias in !own.contains { $0.hasSameBytes(as: alias) } } ?? false
    }
    func ingests(ofText hash: [UInt8]) -> [StoredIngest] { texts[hash] ?? [] }

    /// Records what was done with drafts.
    static func record(_ steps: [(draft: NoteDraft, step: IngestStep, note: Int64)], _ connection: PostgresConnection)
        async throws
    {
        let steps = steps.filter(\.step.isRecorded)
        guard !steps.isEmpty else { return }
        let stored = try await PostgresNotes.records(Array(Set(steps.map(\.note))), connection)
        let hashes = Dictionary(stored.map { ($0.id, IngestedText($0).hash) }) { first, _ in first }
        let names = steps.map { $0.draft.externalID ?? "" }
        try await connection.run(
            """
            INSERT INTO note_sources (external_id, note_id) SELECT * FROM unnest($1::text[], $2::bigint[])
            ON CONFLICT (md5(external_id)) DO UPDATE SET note_id = excluded.note_id
                WHERE note_sources.note_id <> excluded.note_id
            """, [.texts(names), .integers(steps.map(\.note))])
        try await connection.run(
            """
            INSERT INTO note_ingests (external_id, note_id, source_hash, note_hash, text_hash)
            SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[], $4::bytea[], $5::bytea[])
            ON CONFLICT (md5(external_id)) DO UPDATE SET note_id = excluded.note_id, source_hash = excluded.source_hash,
                note_hash = excluded.note_hash, text_hash = excluded.text_hash
            """,
            [
                .texts(names), .integers(steps.map(\.note)), .blobs(steps.map(\.draft.sourceHash)),
                .blobs(steps.map { $0.step.isEdited ? [] : hashes[$0.note] ?? [] }),
                .blobs(steps.map { $0.draft.textHash ?? [] }),
            ])
    }

    /// Forgets names that stand for their notes no more.
    static func drop(_ names: [String], _ connection: PostgresConnection) async throws {
        guard !names.isEmpty else { return }
        for table in ["note_sources", "note_ingests"] {
            try await connection.run(
                "DELETE FROM \(table) WHERE md5(external_id) IN (SELECT md5(n) FROM unnest($1::text[]) AS u (n))",
                [.texts(names)])
        }
    }
}

extension IngestedText {
    init(_ record: NoteRecord) {
        self.init(
            id: record.id, title: record.title, content: record.content, tags: record.tags,
            created: Timestamp.unixSeconds(record.createdAt),
            imported: ExtraColumns(record.extra)?.raw["imported_at"]?.asText.flatMap(Timestamp.unixSeconds))
    }
}

extension PostgresNotes {
    /// The names that begin with a text, of what was ingested and whose notes exist, in their order.
    package func ingested(beginningWith prefix: String) async throws -> [(name: String, note: Int64)] {
        let rows = try await store.rows(
            """
            SELECT i.external_id, i.note_id FROM note_ingests i JOIN notes n ON n.id = i.note_id
            WHERE starts_with(i.external_id, $1) ORDER BY i.external_id COLLATE "C"
            """, [.text(prefix)])
        return rows.indices.compactMap { row in
            guard let name = rows.text(row, 0), let note = rows.integer(row, 1) else { return nil }
            return (name, note)
        }
    }
}

extension PostgresNotes {
    private static let ingestColumns = "i.external_id, i.note_id, i.source_hash, i.note_hash, i.text_hash"

    /// What was ingested under names, and whose notes exist.
    package func ingested(_ names: [String]) async throws -> [IngestedName] {
        let rows = try await store.rows(
            """
            SELECT \(Self.ingestColumns) FROM unnest($1::text[]) AS u (name)
            JOIN note_ingests i ON md5(i.external_id) = md5(u.name) JOIN notes n ON n.id = i.note_id
            """, [.texts(names)])
        return rows.indices.compactMap { row in
            PostgresIngests.ingest(rows, row).map {
                IngestedName(name: $0.externalID, note: $0.note, textHash: $0.textHash)
            }
        }
    }

    /// Deletes the notes of sources that are gone, in one transaction, by the rule of ``IngestRemoval``.
    package func removeIngested(_ names: [String], forgets: Bool) async throws -> [IngestRemoval] {
        try await store.write { connection in
            let rows = try await connection.run(
                """
                SELECT \(Self.ingestColumns) FROM unnest($1::text[]) AS u (name)
                JOIN note_ingests i ON md5(i.external_id) = md5(u.name)
                """, [.texts(names)])
            let ingests = rows.indices.compactMap { PostgresIngests.ingest(rows, $0) }
            let ids = Set(ingests.map(\.note)).sorted()
            let records = Dictionary(
                try await Self.records(ids, isLocked: true, connection).filter { !$0.isHidden }.map { ($0.id, $0) }
            ) { first, _ in first }
            var (removals, forgotten, removed) = ([IngestRemoval](), [String](), [NoteRecord]())
            // Of two names of one note that are both gone, the first is forgotten, and the note goes with the second.
            var left = records.mapValues(\.externalIDs)
            for row in ingests {
                let record = records[row.note].flatMap { record in
                    removed.contains { $0.id == record.id } ? nil : record
                }
                let isShared = left[row.note, default: []].contains { !$0.hasSameBytes(as: row.externalID) }
                let outcome = IngestRemoval.outcome(of: row, record.map(IngestedText.init), isShared: isShared)
                removals.append(IngestRemoval(name: row.externalID, outcome: outcome))
                switch outcome {
                case .shared:
                    forgotten.append(row.externalID)
                    left[row.note]?.removeAll { $0.hasSameBytes(as: row.externalID) }
                case .removed:
                    if let record { removed.append(record) }
                    if forgets { forgotten.append(row.externalID) }
                case .edited, .missing: break
                }
            }
            try await PostgresIngests.drop(forgotten, connection)
            try await PostgresNoteHistory.keep(removed, .deleted, connection)
            if !removed.isEmpty {
                try await connection.run("DELETE FROM notes WHERE id = ANY ($1)", [.integers(removed.map(\.id))])
            }
            let known = Set(removals.map { ByteText($0.name) })
            return removals
                + names.filter { !known.contains(ByteText($0)) }.map { IngestRemoval(name: $0, outcome: .missing) }
        }
    }
}

extension PostgresTransfer {
    package func ingests(after name: String) async throws -> [StoredIngest] {
        let rows = try await store.rows(
            """
            SELECT external_id, note_id, source_hash, note_hash, text_hash FROM note_ingests
            WHERE external_id COLLATE "C" > $1 ORDER BY external_id COLLATE "C" LIMIT \(mostIngests)
            """, [.text(name)])
        return rows.indices.compactMap { PostgresIngests.ingest(rows, $0) }
    }

    package func apply(_ ingests: [StoredIngest], after name: String, _ state: TransferState) async throws {
        let names = ingests.map { NoteRecord.clean($0.externalID) }
        try await store.write { connection in
            try await check(state, connection)
            try await connection.run(
                """
                DELETE FROM note_ingests WHERE external_id COLLATE "C" > $1
                    AND ($2::text IS NULL OR external_id COLLATE "C" <= $2)
                """, [.text(NoteRecord.clean(name)), names.last.map { .text($0) } ?? .null])
            try await connection.run(
                """
                INSERT INTO note_ingests (external_id, note_id, source_hash, note_hash, text_hash)
                SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[], $4::bytea[], $5::bytea[])
                ON CONFLICT (md5(external_id)) DO NOTHING
                """,
                [
                    .texts(names), .integers(ingests.map(\.note)), .blobs(ingests.map(\.sourceHash)),
                    .blobs(ingests.map(\.noteHash)), .blobs(ingests.map(\.textHash)),
                ])
        }
    }
}
