import GRDB
import GatewayAPI

/// Pairs that a job found and that were not there before it.
extension AssociationStore {
    /// New pairs of one job that are kept: the most similar ones.
    static let maxNew = 10
    /// New pairs of all jobs that are kept, newest first.
    static let maxKnown = 10_000
    /// The key of ``MetaTable`` with the job whose pairs are compared with earlier ones.
    static let comparedJob = "association_compared_job"

    /// Notes the pairs of a range that are about to be written for the first time, in either direction.
    static func noteNew(of job: Int64, from first: Int64, to last: Int64, in database: Database) throws {
        guard try MetaTable.text(comparedJob, in: database) == "\(job)" else { return }
        try database.execute(
            sql: """
                INSERT OR IGNORE INTO gateway_new_pairs (note_a_id, note_b_id, similarity, job_id)
                SELECT note_a_id, note_b_id, similarity, job_id FROM gateway_association_pairs p
                WHERE job_id = ?1 AND note_a_id >= ?2 AND note_a_id <= ?3
                AND EXISTS (SELECT 1 FROM raw_notes WHERE id = p.note_a_id)
                AND EXISTS (SELECT 1 FROM raw_notes WHERE id = p.note_b_id)
                AND NOT EXISTS (SELECT 1 FROM note_associations
                    WHERE note_a_id = p.note_a_id AND note_b_id = p.note_b_id)
                AND NOT EXISTS (SELECT 1 FROM note_associations
                    WHERE note_a_id = p.note_b_id AND note_b_id = p.note_a_id)
                AND NOT EXISTS (SELECT 1 FROM gateway_new_pairs k
                    WHERE k.note_a_id = p.note_a_id AND k.note_b_id = p.note_b_id)
                ORDER BY similarity DESC, note_a_id, note_b_id LIMIT \(maxNew)
                """, arguments: [job, first, last])
        try database.execute(
            sql: """
                DELETE FROM gateway_new_pairs WHERE job_id = ?1 AND found_at IS NULL AND (note_a_id, note_b_id) NOT IN (
                    SELECT note_a_id, note_b_id FROM gateway_new_pairs WHERE job_id = ?1
                    ORDER BY similarity DESC, note_a_id, note_b_id LIMIT \(maxNew))
                """, arguments: [job])
    }

    /// Makes the new pairs of a job known, and those of earlier jobs that did not end. Forgets the oldest ones.
    func tellNew() async throws {
        try await database.writeRelaxed { database in
            try database.execute(
                sql: "UPDATE gateway_new_pairs SET found_at = ? WHERE found_at IS NULL",
                arguments: [Timestamp.milliseconds / 1000])
            try database.execute(
                sql: """
                    DELETE FROM gateway_new_pairs WHERE found_at < (SELECT found_at FROM gateway_new_pairs
                    WHERE found_at IS NOT NULL ORDER BY found_at DESC LIMIT 1 OFFSET \(Self.maxKnown))
                    """)
        }
    }
}
