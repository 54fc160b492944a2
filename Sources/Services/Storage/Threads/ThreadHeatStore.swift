import GRDB

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

extension ThreadGroupStore {
    /// Scores that differ by less are the same.
    private static let leastDifference = 0.0005

    /// Stores how lively threads are, and forgets threads that are gone. Rows that are the same stay as they are.
    ///
    /// The column `momentum_score` of the table of threads gets the score too, where there is one and the table takes it. No
    /// other column of that table is written.
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
            try await database.writeRelaxed { database, layout in
                let names = layout.schema.threads.names
                for row in part {
                    try database.execute(
                        sql: """
                            INSERT INTO gateway_thread_heat (thread_id, heat, momentum, recent, before, since)
                            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (thread_id) DO UPDATE SET
                            since = CASE WHEN heat IS excluded.heat THEN since ELSE excluded.since END,
                            heat = excluded.heat, momentum = excluded.momentum, recent = excluded.recent,
                            before = excluded.before
                            """, arguments: [row.thread, row.heat, row.momentum, row.recent, row.before, now])
                    guard names.isSuperset(of: ["id", "momentum_score"]) else { continue }
                    do {
                        try database.execute(
                            sql: "UPDATE threads SET momentum_score = ? WHERE id = ?",
                            arguments: [row.momentum, row.thread])
                    } catch let error as DatabaseError
                        where [.SQLITE_CONSTRAINT, .SQLITE_ERROR].contains(error.resultCode)
                    {
                        // The table of the other program does not take the score; ours has it.
                    }
                }
            }
        }
        if !gone.isEmpty {
            try await database.writeRelaxed { database in
                try database.execute(
                    sql: "DELETE FROM gateway_thread_heat WHERE thread_id IN (SELECT value FROM json_each(?))",
                    arguments: [Self.list(gone)])
            }
        }
        return changed.count
    }

    /// How lively each thread is.
    package func storedHeats() async throws -> [Int64: ThreadHeatRow] {
        try await database.read { database in
            let rows = try Row.fetchCursor(
                database,
                sql:
                    "SELECT thread_id, heat, momentum, recent, before FROM gateway_thread_heat LIMIT \(Self.maxThreads)"
            )
            var found: [Int64: ThreadHeatRow] = [:]
            while let row = try rows.next() {
                guard let thread = row.integer(0) else { continue }
                found[thread] = ThreadHeatRow(
                    thread: thread, heat: row.text(1) ?? "", momentum: row.real(2) ?? 0, recent: row.count(3),
                    before: row.count(4))
            }
            return found
        }
    }
}
