import Cryptography
import GatewayAPI
import Synchronization
package import Storage

/// Keys, browser sessions and pairings that all gateways on the database share.
package struct PostgresCredentials: SharedCredentials {
    let store: PostgresStore
    private let cache = CredentialCache()

    package init(_ store: PostgresStore) { self.store = store }

    // MARK: Keys

    private static let keyColumns = """
        id, name, hash, prefix, created_at, last_used_at, revoked_at, scopes, models, expires_at, requests_per_minute,
        tokens_per_day, parent
        """

    private static func key(_ rows: PostgresRows, _ row: Int) -> KeyRecord? {
        rows.integer(row, 0).map { id in
            KeyRecord(
                id: id, name: rows.text(row, 1) ?? "", hash: rows.bytes(row, 2) ?? [], prefix: rows.text(row, 3) ?? "",
                grant: KeyGrant(
                    storedScopes: rows.text(row, 7), models: rows.text(row, 8), expiresAt: rows.integer(row, 9),
                    requestsPerMinute: rows.integer(row, 10), tokensPerDay: rows.integer(row, 11)),
                createdAt: rows.text(row, 4) ?? "", lastUsedAt: rows.text(row, 5), revokedAt: rows.text(row, 6),
                parent: rows.integer(row, 12))
        }
    }

    static func keys(_ connection: PostgresConnection) async throws -> [KeyRecord] {
        let rows = try await connection.run("SELECT \(keyColumns) FROM keys ORDER BY id")
        return rows.indices.compactMap { key(rows, $0) }
    }

    /// Lets one transaction at a time change keys, sessions and pairings.
    static func lockKeys(_ connection: PostgresConnection) async throws {
        try await connection.run("SELECT pg_advisory_xact_lock($1)", [.integer(PostgresSchema.lock + 4)])
    }

    package func createKey(
        name: String, secret: String, grant: KeyGrant, parent: Int64?, now: Int64
    ) async throws -> KeyRecord {
        try await store.write { connection in
            try await Self.lockKeys(connection)
            let keys = try await Self.keys(connection)
            guard !keys.contains(where: { $0.revokedAt == nil && $0.name == name }) else {
                throw KeyStore.nameTaken(name)
            }
            if let parent { try KeyFamilies(keys).checkMaker(parent, of: grant, now: now) }
            return try await Self.insert(name: name, secret: secret, grant: grant, parent: parent, connection)
        }
    }

    static func insert(
        name: String, secret: String, grant: KeyGrant, parent: Int64?, _ connection: PostgresConnection
    ) async throws -> KeyRecord {
        let key = KeyRecord(
            id: 0, name: name, hash: Array(RandomSecret.hash(secret)), prefix: KeyStore.prefix(of: secret),
            grant: grant, createdAt: Timestamp.now)
        let rows = try await connection.run(
            """
            INSERT INTO keys (name, hash, prefix, created_at, scopes, models, expires_at, requests_per_minute,
                tokens_per_day, parent) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::bigint) RETURNING \(keyColumns)
            """,
            [.text(key.name), .bytes(key.hash), .text(key.prefix), .text(key.createdAt)] + terms(grant)
                + [PostgresValue(parent)])
        guard let stored = Self.key(rows, 0) else { throw PostgresError(.failed, "the key could not be stored") }
        return stored
    }

    /// A grant's columns; without scopes for none.
    static func terms(_ grant: KeyGrant?) -> [PostgresValue] {
        [
            PostgresValue(grant?.storedScopes), .text(grant?.storedModels ?? ""), PostgresValue(grant?.expiresAt),
            PostgresValue(grant?.requestsPerMinute.map(Int64.init)),
            PostgresValue(grant?.tokensPerDay.map(Int64.init)),
        ]
    }

    package func allKeys() async throws -> [KeyRecord] { try await store.read { try await Self.keys($0) } }

    package func changeKey(
        _ nameOrID: String, _ change: @escaping @Sendable (inout KeyGrant) -> Void
    ) async throws -> KeyRecord {
        try await store.write { connection in
            try await Self.lockKeys(connection)
            let keys = try await Self.keys(connection)
            guard var key = KeyStore.liveKey(nameOrID, among: keys) else { throw KeyStore.noLiveKey(nameOrID) }
            change(&key.grant)
            try key.grant.check()
            try KeyFamilies(keys).check(key)
            try await connection.run(
                """
                UPDATE keys SET scopes = $1, models = $2, expires_at = $3, requests_per_minute = $4, tokens_per_day = $5
                WHERE id = $6
                """, Self.terms(key.grant) + [.integer(key.id)])
            return key
        }
    }

    package func revokeKey(_ nameOrID: String) async throws -> [String] {
        try await store.write { connection in
            try await Self.lockKeys(connection)
            let keys = try await Self.keys(connection)
            guard let key = KeyStore.liveKey(nameOrID, among: keys) else { throw KeyStore.noLiveKey(nameOrID) }
            let made = KeyFamilies(keys).descendants(of: key.id).filter { $0.revokedAt == nil }
            try await connection.run(
                "UPDATE keys SET revoked_at = $1 WHERE id = ANY($2::bigint[])",
                [.text(Timestamp.now), .integers([key.id] + made.map(\.id))])
            return made.map(\.name)
        }
    }

    // MARK: Usage

    /// Reads keys and sessions again only when their version has changed; gateways call this several times a second.
    package func snapshot(of day: UTCDay) async throws -> KeySnapshot {
        let rows = try await store.rows(
            """
            SELECT v.version, u.key_id, u.prompt_tokens, u.completion_tokens FROM key_version v
            LEFT JOIN key_usage u ON u.day = $1
            """, [.text(day.text)])
        let version = rows.integer(0, 0) ?? 0
        var known = cache.known(version)
        if known == nil {
            known = try await store.write { connection in
                // One snapshot: the version and what it stands for.
                let now = try await connection.run("SELECT version FROM key_version FOR SHARE").integer(0, 0) ?? 0
                let (keys, sessions) = (try await Self.keys(connection), try await Self.sessions(connection))
                return CredentialCache.Entry(version: now, keys: keys, sessions: sessions)
            }
            if let known { cache.keep(known) }
        }
        return KeySnapshot(
            keys: known?.keys ?? [], tokens: Self.tokens(rows, from: 1), sessions: known?.sessions ?? [])
    }

    private static func tokens(_ rows: PostgresRows, from column: Int) -> [Int64: Int] {
        var tokens: [Int64: Int] = [:]
        for row in rows.indices {
            guard let key = rows.integer(row, column) else { continue }
            func count(_ place: Int) -> Int { Int(clamping: rows.integer(row, column + place) ?? 0) }
            tokens[key] = KeyUsage(promptTokens: count(1), completionTokens: count(2)).tokens
        }
        return tokens
    }

    package func addUsage(
        _ counts: [KeyDay: KeyUsage], lastUsed: [Int64: Int64], sumsOf day: UTCDay
    ) async throws -> [Int64: Int] {
        // Equal orders in all gateways, so that none waits for another in a circle.
        let rows = counts.sorted { ($0.key.day, $0.key.key) < ($1.key.day, $1.key.key) }
        let uses = lastUsed.sorted { $0.key < $1.key }
        return try await store.write { connection in
            try await connection.run(
                """
                INSERT INTO key_usage AS k (day, key_id, requests, refused, prompt_tokens, completion_tokens)
                SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
                ON CONFLICT (day, key_id) DO UPDATE SET requests = k.requests + excluded.requests,
                    refused = k.refused + excluded.refused, prompt_tokens = k.prompt_tokens + excluded.prompt_tokens,
                    completion_tokens = k.completion_tokens + excluded.completion_tokens
                """,
                [
                    .texts(rows.map { $0.key.day.text }), .integers(rows.map { $0.key.key }),
                    .integers(rows.map { Int64($0.value.requests) }), .integers(rows.map { Int64($0.value.refused) }),
                    .integers(rows.map { Int64($0.value.promptTokens) }),
                    .integers(rows.map { Int64($0.value.completionTokens) }),
                ])
            try await connection.run(
                """
                UPDATE keys SET last_used_at = u.used FROM unnest($1::bigint[], $2::text[]) AS u (id, used)
                WHERE keys.id = u.id AND (last_used_at IS NULL OR last_used_at < u.used)
                """, [.integers(uses.map { $0.key }), .texts(uses.map { Timestamp.text($0.value) })])
            let sums = try await connection.run(
                "SELECT key_id, prompt_tokens, completion_tokens FROM key_usage WHERE day = $1", [.text(day.text)])
            return Self.tokens(sums, from: 0)
        }
    }

    package func usage(since day: UTCDay) async throws -> [(place: KeyDay, usage: KeyUsage)] {
        let rows = try await store.rows(
            """
            SELECT day, key_id, requests, refused, prompt_tokens, completion_tokens FROM key_usage WHERE day >= $1
            ORDER BY day DESC, key_id
            """, [.text(day.text)])
        return rows.indices.compactMap { row in
            guard let start = rows.text(row, 0).flatMap(Timestamp.unixSeconds), let key = rows.integer(row, 1) else {
                return nil
            }
            func count(_ column: Int) -> Int { Int(clamping: rows.integer(row, column) ?? 0) }
            return (
                place: KeyDay(key: key, day: UTCDay(unixSeconds: start)),
                usage: KeyUsage(
                    requests: count(2), refused: count(3), promptTokens: count(4), completionTokens: count(5))
            )
        }
    }

    // MARK: Migration

    func readAll() async throws -> TransferCredentials {
        let usage = try await usage(since: UTCDay(unixSeconds: 0))
        return try await store.read { connection in
            TransferCredentials(
                keys: try await Self.keys(connection), usage: usage, sessions: try await Self.sessions(connection))
        }
    }

    func add(_ credentials: TransferCredentials) async throws {
        try await store.write { connection in
            try await Self.lockKeys(connection)
            let placed = try credentials.placed(among: try await Self.keys(connection))
            for key in placed.keys {
                try await connection.run(
                    """
                    INSERT INTO keys (scopes, models, expires_at, requests_per_minute, tokens_per_day, id, name, hash,
                        prefix, created_at, last_used_at, revoked_at, parent)
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::bigint)
                    ON CONFLICT (id) DO UPDATE SET name = excluded.name, scopes = excluded.scopes,
                        models = excluded.models, expires_at = excluded.expires_at,
                        requests_per_minute = excluded.requests_per_minute, tokens_per_day = excluded.tokens_per_day,
                        last_used_at = excluded.last_used_at, revoked_at = excluded.revoked_at,
                        parent = excluded.parent
                    """,
                    Self.terms(key.grant) + [
                        .integer(key.id), .text(key.name), .bytes(key.hash), .text(key.prefix), .text(key.createdAt),
                        PostgresValue(key.lastUsedAt), PostgresValue(key.revokedAt), PostgresValue(key.parent),
                    ])
            }
            for (place, usage) in placed.usage {
                try await connection.run(
                    """
                    INSERT INTO key_usage VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (day, key_id) DO UPDATE SET
                        requests = excluded.requests, refused = excluded.refused,
                        prompt_tokens = excluded.prompt_tokens, completion_tokens = excluded.completion_tokens
                    """,
                    [
                        .text(place.day.text), .integer(place.key), .integer(Int64(usage.requests)),
                        .integer(Int64(usage.refused)), .integer(Int64(usage.promptTokens)),
                        .integer(Int64(usage.completionTokens)),
                    ])
            }
            for session in placed.sessions {
                try await Self.insert(session, connection)
            }
            try await connection.run(
                """
                SELECT setval(pg_get_serial_sequence('selene.keys', 'id'), greatest(coalesce(max(id), 0), 1),
                    coalesce(max(id), 0) >= 1) FROM keys
                """)
        }
    }
}

/// The keys and sessions of the newest version that this process has read.
final class CredentialCache: Sendable {
    struct Entry: Sendable {
        var version: Int64
        var keys: [KeyRecord]
        var sessions: [WebSessionRecord]
    }

    private let entry = Mutex<Entry?>(nil)

    func known(_ version: Int64) -> Entry? { entry.withLock { $0.flatMap { $0.version >= version ? $0 : nil } } }

    func keep(_ fresh: Entry) { entry.withLock { if $0.map({ $0.version < fresh.version }) ?? true { $0 = fresh } } }
}
