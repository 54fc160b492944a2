import Foundation
import GRDB
import GatewayAPI

/// The keys, their token usage and the browser sessions at one moment.
package struct KeySnapshot: Sendable {
    /// All keys, revoked keys included, by id.
    package var keys: [KeyRecord]
    /// Tokens spent on the requested day, by key, as stored so far.
    package var tokens: [Int64: Int]
    /// All browser sessions, expired ones included.
    package var sessions: [WebSessionRecord]

    package init(keys: [KeyRecord], tokens: [Int64: Int], sessions: [WebSessionRecord]) {
        self.keys = keys
        self.tokens = tokens
        self.sessions = sessions
    }
}

extension KeyStore {
    /// Returns the keys, their token usage on a day and the browser sessions, from one snapshot.
    package func snapshot(of day: UTCDay) async throws -> KeySnapshot {
        if let shared = database.sharedCredentials { return try await shared.snapshot(of: day) }
        return try await database.readKeys { database in
            KeySnapshot(
                keys: try KeyRecord.fetch(database), tokens: try Self.tokens(on: day, database),
                sessions: try WebSessionRecord.fetch(database))
        }
    }

    /// Adds usage since the last call, in one transaction.
    ///
    /// - Parameters:
    ///   - counts: The usage to add, by key and day.
    ///   - lastUsed: When keys were last used, in seconds since 1970.
    ///   - day: The day whose sums to return.
    /// - Returns: Tokens spent on `day`, by key, including these counts and those of other processes.
    package func addUsage(
        _ counts: [KeyDay: KeyUsage], lastUsed: [Int64: Int64], sumsOf day: UTCDay
    ) async throws -> [Int64: Int] {
        if let shared = database.sharedCredentials {
            return try await shared.addUsage(counts, lastUsed: lastUsed, sumsOf: day)
        }
        return try await database.writeRelaxed { database in
            let add = try database.cachedStatement(
                sql: """
                    INSERT INTO gateway_key_usage (day, key_id, requests, refused, prompt_tokens, completion_tokens)
                    VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (day, key_id) DO UPDATE SET
                        requests = requests + excluded.requests, refused = refused + excluded.refused,
                        prompt_tokens = prompt_tokens + excluded.prompt_tokens,
                        completion_tokens = completion_tokens + excluded.completion_tokens
                    """)
            for (place, count) in counts {
                try add.execute(arguments: [
                    place.day.text, place.key, count.requests, count.refused, count.promptTokens,
                    count.completionTokens,
                ])
            }
            let touch = try database.cachedStatement(
                sql: """
                    UPDATE gateway_keys SET last_used_at = ?1
                    WHERE id = ?2 AND (last_used_at IS NULL OR last_used_at < ?1)
                    """)
            for (key, seconds) in lastUsed { try touch.execute(arguments: [Timestamp.text(seconds), key]) }
            return try Self.tokens(on: day, database)
        }
    }

    /// Returns the usage of keys since a day, by key and day, newest first.
    package func usage(since day: UTCDay) async throws -> [(place: KeyDay, usage: KeyUsage)] {
        if let shared = database.sharedCredentials { return try await shared.usage(since: day) }
        return try await Self.storedUsage(since: day, in: database)
    }

    static func storedUsage(
        since day: UTCDay, in database: GatewayDatabase
    ) async throws -> [(place: KeyDay, usage: KeyUsage)] {
        try await database.readKeys { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT day, key_id, requests, refused, prompt_tokens, completion_tokens FROM gateway_key_usage
                    WHERE day >= ? ORDER BY day DESC, key_id
                    """, arguments: [day.text])
            var found: [(place: KeyDay, usage: KeyUsage)] = []
            while let row = try rows.next() {
                guard let start = row.text(0).flatMap(Timestamp.unixSeconds), let key = row.integer(1) else { continue }
                found.append(
                    (
                        KeyDay(key: key, day: UTCDay(unixSeconds: start)),
                        KeyUsage(
                            requests: row.count(2), refused: row.count(3), promptTokens: row.count(4),
                            completionTokens: row.count(5))
                    ))
            }
            return found
        }
    }

    private static func tokens(on day: UTCDay, _ database: Database) throws -> [Int64: Int] {
        let rows = try Row.fetchCursor(
            database, sql: "SELECT key_id, prompt_tokens, completion_tokens FROM gateway_key_usage WHERE day = ?",
            arguments: [day.text])
        var tokens: [Int64: Int] = [:]
        while let row = try rows.next() {
            guard let key = row.integer(0) else { continue }
            tokens[key] = KeyUsage(promptTokens: row.count(1), completionTokens: row.count(2)).tokens
        }
        return tokens
    }
}
