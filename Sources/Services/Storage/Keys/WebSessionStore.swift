import Cryptography
import Foundation
import GRDB

/// Stores browser sessions. Reads use a separate connection, see ``KeyConnection``.
///
/// The table is bounded: a session beyond ``maxSessionsPerKey`` or ``maxSessionsPerRoot`` ends the one of the key that was
/// not used for the longest time, and one beyond ``maxSessions`` one of the root with the most; see ``KeyFamilies``.
package struct WebSessionStore: Sendable {
    /// The largest number of sessions of a key.
    package static let maxSessionsPerKey = 20
    /// The largest number of sessions of a key and of the keys that it made.
    package static let maxSessionsPerRoot = 100
    /// The largest number of sessions of all keys.
    package static let maxSessions = 2000
    /// How long an unused session lasts, in seconds.
    package static let lifetime: Int64 = 30 * UTCDay.seconds
    /// The longest stored name of a browser, in bytes.
    static let maxUserAgentBytes = 200

    let database: GatewayDatabase

    /// Opens a session.
    ///
    /// - Parameters:
    ///   - secret: The session's secret; only its hash is stored.
    ///   - owner: The credential that it is opened with.
    ///   - userAgent: The browser's name for itself; is shortened.
    ///   - replacing: The secret of a session that this one replaces, which ends.
    ///   - now: Seconds since 1970.
    /// - Throws: ``StorageError``.
    package func open(
        secret: String, owner: WebSessionRecord.Owner, userAgent: String, replacing: String? = nil, now: Int64
    ) async throws -> WebSessionRecord {
        if let shared = database.sharedCredentials {
            return try await shared.openSession(
                hash: WebSessionRecord.hash(of: secret), owner: owner, userAgent: Self.shortened(userAgent),
                replacing: replacing.map(WebSessionRecord.hash(of:)), now: now)
        }
        return try await database.write { database in
            if let replacing { try Self.delete(secret: replacing, database) }
            return try Self.insert(secret: secret, owner: owner, userAgent: userAgent, now: now, database)
        }
    }

    /// Returns all sessions, by id.
    package func all() async throws -> [WebSessionRecord] {
        if let shared = database.sharedCredentials { return try await shared.allSessions() }
        return try await database.readKeys { try WebSessionRecord.fetch($0) }
    }

    /// Ends the session with a secret, if there is one.
    package func end(secret: String) async throws {
        if let shared = database.sharedCredentials {
            return try await shared.endSession(hash: WebSessionRecord.hash(of: secret))
        }
        try await database.write { try Self.delete(secret: secret, $0) }
    }

    /// Ends a session.
    ///
    /// - Returns: Whether there was one.
    package func end(id: Int64) async throws -> Bool {
        if let shared = database.sharedCredentials { return try await shared.endSession(id: id) }
        return try await database.write { database in
            try database.execute(sql: "DELETE FROM gateway_web_sessions WHERE id = ?", arguments: [id])
            return database.changesCount > 0
        }
    }

    /// Stores when sessions were last used, and prolongs them. A power cut may lose the last calls.
    ///
    /// - Parameter uses: Seconds since 1970, by session.
    package func recordUse(_ uses: [Int64: Int64]) async throws {
        guard !uses.isEmpty else { return }
        if let shared = database.sharedCredentials { return try await shared.recordSessionUse(uses) }
        try await database.writeRelaxed { database in
            let touch = try database.cachedStatement(
                sql: """
                    UPDATE gateway_web_sessions SET last_used_at = ?1, expires_at = ?2
                    WHERE id = ?3 AND last_used_at < ?1
                    """)
            for (id, used) in uses { try touch.execute(arguments: [used, used + Self.lifetime, id]) }
        }
    }

    /// Deletes sessions that have expired or whose key was revoked, and pairings that have expired.
    ///
    /// - Parameter now: Seconds since 1970.
    package func prune(now: Int64) async throws {
        if let shared = database.sharedCredentials { return try await shared.prune(now: now) }
        try await database.writeRelaxed { database in
            try database.execute(
                sql: """
                    DELETE FROM gateway_web_sessions WHERE expires_at <= ? OR (key_id IS NOT NULL AND key_id NOT IN (
                        SELECT id FROM gateway_keys WHERE revoked_at IS NULL))
                    """, arguments: [now])
            try database.execute(sql: "DELETE FROM gateway_pairings WHERE expires_at <= ?", arguments: [now])
        }
    }

    static func insert(
        secret: String, owner: WebSessionRecord.Owner, userAgent: String, now: Int64, _ database: Database
    ) throws -> WebSessionRecord {
        let hash = RandomSecret.hash(secret)
        let agent = shortened(userAgent)
        let (key, binding): (Int64?, Data?) =
            switch owner {
            case .key(let id): (id, nil)
            case .token(let binding): (nil, Data(binding))
            }
        try database.execute(
            sql: """
                INSERT INTO gateway_web_sessions
                    (hash, key_id, token_binding, user_agent, created_at, last_used_at, expires_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)
                """, arguments: [hash, key, binding, agent, now, now + lifetime])
        let id = database.lastInsertedRowID
        let all = try Row.fetchAll(database, sql: "SELECT id, key_id, last_used_at FROM gateway_web_sessions")
        let sessions = all.map { (id: $0.integer(0) ?? 0, key: $0.integer(1), lastUsedAt: $0.integer(2) ?? 0) }
        for ended in KeyFamilies(try KeyRecord.fetch(database)).surplus(sessions) {
            try database.execute(sql: "DELETE FROM gateway_web_sessions WHERE id = ?", arguments: [ended])
        }
        return WebSessionRecord(
            id: id, hash: Array(hash), owner: owner, userAgent: agent, createdAt: now, lastUsedAt: now,
            expiresAt: now + lifetime)
    }

    private static func delete(secret: String, _ database: Database) throws {
        try database.execute(
            sql: "DELETE FROM gateway_web_sessions WHERE hash = ?", arguments: [RandomSecret.hash(secret)])
    }

    /// Cuts a browser's name between scalars and drops control characters.
    package static func shortened(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var bytes = 0
        for scalar in text.unicodeScalars where scalar.properties.generalCategory != .control {
            bytes += String(scalar).utf8.count
            guard bytes <= maxUserAgentBytes else { break }
            result.append(scalar)
        }
        return String(result)
    }
}
