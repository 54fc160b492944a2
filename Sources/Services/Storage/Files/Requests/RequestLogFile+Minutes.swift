import GRDB
package import Traffic

extension RequestLogFile {
    /// Returns the stored minutes from a minute on, oldest first; at most ``TrafficMinute/kept``.
    package func minutes(since first: Int64) async throws -> [TrafficMinute] {
        try await file.translatingErrors {
            try await pool.read { database in
                let rows = try Row.fetchCursor(
                    database,
                    sql: "SELECT * FROM minute WHERE at >= ? ORDER BY at DESC LIMIT \(TrafficMinute.kept)",
                    arguments: [first])
                var found: [TrafficMinute] = []
                while let row = try rows.next() { if let minute = TrafficMinute(row) { found.append(minute) } }
                return found.reversed()
            }
        }
    }
}

extension TrafficMinute {
    fileprivate init?(_ row: Row) {
        guard let minute = row.integer("at") else { return nil }
        self.init(minute: minute)
        requests = max(0, row.count("requests"))
        failed = max(0, row.count("failed"))
        firstTokens = Self.spans(row, "first_tokens", "first_sum", "first_longest")
        waits = Self.spans(row, "waits", "wait_sum", "wait_longest")
        promptTokens = max(0, row.count("prompt"))
        generatedTokens = max(0, row.count("generated"))
        residentBytes = max(0, row.count("resident"))
        inFlight = max(0, row.count("in_flight"))
    }

    private static func spans(_ row: Row, _ count: String, _ sum: String, _ longest: String) -> Spans {
        Spans(
            count: max(0, row.count(count)), sum: max(0, row.integer(sum) ?? 0),
            longest: max(0, row.integer(longest) ?? 0))
    }

    /// Stores the minute, or replaces the stored one.
    func store(in database: Database) throws {
        try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO minute VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            minute, requests, failed, firstTokens.count, firstTokens.sum, firstTokens.longest, waits.count, waits.sum,
            waits.longest, promptTokens, generatedTokens, residentBytes, inFlight,
        ])
    }
}
