import GatewayAPI
import Storage

extension PostgresError: TransientError {}

/// Reading rows, and parts of statements.
extension PostgresJobs {
    static let columns = """
        id, kind, state, parameters, done, total, failed, message, revision, created_at, started_at, finished_at, key_id
        """
    /// The server's time as the text of a row, the same in all parts of a statement.
    static let now = "to_char(statement_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')"
    /// Whether the lease of a row has ended, with its length in seconds as the first parameter. While the server was away no
    /// gateway could renew a lease, so none ends soon after its start.
    static let isOver = """
        (coalesce(lease < clock_timestamp(), true) AND pg_postmaster_start_time() < \(time("-$1")))
        """

    /// The server's time after some seconds.
    static func time(_ seconds: String) -> String { "clock_timestamp() + \(seconds) * interval '1 second'" }

    /// What only one running job of a kind may have.
    static func slot(_ isSingle: String, _ parameters: String) -> String {
        "CASE WHEN \(isSingle) THEN '' ELSE md5(\(parameters)) END"
    }

    /// Reads a row; nil when there is none, or it has a kind or state unknown to this version.
    static func job(_ rows: PostgresRows, _ row: Int) -> StoredJob? {
        guard let id = rows.integer(row, 0), let kind = rows.text(row, 1).flatMap(Job.Kind.init),
            let state = rows.text(row, 2).flatMap(Job.State.init)
        else { return nil }
        func count(_ column: Int) -> Int { Int(clamping: rows.integer(row, column) ?? 0) }
        return StoredJob(
            job: Job(
                id: id, kind: kind, state: state, done: count(4), total: count(5), failed: count(6),
                message: rows.text(row, 7), revision: rows.integer(row, 8) ?? 0, createdAt: rows.text(row, 9) ?? "",
                startedAt: rows.text(row, 10), finishedAt: rows.text(row, 11)),
            parameters: rows.text(row, 3) ?? "", keyID: rows.integer(row, 12))
    }

    static func required(
        _ id: Int64, _ connection: PostgresConnection, locks: Bool = false
    ) async throws -> StoredJob {
        let rows = try await connection.run(
            "SELECT \(columns) FROM jobs WHERE id = $1\(locks ? " FOR UPDATE" : "")", [.integer(id)])
        guard rows.count > 0 else { throw StorageError.noJob(id) }
        guard let job = job(rows, 0) else { throw StorageError.unknownKind(ofJob: id) }
        return job
    }

    /// The running job of a kind; of kinds that are not single, with the same parameters.
    static func running(
        _ kind: Job.Kind, _ parameters: String, _ connection: PostgresConnection
    ) async throws -> StoredJob? {
        let rows = try await connection.run(
            """
            SELECT \(columns) FROM jobs WHERE kind = $1 AND slot = \(slot("$2::boolean", "$3")) AND state = 'running'
            """, [.text(kind.rawValue), .bool(kind.isSingle), .text(parameters)])
        return job(rows, 0)
    }
}
