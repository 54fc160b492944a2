import GRDB

/// A pair of similar notes; `first` has the smaller id.
package struct NotePair: Sendable, Hashable {
    /// The smaller note id.
    package var first: Int64
    /// The larger note id.
    package var second: Int64
    /// The cosine similarity.
    package var similarity: Double

    package init(first: Int64, second: Int64, similarity: Double) {
        self.first = first
        self.second = second
        self.similarity = similarity
    }
}

/// Builds pairs of similar notes. A job collects pairs in a separate table block by block, then replaces the old pairs.
extension AssociationStore {
    /// The number of pairs per transaction.
    static let pairBatch = 5000

    /// Returns the last note that a job has processed; nil at its start.
    package func position(of job: Int64) async throws -> Int64? {
        try await database.read { database in
            try Scalar.integer(database, sql: "SELECT position FROM gateway_jobs WHERE id = ?", arguments: [job])
        }
    }

    /// Stores the pairs of a block and the job's position, in one transaction.
    package func keep(_ pairs: [NotePair], of job: Int64, upTo position: Int64) async throws {
        try await database.writeRelaxed { database in
            let statement = try database.cachedStatement(
                sql: """
                    INSERT INTO gateway_association_pairs (job_id, note_a_id, note_b_id, similarity)
                    VALUES (?, ?, ?, ?) ON CONFLICT (job_id, note_a_id, note_b_id)
                    DO UPDATE SET similarity = max(similarity, excluded.similarity)
                    """)
            for pair in pairs { try statement.execute(arguments: [job, pair.first, pair.second, pair.similarity]) }
            try database.execute(
                sql: "UPDATE gateway_jobs SET position = ? WHERE id = ?", arguments: [position, job])
        }
    }

    /// Records the space whose vectors a job compares.
    ///
    /// - Returns: Whether the recorded space differs from before, so that pairs kept so far are invalid.
    package func begin(_ job: Int64, in space: SpaceID) async throws -> Bool {
        try await database.writeRelaxed { database in
            let key = "association_space"
            let value = "\(job) \(space)"
            let before = try MetaTable.text(key, in: database)
            try MetaTable.set(key, value, in: database)
            if before != value {
                // Jobs that stopped start over when another one came between.
                try database.execute(
                    sql: """
                        DELETE FROM gateway_association_pairs WHERE job_id <> ?
                        AND job_id NOT IN (SELECT id FROM gateway_jobs WHERE state = 'running')
                        """, arguments: [job])
                // In a file without pairs all are new, so none is worth a word.
                let has = try Scalar.integer(database, sql: "SELECT 1 FROM note_associations LIMIT 1") != nil
                try MetaTable.set(Self.comparedJob, has ? "\(job)" : "", in: database)
            }
            return before != value
        }
    }

    /// Deletes the collected pairs of a job, so that it starts over.
    package func discard(of job: Int64) async throws {
        try await database.writeRelaxed { database in
            try database.execute(sql: "DELETE FROM gateway_association_pairs WHERE job_id = ?", arguments: [job])
            try database.execute(sql: "UPDATE gateway_jobs SET position = NULL WHERE id = ?", arguments: [job])
        }
    }

    /// Replaces the pairs in `note_associations` with those of a job, a range of notes per transaction. Readers see
    /// either a note's old pairs or its new ones. Pairs of deleted notes are left out.
    ///
    /// - Returns: The number of pairs written.
    /// - Throws: ``StorageError``, also when the table has no column for the similarity.
    package func publish(of job: Int64) async throws -> Int {
        var lower = Int64.min
        var count = 0
        while lower < Int64.max {
            try Task.checkCancellation()
            let start = lower
            let (end, written) = try await database.writeRelaxed { database, layout in
                guard let similarity = layout.schema.similarity else {
                    throw StorageError(.invalid, "note_associations has no column for the similarity")
                }
                // The last note of the range is included with all its pairs.
                let end = try Scalar.integer(
                    database,
                    sql: """
                        SELECT note_a_id FROM gateway_association_pairs WHERE job_id = ? AND note_a_id >= ?
                        ORDER BY note_a_id, note_b_id LIMIT 1 OFFSET ?
                        """, arguments: [job, start, Self.pairBatch])
                let last = end ?? Int64.max
                try Self.noteNew(of: job, from: start, to: last, in: database)
                try database.execute(
                    sql: "DELETE FROM note_associations WHERE note_a_id >= ? AND note_a_id <= ?",
                    arguments: [start, last])
                try database.execute(
                    sql: """
                        INSERT INTO note_associations (note_a_id, note_b_id, \(similarity))
                        SELECT note_a_id, note_b_id, similarity FROM gateway_association_pairs p
                        WHERE job_id = ?1 AND note_a_id >= ?2 AND note_a_id <= ?3
                        AND EXISTS (SELECT 1 FROM raw_notes WHERE id = p.note_a_id)
                        AND EXISTS (SELECT 1 FROM raw_notes WHERE id = p.note_b_id)
                        """, arguments: [job, start, last])
                return (last, database.changesCount)
            }
            count += written
            lower = end == Int64.max ? Int64.max : end + 1
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
            let list = ThreadGroupStore.list(notes[start..<min(start + 500, notes.count)])
            try await database.writeRelaxed { database, layout in
                guard layout.schema.similarity != nil else {
                    throw StorageError(.invalid, "note_associations has no column for the similarity")
                }
                for column in ["note_a_id", "note_b_id"] {
                    try database.execute(
                        sql: "DELETE FROM note_associations WHERE \(column) IN (SELECT value FROM json_each(?))",
                        arguments: [list])
                }
            }
        }
        for start in stride(from: 0, to: pairs.count, by: Self.pairBatch) {
            try Task.checkCancellation()
            let part = pairs[start..<min(start + Self.pairBatch, pairs.count)]
            try await database.writeRelaxed { database, layout in
                guard let similarity = layout.schema.similarity else { return }
                let statement = try database.cachedStatement(
                    sql: """
                        INSERT OR IGNORE INTO note_associations (note_a_id, note_b_id, \(similarity)) SELECT ?1, ?2, ?3
                        WHERE EXISTS (SELECT 1 FROM raw_notes WHERE id = ?1)
                        AND EXISTS (SELECT 1 FROM raw_notes WHERE id = ?2)
                        """)
                for pair in part { try statement.execute(arguments: [pair.first, pair.second, pair.similarity]) }
            }
        }
    }
}
