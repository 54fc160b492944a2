import Database
import GatewayAPI

/// The keys, their token usage and the browser sessions at one moment.
package struct KeySnapshot: Sendable {
    /// All keys, revoked keys included, by id.
    package var keys: [KeyRecord]
    /// What was spent on the requested day and in its month, by key, as stored so far.
    package var spent: [Int64: KeySpending]
    /// All browser sessions, expired ones included.
    package var sessions: [WebSessionRecord]
    /// Grows with each change of keys and sessions, except of when they were used; nil in a store that does not count them.
    var version: Int64?
}

extension KeyRoom {
    /// Returns the keys, their token usage on a day and the browser sessions, from one snapshot.
    ///
    /// Servers ask several times a second. PostgreSQL counts changes, so that only usage is read again while there is none.
    ///
    /// - Parameter last: What was known last.
    package func snapshot(of day: UTCDay, last: KeySnapshot? = nil) async throws -> KeySnapshot {
        let isCounted = store.dialect == .postgres
        if isCounted, var last {
            let rows = try await store.rows(
                """
                SELECT u.key_id, u.tokens, u.cost, v.version FROM gateway_key_version v
                LEFT JOIN (\(Self.spending)) u ON true
                """, Self.days(of: day))
            if let version = rows.first?.integer(3), version == last.version {
                last.spent = Self.spent(rows)
                return last
            }
        }
        return try await store.quickSnapshot { session in
            let version = isCounted ? try session.first("SELECT version FROM gateway_key_version") : nil
            return KeySnapshot(
                keys: try Self.all(session), spent: try Self.spent(on: day, session),
                sessions: try WebSessionRoom.all(session), version: version?.integer(0))
        }
    }

    /// Adds usage since the last call, in one transaction. A power cut may lose the last calls on a file.
    ///
    /// - Parameters:
    ///   - counts: The usage to add, by key and day.
    ///   - lastUsed: When keys were last used, in seconds since 1970.
    ///   - day: The day whose sums to return.
    /// - Returns: What was spent on `day` and in its month, by key, including these counts and those of other processes.
    package func addUsage(
        _ counts: [KeyDay: KeyUsage], lastUsed: [Int64: Int64], sumsOf day: UTCDay
    ) async throws -> [Int64: KeySpending] {
        // Equal orders in all processes, so that none waits for another in a circle.
        let rows = counts.sorted { ($0.key.day, $0.key.key) < ($1.key.day, $1.key.key) }.map {
            Self.values($0.key, $0.value)
        }
        let uses = lastUsed.sorted { $0.key < $1.key }.map { key, time -> [JSONValue] in
            [.integer(key), .string(Timestamp.text(time))]
        }
        return try await store.relaxedTransaction { session in
            try session.run(
                """
                INSERT INTO gateway_key_usage AS k (\(Self.usageColumns))
                \(session.dialect.list("$1", Self.usageFields, texts: ["day"])) WHERE true
                ON CONFLICT (day, key_id) DO UPDATE SET requests = k.requests + excluded.requests,
                refused = k.refused + excluded.refused, prompt_tokens = k.prompt_tokens + excluded.prompt_tokens,
                completion_tokens = k.completion_tokens + excluded.completion_tokens, cost = k.cost + excluded.cost
                """, [.list(rows)])
            try session.run(
                """
                UPDATE gateway_keys SET last_used_at = u.used
                FROM (\(session.dialect.list("$1", ["key_id", "used"], texts: ["used"]))) AS u
                WHERE gateway_keys.id = u.key_id
                AND (gateway_keys.last_used_at IS NULL OR gateway_keys.last_used_at < u.used)
                """, [.list(uses)])
            return try Self.spent(on: day, session)
        }
    }

    /// Returns the usage since a day, newest first.
    package func usage(since day: UTCDay) async throws -> [(place: KeyDay, usage: KeyUsage)] {
        try await store.quickSnapshot { try Self.usage(since: day, $0) }
    }

    static func usage(
        since day: UTCDay, _ session: any SQLSession
    ) throws -> [(place: KeyDay, usage: KeyUsage)] {
        try session.rows(
            "SELECT \(usageColumns) FROM gateway_key_usage WHERE day >= $1 ORDER BY day DESC, key_id", [.text(day.text)]
        ).compactMap(usage)
    }

    /// Reads ``usageFields``; nil without a day or a key.
    private static func usage(_ row: SQLRow) -> (place: KeyDay, usage: KeyUsage)? {
        guard let start = row.text(0).flatMap(Timestamp.unixSeconds), let key = row.integer(1) else { return nil }
        return (
            place: KeyDay(key: key, day: UTCDay(unixSeconds: start)),
            usage: KeyUsage(
                requests: row.count(2), refused: row.count(3), promptTokens: row.count(4),
                completionTokens: row.count(5), cost: Money(billionths: row.integer(6) ?? 0))
        )
    }

    static let usageFields = ["day", "key_id", "requests", "refused", "prompt_tokens", "completion_tokens", "cost"]
    static let usageColumns = usageFields.joined(separator: ", ")

    /// A row of usage, in the order of ``usageFields``.
    static func values(_ place: KeyDay, _ usage: KeyUsage) -> [JSONValue] {
        let counts = [usage.requests, usage.refused, usage.promptTokens, usage.completionTokens]
        return [.string(place.day.text), .integer(place.key)] + counts.map { .integer(Int64($0)) }
            + [.integer(usage.cost.billionths)]
    }

    /// What each key spent on day $1, and from day $2 until day $3. Sums of floating-point numbers, since those of integers
    /// fail when another program wrote too large ones.
    private static let spending = """
        SELECT key_id,
        sum(CASE WHEN day = $1 THEN CAST(prompt_tokens AS double precision) + completion_tokens ELSE 0 END) AS tokens,
        sum(CAST(cost AS double precision)) AS cost
        FROM gateway_key_usage WHERE day >= $2 AND day < $3 GROUP BY key_id
        """

    /// The parameters of ``spending``.
    private static func days(of day: UTCDay) -> [SQLValue] {
        [day, day.firstOfMonth, day.firstOfNextMonth].map { .text($0.text) }
    }

    private static func spent(on day: UTCDay, _ session: any SQLSession) throws -> [Int64: KeySpending] {
        spent(try session.rows(spending, days(of: day)))
    }

    private static func spent(_ rows: [SQLRow]) -> [Int64: KeySpending] {
        func number(_ row: SQLRow, _ column: Int) -> Int64 { Int64(min(max(0, row.real(column) ?? 0), 9e18)) }
        return rows.reduce(into: [:]) { spent, row in
            guard let key = row.integer(0) else { return }
            spent[key] = KeySpending(
                tokens: Int(clamping: number(row, 1)), cost: Money(billionths: number(row, 2)))
        }
    }
}
