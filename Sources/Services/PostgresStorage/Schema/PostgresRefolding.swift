import Retrieval
import Storage
import Text

/// Folds what was stored by an older rule of ``TextFolding`` once more, so that a search compares like with like.
///
/// It runs once for each database and rule, in one transaction under the lock of migrations: other gateways wait.
enum PostgresRefolding {
    private static let batch: Int64 = 200

    static func run(_ pool: PostgresPool, _ notes: PostgresNotes) async throws {
        guard try await !pool.read(isCurrent) else { return }
        try await pool.write { connection in
            try await connection.run("SELECT pg_advisory_xact_lock($1)", [.integer(PostgresSchema.lock)])
            guard try await !isCurrent(connection) else { return }
            try await stemAgain(connection)
            try await nameAgain(connection)
            try await wordAgain(notes, connection)
            try await connection.run(
                """
                INSERT INTO selene.meta VALUES ('folding', $1)
                ON CONFLICT (key) DO UPDATE SET value = excluded.value
                """, [.text(String(TextFolding.version))])
        }
    }

    private static func isCurrent(_ connection: PostgresConnection) async throws -> Bool {
        let rows = try await connection.run("SELECT value FROM selene.meta WHERE key = 'folding'")
        return rows.text(0, 0) == String(TextFolding.version)
    }

    /// The keys of the vocabulary: only runs beyond ASCII have other ones.
    private static func stemAgain(_ connection: PostgresConnection) async throws {
        var last: Int64 = 0
        while true {
            let rows = try await connection.run(
                """
                SELECT id, run FROM selene.vocabulary WHERE id > $1 AND octet_length(run) <> length(run)
                ORDER BY id LIMIT 5000
                """, [.integer(last)])
            var (ids, stems) = ([Int64](), [String]())
            for row in rows.indices {
                guard let id = rows.integer(row, 0), let run = rows.text(row, 1) else { continue }
                ids.append(id)
                stems.append(PostgresNotes.literal(IndexedText.stems(of: run)))
            }
            guard let end = ids.last else { return }
            last = end
            try await connection.run(
                """
                UPDATE selene.vocabulary v SET stems = u.s::text[] FROM unnest($1::bigint[], $2::text[]) AS u (i, s)
                WHERE v.id = u.i AND v.stems <> u.s::text[]
                """, [.integers(ids), .texts(stems)])
        }
    }

    private static func nameAgain(_ connection: PostgresConnection) async throws {
        let rows = try await connection.run("SELECT id, name, folded FROM selene.threads")
        var (ids, folded) = ([Int64](), [String]())
        for row in rows.indices {
            guard let id = rows.integer(row, 0), let name = rows.text(row, 1) else { continue }
            let text = PostgresNotes.foldedName(name)
            guard text != rows.text(row, 2) else { continue }
            ids.append(id)
            folded.append(text)
        }
        guard !ids.isEmpty else { return }
        try await connection.run(
            """
            UPDATE selene.threads t SET folded = u.f FROM unnest($1::bigint[], $2::text[]) AS u (i, f) WHERE t.id = u.i
            """, [.integers(ids), .texts(folded)])
    }

    private static func wordAgain(_ notes: PostgresNotes, _ connection: PostgresConnection) async throws {
        var last = Int64.min
        while true {
            let rows = try await connection.run(
                """
                SELECT n.id, w.created, n.title, n.content FROM selene.note_words w JOIN selene.notes n ON n.id = w.note_id
                WHERE n.id > $1 ORDER BY n.id LIMIT $2
                """, [.integer(last), .integer(batch)])
            var worded: [PostgresNotes.Worded] = []
            for row in rows.indices {
                guard let id = rows.integer(row, 0), let created = rows.integer(row, 1) else { continue }
                last = id
                let text = IndexedText(title: rows.text(row, 2) ?? "", text: rows.text(row, 3) ?? "")
                worded.append(PostgresNotes.Worded(id: id, created: created, text: text))
            }
            guard !worded.isEmpty else { return }
            let numbers = try await numbers(of: worded, connection)
            try await notes.writeWords(of: worded, numbers: numbers, connection)
        }
    }

    /// The numbers of the runs, new ones for those that the vocabulary lacks.
    private static func numbers(
        of notes: [PostgresNotes.Worded], _ connection: PostgresConnection
    ) async throws -> [String: Int32] {
        let runs = Set(notes.flatMap { $0.text.runs.map(\.text) }).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let stems = runs.map { PostgresNotes.literal(IndexedText.stems(of: $0)) }
        try await connection.run(
            """
            INSERT INTO selene.vocabulary (run, stems)
            SELECT r, s::text[] FROM unnest($1::text[], $2::text[]) AS u (r, s)
            WHERE NOT EXISTS (SELECT 1 FROM selene.vocabulary v WHERE md5(v.run) = md5(u.r))
            ON CONFLICT (md5(run)) DO NOTHING
            """, [.texts(runs), .texts(stems)])
        let rows = try await connection.run(
            """
            SELECT v.id, v.run FROM unnest($1::text[]) AS u (r) JOIN selene.vocabulary v ON md5(v.run) = md5(u.r)
            """, [.texts(runs)])
        var numbers: [String: Int32] = [:]
        for row in rows.indices {
            if let id = rows.integer(row, 0), let run = rows.text(row, 1) {
                numbers[run] = Int32(truncatingIfNeeded: id)
            }
        }
        return numbers
    }
}
