import Foundation
import GatewayAPI
import Retrieval
package import Storage
import Text

/// Notes: stored, changed, deleted, loaded.
package struct PostgresNotes: Sendable {
    let store: PostgresStore

    /// Stores drafts, as ``NoteStore`` does: a known external id updates its note, and a draft without one is skipped when
    /// a note has its text.
    ///
    /// - Throws: ``PostgresError``; nothing is stored then.
    package func insert(_ drafts: [NoteDraft]) async throws -> InsertOutcome {
        guard !drafts.isEmpty else { return InsertOutcome() }
        // The last draft of a name counts, as if they were stored one after another.
        var (records, sources, places, repeats) = ([NoteRecord](), [NoteDraft](), [ByteText: Int](), 0)
        for draft in drafts.map(\.storable) {
            let record = NoteRecord(draft).storable
            // Drafts without a name are the same note when they have the same text.
            let key = ByteText(
                draft.externalID.map { "=" + $0 } ?? record.contentHash.map(String.init).joined(separator: "."))
            if let place = places[key] {
                repeats += 1
                if draft.externalID != nil { (records[place], sources[place]) = (record, draft) }
            } else {
                places[key] = records.count
                records.append(record)
                sources.append(draft)
            }
        }
        let texts = try await Self.indexed(records)
        let numbers = try await numbers(of: texts)
        let (all, words, read) = (records, texts, sources)
        var outcome = try await store.write { connection in
            try await self.insert(all, read, words, numbers, connection)
        }
        outcome.unchanged += repeats
        return outcome
    }

    private func insert(
        _ records: [NoteRecord], _ drafts: [NoteDraft], _ texts: [IndexedText], _ numbers: [String: Int32],
        _ connection: PostgresConnection
    ) async throws -> InsertOutcome {
        var records = records
        // Two gateways that store the same note wait for each other here, in the same order.
        let keys = records.map { $0.externalIDs.first ?? "" }
        let hashes = zip(records, keys).map { record, key in
            key.isEmpty ? record.contentHash : Array(ContentHash.of(title: key, content: ""))
        }
        try await Self.lock(hashes, connection)
        let known = try await connection.run(
            """
            SELECT u.place, (SELECT min(n.id) FROM notes n WHERE n.content_hash = u.hash)
            FROM unnest($1::text[], $2::bytea[]) WITH ORDINALITY AS u (name, hash, place) WHERE u.name = ''
            """, [.texts(keys), .blobs(records.map(\.contentHash))])
        var ids: [Int: Int64] = [:]
        for row in known.indices {
            if let place = known.integer(row, 0), let id = known.integer(row, 1) { ids[Int(place) - 1] = id }
        }
        let lookup = try await PostgresIngests(drafts, connection)
        var (steps, taken) = ([Int: IngestStep](), IngestStep.Taken())
        for place in records.indices where !keys[place].isEmpty {
            steps[place] = try IngestStep(drafts[place], named: keys[place], lookup, taken: &taken)
            if let id = steps[place]?.note { ids[place] = id }
        }
        try await PostgresIngests.drop(steps.values.flatMap(\.dropped), connection)

        var outcome = InsertOutcome()
        let fresh = records.indices.filter { ids[$0] == nil }
        let numbered = try await connection.run(
            "SELECT nextval(pg_get_serial_sequence('selene.notes', 'id')) FROM generate_series(1, $1)",
            [.integer(Int64(fresh.count))])
        for (row, place) in fresh.enumerated() {
            records[place].id = numbered.integer(row, 0) ?? 0
            if records[place].createdAt.isEmpty {
                records[place].createdAt = Timestamp.text(Int64(Date.now.timeIntervalSince1970))
            }
        }
        try await Self.write(fresh.map { records[$0] }, connection)
        outcome.inserted = fresh.count

        for (place, id) in ids { records[place].id = id }
        let named = records.indices.filter { place in
            if case .update = steps[place]?.action { true } else { false }
        }
        let changed = try await Self.update(named.map { records[$0] }, connection)
        outcome.updated = changed.all.count
        outcome.unchanged = records.count - fresh.count - changed.all.count

        try await Self.join(fresh.map { records[$0] } + named.map { records[$0] }, connection)
        let indexed = (fresh + named.filter { changed.text.contains(records[$0].id) }).map {
            Worded(id: records[$0].id, created: records[$0].created, text: texts[$0])
        }
        try await writeWords(of: indexed, numbers: numbers, connection)
        let done = steps.sorted { $0.key < $1.key }
        try await PostgresIngests.record(
            done.map { (drafts[$0.key], $0.value, records[$0.key].id) }, connection)
        outcome.remarks = done.compactMap { place, step in
            guard var remark = step.remark else { return nil }
            if step.note == nil { remark.other = records[place].id }
            return remark
        }
        return outcome
    }

    /// Waits for other transactions that write what has these hashes, and makes later ones wait.
    static func lock(_ hashes: [[UInt8]], _ connection: PostgresConnection) async throws {
        let locks = hashes.map { hash in hash.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) } }
        try await connection.run(
            "SELECT pg_advisory_xact_lock(k) FROM (SELECT DISTINCT k FROM unnest($1::bigint[]) AS u (k) ORDER BY k) AS o",
            [.integers(locks)])
    }

    /// Writes new rows of notes within a transaction.
    static func write(_ records: [NoteRecord], _ connection: PostgresConnection) async throws {
        guard !records.isEmpty else { return }
        try await connection.run(
            """
            INSERT INTO notes (id, title, content, created_at, created, note_type, actionability, tags, source, hidden,
                extra, content_hash)
            SELECT id, title, content, created_at, created, note_type, actionability, tags::text[], source, hidden <> 0,
                extra, content_hash
            FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[],
                    $8::text[], $9::text[], $10::bigint[], $11::text[], $12::bytea[])
                AS u (id, title, content, created_at, created, note_type, actionability, tags, source, hidden, extra,
                    content_hash)
            ORDER BY id
            ON CONFLICT (id) DO UPDATE SET title = excluded.title, content = excluded.content,
                created_at = excluded.created_at, created = excluded.created, note_type = excluded.note_type,
                actionability = excluded.actionability, tags = excluded.tags, source = excluded.source,
                hidden = excluded.hidden, extra = excluded.extra, content_hash = excluded.content_hash
            """,
            [
                .integers(records.map(\.id)), .texts(records.map(\.title)), .texts(records.map(\.content)),
                .texts(records.map(\.createdAt)), .integers(records.map(\.created)), .texts(records.map(\.noteType)),
                .texts(records.map(\.actionability)), .texts(records.map { literal($0.tags) }),
                .texts(records.map(\.source)), .integers(records.map { $0.isHidden ? 1 : 0 }),
                .texts(records.map(\.extra)), .blobs(records.map(\.contentHash)),
            ])
        let names = records.flatMap { record in record.externalIDs.map { ($0, record.id) } }
        guard !names.isEmpty else { return }
        try await connection.run(
            """
            INSERT INTO note_sources (external_id, note_id) SELECT * FROM unnest($1::text[], $2::bigint[])
            ON CONFLICT (md5(external_id)) DO UPDATE SET note_id = excluded.note_id
            """, [.texts(names.map(\.0)), .integers(names.map(\.1))])
    }

    /// Updates notes by drafts. A draft without kind, actionability or date keeps the old one.
    ///
    /// - Returns: The ids of changed notes, and of those whose text or date changed.
    private static func update(
        _ drafts: [NoteRecord], _ connection: PostgresConnection
    ) async throws -> (all: Set<Int64>, text: Set<Int64>) {
        guard !drafts.isEmpty else { return ([], []) }
        let stored = try await records(drafts.map(\.id), isLocked: true, connection)
        let old = Dictionary(stored.map { ($0.id, $0) }) { first, _ in first }
        var (changed, replaced, text) = ([NoteRecord](), [NoteRecord](), Set<Int64>())
        for draft in drafts {
            guard let before = old[draft.id] else { continue }
            var after = before
            (after.title, after.content, after.tags) = (draft.title, draft.content, draft.tags)
            if !draft.createdAt.isEmpty { after.createdAt = draft.createdAt }
            after.noteType = draft.noteType ?? before.noteType
            after.actionability = draft.actionability ?? before.actionability
            guard after != before else { continue }
            let hasText = !after.hasSameTitleAndContent(as: before)
            if hasText { after.extra = ExtraColumns(after.extra)?.withoutTextColumns.text }
            changed.append(after)
            if hasText || after.tags != before.tags { replaced.append(before) }
            if hasText || after.created != before.created { text.insert(after.id) }
        }
        try await PostgresNoteHistory.keep(replaced, .ingested, connection)
        try await write(changed, connection)
        return (Set(changed.map(\.id)), text)
    }

    /// Puts notes into their threads by name; missing threads are created.
    static func join(_ records: [NoteRecord], _ connection: PostgresConnection) async throws {
        var known: Set = [""]
        let names = records.flatMap { $0.threads.map(\.name) }.filter { known.insert($0).inserted }
        guard !names.isEmpty else { return }
        try await connection.run("SELECT pg_advisory_xact_lock($1)", [.integer(PostgresSchema.lock + 2)])
        try await connection.run(
            """
            INSERT INTO threads (name, folded, created)
            SELECT n, f, extract(epoch FROM now())::bigint
            FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u (n, f, place)
            WHERE NOT EXISTS (SELECT 1 FROM threads t WHERE md5(t.folded) = md5(u.f) AND t.name = u.n) ORDER BY place
            """, [.texts(names), .texts(names.map { Self.foldedName($0) })])
        let pairs = records.flatMap { record in record.threads.map { (record.id, $0.name) } }
        try await connection.run(
            """
            INSERT INTO thread_notes (thread_id, note_id)
            SELECT (SELECT min(t.id) FROM threads t WHERE md5(t.folded) = md5(u.f) AND t.name = u.n), u.id
            FROM unnest($1::bigint[], $2::text[], $3::text[]) AS u (id, n, f) WHERE u.n <> ''
            ON CONFLICT DO NOTHING
            """,
            [
                .integers(pairs.map(\.0)), .texts(pairs.map(\.1)), .texts(pairs.map { Self.foldedName($0.1) }),
            ])
    }

    /// Deletes notes with all that belongs to them. Returns the number of deleted ones.
    package func delete(_ ids: [Int64]) async throws -> Int {
        try await store.write { try await $0.run("DELETE FROM notes WHERE id = ANY ($1)", [.integers(ids)]).changed }
    }

    /// Whether any visible note has text to embed.
    package func hasTextToEmbed() async throws -> Bool {
        try await store.rows("SELECT EXISTS (SELECT 1 FROM notes WHERE NOT hidden AND btrim(title || content) <> '')")
            .bool(0, 0) ?? false
    }

    /// Counts the notes, without those of test runs.
    package func count() async throws -> Int {
        Int(try await store.rows("SELECT count(*) FROM notes WHERE NOT hidden").integer(0, 0) ?? 0)
    }
}

extension NoteRecord {
    /// The record of a draft; an empty date stands for none.
    init(_ draft: NoteDraft) {
        self.init(
            id: 0, title: draft.title, content: draft.content, createdAt: draft.createdAt.map(Timestamp.text) ?? "",
            noteType: draft.noteType, actionability: draft.actionability, tags: draft.tags,
            threads: draft.threads.map { Thread(id: 0, name: $0) }, externalIDs: draft.externalID.map { [$0] } ?? [],
            source: draft.source)
    }
}
