import Database

/// Builds pairs of similar notes. A job collects pairs in a separate table block by block, then replaces the old pairs.
extension AssociationRoom {
    /// The number of pairs per transaction.
    static let pairBatch = 5000
    /// New pairs of one job that are kept: the most similar ones.
    static let maxNew = 10
    /// New pairs of all jobs that are kept, newest first.
    static let maxKnown = 10_000

    /// What is kept under a name in `gateway_meta`.
    private enum Key: String {
        /// The latest job, and the space whose vectors it compares.
        case space = "association_space"
        /// The latest job, and the last note that it has processed.
        case position = "association_position"
        /// The job whose pairs are compared with earlier ones.
        case compared = "association_compared_job"
    }

    /// Returns the last note that a job has processed; nil at its start.
    package func position(of job: Int64) async throws -> Int64? {
        try await store.snapshot { session in
            let parts = try Self.value(.position, session)?.split(separator: " ") ?? []
            return parts.count == 2 && parts[0] == "\(job)" ? Int64(parts[1]) : nil
        }
    }

    /// Stores the pairs of a block and the job's position, in one transaction.
    package func keep(_ pairs: [NotePair], of job: Int64, upTo position: Int64) async throws {
        try await store.relaxedTransaction { session in
            for pair in pairs {
                try session.run(
                    """
                    INSERT INTO gateway_association_pairs AS p (job_id, note_a_id, note_b_id, similarity)
                    VALUES ($1, $2, $3, $4) ON CONFLICT (job_id, note_a_id, note_b_id)
                    DO UPDATE SET similarity = excluded.similarity WHERE p.similarity < excluded.similarity
                    """, [.integer(job), .integer(pair.first), .integer(pair.second), .real(pair.similarity)])
            }
            try Self.set(.position, "\(job) \(position)", session)
        }
    }

    /// Records the space whose vectors a job compares.
    ///
    /// - Parameter running: The jobs that run; what others collected is deleted.
    /// - Returns: Whether the recorded space differs from before, so that pairs kept so far are invalid.
    package func begin(_ job: Int64, in space: Int64, running: [Int64]) async throws -> Bool {
        try await store.relaxedTransaction { session in
            let value = "\(job) \(space)"
            let before = try Self.value(.space, session)
            try Self.set(.space, value, session)
            if before != value {
                // Jobs that stopped start over when another one came between.
                try session.run(
                    """
                    DELETE FROM gateway_association_pairs WHERE job_id <> $1
                    AND job_id NOT IN \(session.dialect.numbers("$2"))
                    """, [.integer(job), .numbers(running)])
                // In a store without pairs all are new, so none is worth a word.
                let has = try session.first("SELECT 1 FROM \(try session.noteTables().pairs) s LIMIT 1") != nil
                try Self.set(.compared, has ? "\(job)" : "", session)
            }
            return before != value
        }
    }

    /// Deletes the collected pairs of a job, so that it starts over.
    package func discard(of job: Int64) async throws {
        try await store.relaxedTransaction { session in
            try session.run("DELETE FROM gateway_association_pairs WHERE job_id = $1", [.integer(job)])
            try Self.set(.position, "", session)
        }
    }

    /// Replaces the stored pairs with those of a job, a range of notes per transaction. Readers see either a note's old pairs
    /// or its new ones. Pairs of deleted notes are left out.
    ///
    /// - Returns: The number of pairs written.
    /// - Throws: ``StorageError``, also when the table has no column for the similarity.
    package func publish(of job: Int64) async throws -> Int {
        var (lower, count) = (Int64.min, 0)
        while true {
            try Task.checkCancellation()
            let start = lower
            let (last, written) = try await store.relaxedTransaction { session in
                let table = try Self.table(session)
                // The last note of the range is included with all its pairs.
                let end = try session.first(
                    """
                    SELECT note_a_id FROM gateway_association_pairs WHERE job_id = $1 AND note_a_id >= $2
                    ORDER BY note_a_id, note_b_id LIMIT 1 OFFSET $3
                    """, [.integer(job), .integer(start), .count(Self.pairBatch)])
                let last = end?.integer(0) ?? .max
                try Self.noteNew(of: job, from: start, to: last, session)
                try session.run(
                    "DELETE FROM \(table.name) WHERE note_a_id >= $1 AND note_a_id <= $2",
                    [.integer(start), .integer(last)])
                let written = try session.run(
                    """
                    INSERT INTO \(table.name) (note_a_id, note_b_id, \(table.similarity))
                    SELECT note_a_id, note_b_id, similarity FROM gateway_association_pairs p
                    WHERE job_id = $1 AND note_a_id >= $2 AND note_a_id <= $3 AND \(try Self.areKnown(session))
                    """, [.integer(job), .integer(start), .integer(last)])
                return (last, written)
            }
            count += written
            guard last < .max else { break }
            lower = last + 1
        }
        try await tellNew()
        try await discard(of: job)
        return count
    }

    /// Replaces the stored pairs of some notes, a few hundred notes to a transaction. Pairs of deleted notes are left out.
    ///
    /// - Parameter pairs: Pairs of which at least one note is in `notes`.
    package func replace(_ pairs: [NotePair], of notes: [Int64]) async throws {
        // First all old pairs go, so that a pair of two of the notes is not deleted again.
        for start in stride(from: 0, to: notes.count, by: 500) {
            try Task.checkCancellation()
            let list = SQLValue.numbers(notes[start..<min(start + 500, notes.count)])
            try await store.relaxedTransaction { session in
                let table = try Self.table(session)
                for column in ["note_a_id", "note_b_id"] {
                    try session.run(
                        "DELETE FROM \(table.name) WHERE \(column) IN \(session.dialect.numbers("$1"))", [list])
                }
            }
        }
        for start in stride(from: 0, to: pairs.count, by: Self.pairBatch) {
            try Task.checkCancellation()
            let part = pairs[start..<min(start + Self.pairBatch, pairs.count)]
            try await store.relaxedTransaction { session in
                let (table, areKnown) = (try Self.table(session), try Self.areKnown(session))
                for pair in part {
                    try session.run(
                        """
                        INSERT INTO \(table.name) (note_a_id, note_b_id, \(table.similarity))
                        SELECT p.note_a_id, p.note_b_id, $3 FROM (SELECT $1 AS note_a_id, $2 AS note_b_id) p
                        WHERE \(areKnown) ON CONFLICT DO NOTHING
                        """, [.integer(pair.first), .integer(pair.second), .real(pair.similarity)])
                }
            }
        }
    }

    // MARK: New pairs

    /// Notes the pairs of a range that are about to be written for the first time, in either direction.
    private static func noteNew(
        of job: Int64, from first: Int64, to last: Int64, _ session: any SQLSession
    ) throws {
        guard try value(.compared, session) == "\(job)" else { return }
        let table = try table(session).name
        try session.run(
            """
            INSERT INTO gateway_new_pairs (note_a_id, note_b_id, similarity, job_id)
            SELECT note_a_id, note_b_id, similarity, job_id FROM gateway_association_pairs p
            WHERE job_id = $1 AND note_a_id >= $2 AND note_a_id <= $3 AND \(try areKnown(session))
            AND NOT EXISTS (SELECT 1 FROM \(table) s WHERE s.note_a_id = p.note_a_id AND s.note_b_id = p.note_b_id)
            AND NOT EXISTS (SELECT 1 FROM \(table) s WHERE s.note_a_id = p.note_b_id AND s.note_b_id = p.note_a_id)
            AND NOT EXISTS (SELECT 1 FROM gateway_new_pairs k
                WHERE k.note_a_id = p.note_a_id AND k.note_b_id = p.note_b_id)
            ORDER BY similarity DESC, note_a_id, note_b_id LIMIT \(maxNew) ON CONFLICT DO NOTHING
            """, [.integer(job), .integer(first), .integer(last)])
        try session.run(
            """
            DELETE FROM gateway_new_pairs WHERE job_id = $1 AND found_at IS NULL AND (note_a_id, note_b_id) NOT IN (
                SELECT note_a_id, note_b_id FROM gateway_new_pairs WHERE job_id = $1
                ORDER BY similarity DESC, note_a_id, note_b_id LIMIT \(maxNew))
            """, [.integer(job)])
    }

    /// Pairs that a job found for the first time, at a time or later, latest first. Pairs with a hidden or deleted note are left
    /// out.
    ///
    /// - Parameter time: In seconds since 1970.
    package func new(since time: Int64, limit: Int) async throws -> [NewPair] {
        try await store.snapshot { session in
            let (notes, words) = (try session.noteTables().notes, session.dialect)
            return try session.rows(
                """
                SELECT p.note_a_id, p.note_b_id, \(words.bounded("na.title", 4096)), \(words.bounded("nb.title", 4096))
                FROM gateway_new_pairs p JOIN \(notes) na ON na.id = p.note_a_id JOIN \(notes) nb ON nb.id = p.note_b_id
                WHERE p.found_at >= $1 ORDER BY p.found_at DESC, p.similarity DESC, p.note_a_id, p.note_b_id LIMIT $2
                """, [.integer(time), .count(limit)]
            ).compactMap { row in
                guard let first = row.integer(0), let second = row.integer(1) else { return nil }
                return NewPair(
                    first: first, second: second, firstTitle: row.text(2) ?? "", secondTitle: row.text(3) ?? "")
            }
        }
    }

    /// Makes the new pairs of a job known, and those of earlier jobs that did not end. Forgets the oldest ones.
    private func tellNew() async throws {
        try await store.relaxedTransaction { session in
            try session.run(
                "UPDATE gateway_new_pairs SET found_at = $1 WHERE found_at IS NULL",
                [.integer(try session.clock().now / 1000)])
            try session.run(
                """
                DELETE FROM gateway_new_pairs WHERE found_at < (SELECT found_at FROM gateway_new_pairs
                WHERE found_at IS NOT NULL ORDER BY found_at DESC LIMIT 1 OFFSET \(Self.maxKnown))
                """)
        }
    }

    // MARK: Parts of statements

    /// The table of pairs that is written.
    private static func table(_ session: any SQLSession) throws -> (name: String, similarity: String) {
        guard let table = try session.noteTables().pairTable else {
            throw StorageError(.invalid, "note_associations has no column for the similarity")
        }
        return table
    }

    /// Whether both notes of a pair `p` exist.
    static func areKnown(_ session: any SQLSession) throws -> String {
        let notes = try session.noteTables().notes
        return ["note_a_id", "note_b_id"].map { "EXISTS (SELECT 1 FROM \(notes) n WHERE n.id = p.\($0))" }
            .joined(separator: " AND ")
    }

    private static func value(_ key: Key, _ session: any SQLSession) throws -> String? {
        try session.first("SELECT value FROM gateway_meta WHERE key = $1", [.text(key.rawValue)])?.text(0)
    }

    private static func set(_ key: Key, _ value: String, _ session: any SQLSession) throws {
        try session.run(
            """
            INSERT INTO gateway_meta (key, value) VALUES ($1, $2)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value
            """, [.text(key.rawValue), .text(value)])
    }
}
