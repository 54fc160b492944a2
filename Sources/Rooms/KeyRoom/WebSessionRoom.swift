package import Database
import GatewayAPI

extension SQLStore {
    /// The sessions of browsers.
    package var webSessions: WebSessionRoom { WebSessionRoom(store: self) }
}

/// Stores browser sessions. Reads and errors are as those of ``KeyRoom``.
///
/// The table is bounded: a session beyond ``maxSessionsPerKey`` or ``maxSessionsPerRoot`` ends the one of the key that was
/// not used for the longest time, and one beyond ``maxSessions`` one of the root with the most; see ``KeyFamilies``.
package struct WebSessionRoom: Sendable {
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

    let store: any SQLStore

    /// Opens a session.
    ///
    /// - Parameters:
    ///   - secret: The session's secret; only its hash is stored.
    ///   - owner: The credential that it is opened with.
    ///   - userAgent: The browser's name for itself; is shortened.
    ///   - replacing: The secret of a session that this one replaces, which ends.
    ///   - now: Seconds since 1970.
    package func open(
        secret: String, owner: WebSessionRecord.Owner, userAgent: String, replacing: String? = nil, now: Int64
    ) async throws -> WebSessionRecord {
        try await store.transaction { session in
            try KeyRoom.lock(session)
            if let replacing { try Self.delete(secret: replacing, session) }
            return try Self.open(
                secret: secret, owner: owner, userAgent: userAgent, now: now, KeyFamilies(KeyRoom.all(session)), session
            )
        }
    }

    /// Returns all sessions, by id.
    package func all() async throws -> [WebSessionRecord] { try await store.quickSnapshot { try Self.all($0) } }

    /// Ends the session with a secret, if there is one.
    package func end(secret: String) async throws {
        try await store.transaction { try Self.delete(secret: secret, $0) }
    }

    /// Ends a session.
    ///
    /// - Returns: Whether there was one.
    package func end(id: Int64) async throws -> Bool {
        try await store.run("DELETE FROM gateway_web_sessions WHERE id = $1", [.integer(id)]) > 0
    }

    /// Stores when sessions were last used, and prolongs them. A power cut may lose the last calls on a file.
    ///
    /// - Parameter uses: Seconds since 1970, by session.
    package func recordUse(_ uses: [Int64: Int64]) async throws {
        guard !uses.isEmpty else { return }
        let rows = uses.sorted { $0.key < $1.key }.map { id, used -> [JSONValue] in [.integer(id), .integer(used)] }
        try await store.relaxedTransaction { session in
            _ = try session.run(
                """
                UPDATE gateway_web_sessions SET last_used_at = u.used, expires_at = u.used + $2
                FROM (\(session.dialect.list("$1", ["session_id", "used"]))) AS u
                WHERE gateway_web_sessions.id = u.session_id AND gateway_web_sessions.last_used_at < u.used
                """, [.list(rows), .integer(Self.lifetime)])
        }
    }

    /// Deletes sessions that have expired or whose key was revoked, and pairings that have expired.
    ///
    /// - Parameter now: Seconds since 1970.
    package func prune(now: Int64) async throws {
        try await store.relaxedTransaction { session in
            let isOver = """
                expires_at <= $1
                OR (key_id IS NOT NULL AND key_id NOT IN (SELECT id FROM gateway_keys WHERE revoked_at IS NULL))
                """
            // In PostgreSQL the statement would wake all gateways even if it deleted nothing.
            let over = try session.first("SELECT id FROM gateway_web_sessions WHERE \(isOver) LIMIT 1", [.integer(now)])
            if over != nil { try session.run("DELETE FROM gateway_web_sessions WHERE \(isOver)", [.integer(now)]) }
            try PairingRoom.deleteExpired(now: now, session)
        }
    }

    // MARK: Rows

    static func all(_ session: any SQLSession) throws -> [WebSessionRecord] {
        try session.rows(
            "SELECT \(WebSessionRecord.columns) FROM gateway_web_sessions ORDER BY id LIMIT $1", [.count(maxSessions)]
        ).compactMap { WebSessionRecord($0) }
    }

    /// Adds a session, or gives a known one its key. Returns its id.
    static func insert(_ new: WebSessionRecord, _ session: any SQLSession) throws -> Int64? {
        try session.first(
            """
            INSERT INTO gateway_web_sessions (\(WebSessionRecord.valueColumns)) VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (hash) DO UPDATE SET key_id = excluded.key_id RETURNING id
            """, new.values)?.integer(0)
    }

    /// Adds a session and ends those beyond the limits.
    static func open(
        secret: String, owner: WebSessionRecord.Owner, userAgent: String, now: Int64, _ families: KeyFamilies,
        _ session: any SQLSession
    ) throws -> WebSessionRecord {
        var opened = WebSessionRecord(
            id: 0, hash: WebSessionRecord.hash(of: secret), owner: owner, userAgent: shortened(userAgent),
            createdAt: now, lastUsedAt: now, expiresAt: now + lifetime)
        guard let id = try insert(opened, session) else {
            throw StorageError(.failed, "a new session cannot be read back")
        }
        opened.id = id
        let rows = try session.rows("SELECT id, key_id, last_used_at FROM gateway_web_sessions")
        let ended = families.surplus(
            rows.map { (id: $0.integer(0) ?? 0, key: $0.integer(1), lastUsedAt: $0.integer(2) ?? 0) })
        if !ended.isEmpty {
            try session.run(
                "DELETE FROM gateway_web_sessions WHERE id IN (\(session.dialect.list("$1", ["id"])))",
                [.list(ended.map { [.integer($0)] })])
        }
        return opened
    }

    private static func delete(secret: String, _ session: any SQLSession) throws {
        try session.run(
            "DELETE FROM gateway_web_sessions WHERE hash = $1", [.bytes(WebSessionRecord.hash(of: secret))])
    }

    /// Cuts a browser's name between scalars and drops control characters.
    static func shortened(_ text: String) -> String {
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
