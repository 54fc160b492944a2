import Database

/// How lively a thread is.
package struct ThreadHeatRow: Sendable, Hashable {
    /// The thread's id.
    package var thread: Int64
    /// `heating`, `steady`, `cooling` or `dormant`.
    package var heat: String
    /// The activity score.
    package var momentum: Double
    /// Notes of the last week.
    package var recent: Int
    /// Notes of the four weeks before.
    package var before: Int

    package init(thread: Int64, heat: String, momentum: Double, recent: Int, before: Int) {
        self.thread = thread
        self.heat = heat
        self.momentum = momentum
        self.recent = recent
        self.before = before
    }
}

/// A thread that heats up.
package struct HeatingThread: Sendable, Hashable {
    package var id: Int64
    package var name: String
    /// Notes of the last week.
    package var recent: Int
    /// Notes of the four weeks before.
    package var before: Int
    /// When it began, in seconds since 1970.
    package var since: Int64
}

extension ThreadGroupRoom {
    /// Scores that differ by less are the same.
    private static let leastDifference = 0.0005

    /// Stores how lively threads are, and forgets threads that are gone. Rows that are the same stay as they are.
    ///
    /// The table of threads gets the score too, where it takes one. Nothing else of that table is written.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    /// - Returns: The number of threads that changed.
    package func keep(_ heats: [ThreadHeatRow], now: Int64) async throws -> Int {
        let known = try await storedHeats()
        let changed = heats.filter { row in
            guard let old = known[row.thread] else { return true }
            return old.heat != row.heat || old.recent != row.recent || old.before != row.before
                || abs(old.momentum - row.momentum) >= Self.leastDifference
        }
        let gone = Set(known.keys).subtracting(heats.map(\.thread)).sorted()
        for start in stride(from: 0, to: changed.count, by: 500) {
            try Task.checkCancellation()
            let part = Array(changed[start..<min(start + 500, changed.count)])
            try await store.relaxedTransaction { session in
                let tables = try session.noteTables()
                for row in part {
                    try session.run(
                        """
                        INSERT INTO gateway_thread_heat AS h (thread_id, heat, momentum, recent, before, since)
                        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (thread_id) DO UPDATE SET
                        since = CASE WHEN h.heat = excluded.heat THEN h.since ELSE excluded.since END,
                        heat = excluded.heat, momentum = excluded.momentum, recent = excluded.recent,
                        before = excluded.before
                        """,
                        [
                            .integer(row.thread), .text(row.heat), .real(row.momentum), .count(row.recent),
                            .count(row.before), .integer(now),
                        ])
                    try tables.setMomentum(row.momentum, of: row.thread)
                }
            }
        }
        if !gone.isEmpty {
            _ = try await store.relaxedTransaction { session in
                try session.run(
                    "DELETE FROM gateway_thread_heat WHERE thread_id IN \(session.dialect.numbers("$1"))",
                    [.numbers(gone)])
            }
        }
        return changed.count
    }

    /// How lively each thread is.
    package func storedHeats() async throws -> [Int64: ThreadHeatRow] {
        let rows = try await store.rows(
            "SELECT thread_id, heat, momentum, recent, before FROM gateway_thread_heat LIMIT $1",
            [.count(Self.maxThreads)])
        var found: [Int64: ThreadHeatRow] = [:]
        for row in rows {
            guard let thread = row.integer(0) else { continue }
            found[thread] = ThreadHeatRow(
                thread: thread, heat: row.text(1) ?? "", momentum: row.real(2) ?? 0, recent: row.count(3),
                before: row.count(4))
        }
        return found
    }

    /// Threads that began to heat up at a time or later and still do, latest first.
    ///
    /// - Parameter time: In seconds since 1970.
    package func heating(since time: Int64, limit: Int) async throws -> [HeatingThread] {
        try await store.snapshot { session in
            try session.rows(
                """
                SELECT h.thread_id, \(session.dialect.bounded("t.name", 4096)), h.recent, h.before, h.since
                FROM gateway_thread_heat h JOIN \(try session.noteTables().threads) t ON t.id = h.thread_id
                WHERE h.heat = 'heating' AND h.since >= $1 ORDER BY h.since DESC, h.thread_id LIMIT $2
                """, [.integer(time), .count(limit)]
            ).compactMap { row in
                row.integer(0).map {
                    HeatingThread(
                        id: $0, name: row.text(1) ?? "", recent: row.count(2), before: row.count(3),
                        since: row.integer(4) ?? 0)
                }
            }
        }
    }
}
