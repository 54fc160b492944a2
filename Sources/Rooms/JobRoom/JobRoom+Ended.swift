import Database
package import GatewayAPI

/// A job that has ended. Its kind may be one that this version does not know.
package struct EndedJob: Sendable, Hashable {
    package var id: Int64
    package var kind: String
    package var message: String
    /// `YYYY-MM-DD HH:MM:SS` in UTC.
    package var finishedAt: String
}

extension JobRoom {
    /// Jobs that ended in a state at a time or later, newest first.
    ///
    /// - Parameter since: `YYYY-MM-DD HH:MM:SS` in UTC.
    package func ended(_ state: Job.State, since: String, limit: Int) async throws -> [EndedJob] {
        try await store.rows(
            """
            SELECT id, kind, \(store.dialect.bounded("message", 4096)), finished_at FROM gateway_jobs
            WHERE state = $1 AND finished_at >= $2 ORDER BY id DESC LIMIT $3
            """, [.text(state.rawValue), .text(since), .count(limit)]
        ).compactMap { row in
            row.integer(0).map {
                EndedJob(id: $0, kind: row.text(1) ?? "", message: row.text(2) ?? "", finishedAt: row.text(3) ?? "")
            }
        }
    }
}
