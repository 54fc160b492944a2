import Database

/// Which threads no proposal made.
extension ThreadProposalRoom {
    /// The highest id of a thread; 0 for none.
    package func newestThread() async throws -> Int64 { try await store.snapshot { try Self.newestThread($0) } }

    /// Threads after an id that no accepted proposal made, by id, and the highest id now.
    package func threads(
        after id: Int64, limit: Int
    ) async throws -> (threads: [(id: Int64, name: String)], newest: Int64) {
        try await store.snapshot { session in
            let newest = try Self.newestThread(session)
            guard newest > id else { return ([], newest) }
            let made = try Self.fetch(
                session, "state = 'accepted' AND made_threads IS NOT NULL ORDER BY id DESC LIMIT $1",
                [.count(Self.maxDecided)]
            ).flatMap { $0.madeThreads ?? [] }.filter { $0 > id }
            let words = session.dialect
            let rows = try session.rows(
                """
                SELECT t.id, \(words.bounded("t.name", 4096)) FROM \(try session.noteTables().threads) t
                WHERE t.id > $1 AND t.id NOT IN \(words.numbers("$2")) ORDER BY t.id LIMIT $3
                """, [.integer(id), .numbers(made), .count(limit)])
            return (rows.compactMap { row in row.integer(0).map { ($0, row.text(1) ?? "") } }, newest)
        }
    }

    private static func newestThread(_ session: any SQLSession) throws -> Int64 {
        try session.first("SELECT t.id FROM \(try session.noteTables().threads) t ORDER BY t.id DESC LIMIT 1")?.integer(
            0) ?? 0
    }
}
