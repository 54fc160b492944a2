import Retrieval
import Storage
import Text

/// Folds what was stored by an older rule of ``TextFolding`` once more, so that a search compares like with like.
///
/// It runs once for each database and rule, in batches, each of which is a transaction under the lock of migrations. What was
/// done stays done: after an error the next start goes on behind the last batch, and several gateways take turns.
enum PostgresRefolding {
    /// The most notes of a batch.
    private static let maxNotes: Int64 = 200
    /// The most bytes of a batch, unless its only note has more.
    static let maxBytes: Int64 = 4 << 20
    /// The most rows of one statement on the vocabulary.
    private static let maxRows = 5000
    /// The timeout of a statement: a note may be large, and other gateways have the lock for a batch each.
    private static let hours = Duration.seconds(12 * 3600)
    /// The key in `meta` of the last note that was folded again.
    private static let progressKey = "folding-at"

    static func run(_ pool: PostgresPool, _ notes: PostgresNotes) async throws {
        guard try await !pool.read(isCurrent) else { return }
        var last: Int64? = 0
        while let place = last { last = try await turn(pool) { try await stemAgain(after: place, $0) } ?? nil }
        try await turn(pool, nameAgain)
        while try await turn(pool, { try await wordAgain(notes, $0) }) == true {}
    }

    /// Runs a transaction under the lock; nil when another gateway has folded all.
    @discardableResult
    private static func turn<Value: Sendable>(
        _ pool: PostgresPool, _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value? {
        try await pool.write { connection in
            try await connection.script(
                """
                SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
                SET LOCAL idle_in_transaction_session_timeout = 0
                """)
            try await connection.run(
                "SELECT pg_advisory_xact_lock($1)", [.integer(PostgresSchema.lock)], timeout: hours)
            guard try await !isCurrent(connection) else { return nil }
            return try await body(connection)
        }
    }

    /// How many of the first notes, by their bytes, make a batch.
    static func count(of sizes: [Int64]) -> Int {
        var total: Int64 = 0
        let fitting = sizes.prefix { size in
            total += size
            return total <= maxBytes
        }
        return min(max(1, fitting.count), sizes.count)
    }

    private static func isCurrent(_ connection: PostgresConnection) async throws -> Bool {
        let rows = try await connection.run("SELECT value FROM selene.meta WHERE key = 'folding'")
        return rows.text(0, 0) == String(TextFolding.version)
    }

    /// The keys of the vocabulary: only runs beyond ASCII have other ones. Returns the last one of a batch; nil when none is left.
    private static func stemAgain(after last: Int64, _ connection: PostgresConnection) async throws -> Int64? {
        let rows = try await connection.run(
            """
            SELECT id, run FROM selene.vocabulary WHERE id > $1 AND octet_length(run) <> length(run)
            ORDER BY id LIMIT $2
            """, [.integer(last), .integer(Int64(maxRows))], timeout: hours)
        var (ids, stems) = ([Int64](), [String]())
        for row in rows.indices {
            guard let id = rows.integer(row, 0), let run = rows.text(row, 1) else { continue }
            ids.append(id)
            stems.append(PostgresNotes.literal(IndexedText.stems(of: run)))
        }
        guard let end = ids.last else { return nil }
        try await connection.run(
            """
            UPDATE selene.vocabulary v SET stems = u.s::text[] FROM unnest($1::bigint[], $2::text[]) AS u (i, s)
            WHERE v.id = u.i AND v.stems <> u.s::text[]
            """, [.integers(ids), .texts(stems)], timeout: hours)
        return end
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
            """, [.integers(ids), .texts(folded)], timeout: hours)
    }

    /// The words of the next notes. Returns whether there may be more; without any, the rule is stored as that of the database.
    private static func wordAgain(_ notes: PostgresNotes, _ connection: PostgresConnection) async throws -> Bool {
        let last = try await progress(connection)
        let next = try await connection.run(
            """
            SELECT n.id, octet_length(coalesce(n.title, ''))::bigint + octet_length(coalesce(n.content, ''))::bigint
            FROM selene.note_words w JOIN selene.notes n ON n.id = w.note_id WHERE n.id > $1 ORDER BY n.id LIMIT $2
            """, [.integer(last), .integer(maxNotes)], timeout: hours)
        let sizes = next.indices.map { next.integer($0, 1) ?? 0 }
        guard !sizes.isEmpty, let end = next.integer(count(of: sizes) - 1, 0) else {
            try await finish(connection)
            return false
        }
        // Nobody changes the notes until their words are written.
        let rows = try await connection.run(
            """
            SELECT n.id, w.created, n.title, n.content FROM selene.note_words w JOIN selene.notes n ON n.id = w.note_id
            WHERE n.id > $1 AND n.id <= $2 ORDER BY n.id FOR NO KEY UPDATE OF n
            """, [.integer(last), .integer(end)], timeout: hours)
        var (places, texts) = ([(id: Int64, created: Int64)](), [(title: String, content: String)]())
        for row in rows.indices {
            guard let id = rows.integer(row, 0), let created = rows.integer(row, 1) else { continue }
            places.append((id, created))
            texts.append((rows.text(row, 2) ?? "", rows.text(row, 3) ?? ""))
        }
        let worded = zip(places, try await PostgresNotes.indexed(texts)).map {
            PostgresNotes.Worded(id: $0.id, created: $0.created, text: $1)
        }
        let numbers = try await numbers(of: worded, connection)
        try await notes.writeWords(of: worded, numbers: numbers, connection, timeout: hours)
        try await keep(progressKey, "\(TextFolding.version):\(end)", connection)
        return true
    }

    /// The last note that was folded by the present rule; less than all when there is none.
    private static func progress(_ connection: PostgresConnection) async throws -> Int64 {
        let rows = try await connection.run("SELECT value FROM selene.meta WHERE key = $1", [.text(progressKey)])
        let parts = (rows.text(0, 0) ?? "").split(separator: ":")
        guard parts.count == 2, parts[0] == String(TextFolding.version) else { return .min }
        return Int64(parts[1]) ?? .min
    }

    private static func finish(_ connection: PostgresConnection) async throws {
        try await keep("folding", String(TextFolding.version), connection)
        try await connection.run("DELETE FROM selene.meta WHERE key = $1", [.text(progressKey)])
    }

    private static func keep(_ key: String, _ value: String, _ connection: PostgresConnection) async throws {
        try await connection.run(
            """
            INSERT INTO selene.meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """, [.text(key), .text(value)])
    }

    /// The numbers of the runs, new ones for those that the vocabulary lacks.
    private static func numbers(
        of notes: [PostgresNotes.Worded], _ connection: PostgresConnection
    ) async throws -> [String: Int32] {
        var distinct: Set<String> = []
        for note in notes { for run in note.text.runs { distinct.insert(run.text) } }
        // Equal orders in all gateways, so that none waits for another in a circle.
        let runs = distinct.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var numbers: [String: Int32] = [:]
        for start in stride(from: 0, to: runs.count, by: maxRows) {
            let part = Array(runs[start..<min(start + maxRows, runs.count)])
            let stems = part.map { PostgresNotes.literal(IndexedText.stems(of: $0)) }
            try await connection.run(
                """
                INSERT INTO selene.vocabulary (run, stems)
                SELECT r, s::text[] FROM unnest($1::text[], $2::text[]) AS u (r, s)
                WHERE NOT EXISTS (SELECT 1 FROM selene.vocabulary v WHERE md5(v.run) = md5(u.r))
                ON CONFLICT (md5(run)) DO NOTHING
                """, [.texts(part), .texts(stems)], timeout: hours)
            let rows = try await connection.run(
                """
                SELECT v.id, v.run FROM unnest($1::text[]) AS u (r)
                JOIN selene.vocabulary v ON md5(v.run) = md5(u.r)
                """, [.texts(part)], timeout: hours)
            for row in rows.indices {
                if let id = rows.integer(row, 0), let run = rows.text(row, 1) {
                    numbers[run] = Int32(truncatingIfNeeded: id)
                }
            }
        }
        return numbers
    }
}
