import Foundation
import GRDB

/// Keys with their usage and browser sessions, for a migration.
package struct TransferCredentials: Sendable {
    /// Keys, revoked ones included, by id.
    package var keys: [KeyRecord]
    package var usage: [(place: KeyDay, usage: KeyUsage)]
    package var sessions: [WebSessionRecord]

    package init(keys: [KeyRecord], usage: [(place: KeyDay, usage: KeyUsage)], sessions: [WebSessionRecord]) {
        self.keys = keys
        self.usage = usage
        self.sessions = sessions
    }

    /// These credentials as they fit into a store that has some: a known key keeps its id there, another one its own id or
    /// the next free one, and a live name that is taken gets a number.
    package func placed(among existing: [KeyRecord]) throws -> TransferCredentials {
        let known = Dictionary(existing.map { ($0.hash, $0) }) { first, _ in first }
        var taken = Set(existing.map(\.id))
        var names = Set(existing.filter { $0.revokedAt == nil }.map(\.name))
        var next = max(existing.map(\.id).max() ?? 0, keys.map(\.id).max() ?? 0)
        var ids: [Int64: Int64] = [:]
        var placed = self
        for place in placed.keys.indices {
            let old = placed.keys[place].id
            if let before = known[placed.keys[place].hash] {
                placed.keys[place].id = before.id
                if before.revokedAt == nil { names.remove(before.name) }
            } else if taken.contains(old) {
                next += 1
                placed.keys[place].id = next
            }
            taken.insert(placed.keys[place].id)
            if placed.keys[place].revokedAt == nil {
                placed.keys[place].name = try PairingStore.freeName(placed.keys[place].name) { names.contains($0) }
                names.insert(placed.keys[place].name)
            }
            ids[old] = placed.keys[place].id
        }
        // A maker that is not among the keys is an id of no row, so the key counts as revoked.
        for place in placed.keys.indices { placed.keys[place].parent = placed.keys[place].parent.map { ids[$0] ?? -1 } }
        placed.usage = usage.compactMap { row in
            ids[row.place.key].map { (place: KeyDay(key: $0, day: row.place.day), usage: row.usage) }
        }
        placed.sessions = sessions.compactMap { session in
            guard case .key(let id) = session.owner else { return session }
            return ids[id].map {
                var session = session
                session.owner = .key($0)
                return session
            }
        }
        return placed
    }
}

/// A file's own keys, sessions and usage.
package struct FileCredentials: Sendable {
    let database: GatewayDatabase

    package func read() async throws -> TransferCredentials {
        let usage = try await KeyStore.storedUsage(since: UTCDay(unixSeconds: 0), in: database)
        return try await database.readKeys { database in
            TransferCredentials(
                keys: try KeyRecord.fetch(database), usage: usage, sessions: try WebSessionRecord.fetch(database))
        }
    }

    /// Adds keys, or brings those that are known up to date.
    package func add(_ credentials: TransferCredentials) async throws {
        try await database.write { database in
            let placed = try credentials.placed(among: KeyRecord.fetch(database))
            for key in placed.keys {
                try database.execute(
                    sql: """
                        INSERT INTO gateway_keys (id, name, hash, prefix, created_at, last_used_at, revoked_at, parent)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name,
                        last_used_at = excluded.last_used_at, revoked_at = excluded.revoked_at,
                        parent = excluded.parent
                        """,
                    arguments: [
                        key.id, key.name, Data(key.hash), key.prefix, key.createdAt, key.lastUsedAt, key.revokedAt,
                        key.parent,
                    ])
                try KeyStore.store(key.grant, ofKey: key.id, database)
            }
            for (place, usage) in placed.usage {
                try database.execute(
                    sql: """
                        INSERT OR REPLACE INTO gateway_key_usage
                        (day, key_id, requests, refused, prompt_tokens, completion_tokens) VALUES (?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        place.day.text, place.key, usage.requests, usage.refused, usage.promptTokens,
                        usage.completionTokens,
                    ])
            }
            for session in placed.sessions {
                let (key, binding): (Int64?, Data?) =
                    switch session.owner {
                    case .key(let id): (id, nil)
                    case .token(let binding): (nil, Data(binding))
                    }
                try database.execute(
                    sql: """
                        INSERT OR IGNORE INTO gateway_web_sessions
                        (hash, key_id, token_binding, user_agent, created_at, last_used_at, expires_at)
                        VALUES (?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        Data(session.hash), key, binding, session.userAgent, session.createdAt, session.lastUsedAt,
                        session.expiresAt,
                    ])
            }
        }
    }
}
