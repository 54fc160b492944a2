/// Refuses connection poolers that give a client another connection of the server for each transaction.
///
/// Prepared statements, announcements (`LISTEN`) and the settings of a session belong to one connection of the server, so
/// the store needs sessions. Such a pooler would show only later, as statements that do not exist.
enum PoolerCheck {
    /// How often two connections are compared.
    private static let rounds = 3

    /// Checks the server of a pool.
    ///
    /// - Throws: ``PostgresError``
    static func run(_ pool: PostgresPool) async throws {
        do {
            try await compare(pool)
        } catch let error as PostgresError where error.message.contains("transaction blocks not allowed") {
            // The words of a pooler that shares connections by the statement.
            throw refusal(pool.address)
        }
    }

    private static func compare(_ pool: PostgresPool) async throws {
        guard try await pool.read({ await $0.isPooled }) else { return }
        let first = try await PostgresConnection.open(pool.address)
        let second = try await PostgresConnection.open(pool.address)
        // Two sessions have two processes, and each keeps its own. Three statements a round, so that a pooler that takes its
        // connections in turn does not give each session the same one by chance.
        let own = try await first.process()
        for _ in 0..<rounds {
            let other = try await second.process()
            for _ in 0..<2 {
                let again = try await first.process()
                guard again == own, again != other else { throw refusal(pool.address) }
            }
        }
    }

    private static func refusal(_ address: PostgresAddress) -> PostgresError {
        PostgresError(
            .failed,
            "PostgreSQL at \(address) is behind a connection pooler that changes connections between transactions; set "
                + "pool_mode = session for this database in pgbouncer, or connect to PostgreSQL directly: see "
                + "Documentation/Scale.md, Connection poolers")
    }
}
