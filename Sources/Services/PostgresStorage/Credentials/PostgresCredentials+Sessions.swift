package import Storage

/// Browser sessions and pairings.
extension PostgresCredentials {
    private static let sessionColumns =
        "id, hash, key_id, token_binding, user_agent, created_at, last_used_at, expires_at"

    static func sessions(_ connection: PostgresConnection) async throws -> [WebSessionRecord] {
        let rows = try await connection.run(
            "SELECT \(sessionColumns) FROM web_sessions ORDER BY id LIMIT $1",
            [.integer(Int64(WebSessionStore.maxSessions))])
        return rows.indices.compactMap { session(rows, $0) }
    }

    private static func session(_ rows: PostgresRows, _ row: Int) -> WebSessionRecord? {
        guard let id = rows.integer(row, 0), let hash = rows.bytes(row, 1), let created = rows.integer(row, 5),
            let used = rows.integer(row, 6), let expires = rows.integer(row, 7)
        else { return nil }
        let owner: WebSessionRecord.Owner
        if let key = rows.integer(row, 2) {
            owner = .key(key)
        } else if let binding = rows.bytes(row, 3), binding.count == 32 {
            owner = .token(binding: binding)
        } else {
            return nil
        }
        return WebSessionRecord(
            id: id, hash: hash, owner: owner, userAgent: rows.text(row, 4) ?? "", createdAt: created, lastUsedAt: used,
            expiresAt: expires)
    }

    @discardableResult
    static func insert(_ session: WebSessionRecord, _ connection: PostgresConnection) async throws -> Int64 {
        let (key, binding): (PostgresValue, PostgresValue) =
            switch session.owner {
            case .key(let id): (.integer(id), .null)
            case .token(let binding): (.null, .bytes(binding))
            }
        let rows = try await connection.run(
            """
            INSERT INTO web_sessions (hash, key_id, token_binding, user_agent, created_at, last_used_at, expires_at)
            VALUES ($1, $2::bigint, $3::bytea, $4, $5, $6, $7) ON CONFLICT (hash) DO UPDATE SET key_id = excluded.key_id
            RETURNING id
            """,
            [
                .bytes(session.hash), key, binding, .text(session.userAgent), .integer(session.createdAt),
                .integer(session.lastUsedAt), .integer(session.expiresAt),
            ])
        return rows.integer(0, 0) ?? 0
    }

    /// Adds a session and ends those that were not used for the longest time, beyond the limits.
    private static func open(
        hash: [UInt8], owner: WebSessionRecord.Owner, userAgent: String, now: Int64, _ connection: PostgresConnection
    ) async throws -> WebSessionRecord {
        var session = WebSessionRecord(
            id: 0, hash: hash, owner: owner, userAgent: userAgent, createdAt: now, lastUsedAt: now,
            expiresAt: now + WebSessionStore.lifetime)
        session.id = try await insert(session, connection)
        let rows = try await connection.run("SELECT id, key_id, last_used_at FROM web_sessions")
        let all = rows.indices.map {
            (id: rows.integer($0, 0) ?? 0, key: rows.integer($0, 1), lastUsedAt: rows.integer($0, 2) ?? 0)
        }
        let ended = KeyFamilies(try await keys(connection)).surplus(all)
        if !ended.isEmpty {
            try await connection.run("DELETE FROM web_sessions WHERE id = ANY($1::bigint[])", [.integers(ended)])
        }
        return session
    }

    package func openSession(
        hash: [UInt8], owner: WebSessionRecord.Owner, userAgent: String, replacing: [UInt8]?, now: Int64
    ) async throws -> WebSessionRecord {
        try await store.write { connection in
            try await Self.lockKeys(connection)
            if let replacing {
                try await connection.run("DELETE FROM web_sessions WHERE hash = $1", [.bytes(replacing)])
            }
            return try await Self.open(hash: hash, owner: owner, userAgent: userAgent, now: now, connection)
        }
    }

    package func allSessions() async throws -> [WebSessionRecord] {
        try await store.read { try await Self.sessions($0) }
    }

    package func endSession(hash: [UInt8]) async throws {
        _ = try await store.write { try await $0.run("DELETE FROM web_sessions WHERE hash = $1", [.bytes(hash)]) }
    }

    package func endSession(id: Int64) async throws -> Bool {
        try await store.write { try await $0.run("DELETE FROM web_sessions WHERE id = $1", [.integer(id)]).changed > 0 }
    }

    package func recordSessionUse(_ uses: [Int64: Int64]) async throws {
        let uses = uses.sorted { $0.key < $1.key }
        _ = try await store.write {
            try await $0.run(
                """
                UPDATE web_sessions SET last_used_at = u.used, expires_at = u.used + $3
                FROM unnest($1::bigint[], $2::bigint[]) AS u (id, used)
                WHERE web_sessions.id = u.id AND last_used_at < u.used
                """,
                [
                    .integers(uses.map { $0.key }), .integers(uses.map { $0.value }),
                    .integer(WebSessionStore.lifetime),
                ])
        }
    }

    package func prune(now: Int64) async throws {
        try await store.write { connection in
            let condition = """
                expires_at <= $1 OR (key_id IS NOT NULL AND key_id NOT IN (SELECT id FROM keys WHERE revoked_at IS NULL))
                """
            // The statement would wake all gateways even if it deleted nothing.
            let hasAny = try await connection.run(
                "SELECT EXISTS (SELECT 1 FROM web_sessions WHERE \(condition))", [.integer(now)])
            if hasAny.bool(0, 0) == true {
                try await connection.run("DELETE FROM web_sessions WHERE \(condition)", [.integer(now)])
            }
            try await connection.run("DELETE FROM pairings WHERE expires_at <= $1", [.integer(now)])
        }
    }

    // MARK: Pairings

    private static func pairing(
        _ codeHash: [UInt8], now: Int64, _ connection: PostgresConnection
    ) async throws -> PairingRecord? {
        let rows = try await connection.run(
            """
            SELECT id, poll_hash, name, user_agent, address, scopes, models, key_expires_at, requests_per_minute,
                tokens_per_day, granted_by, expires_at
            FROM pairings WHERE code_hash = $1 AND expires_at > $2
            """, [.bytes(codeHash), .integer(now)])
        guard let id = rows.integer(0, 0) else { return nil }
        let grant = rows.text(0, 5).map { scopes in
            KeyGrant(
                storedScopes: scopes, models: rows.text(0, 6), expiresAt: rows.integer(0, 7),
                requestsPerMinute: rows.integer(0, 8), tokensPerDay: rows.integer(0, 9))
        }
        return PairingRecord(
            name: rows.text(0, 2) ?? "", userAgent: rows.text(0, 3) ?? "", address: rows.text(0, 4) ?? "", grant: grant,
            grantedBy: rows.integer(0, 10), expiresAt: rows.integer(0, 11) ?? 0, pollHash: rows.bytes(0, 1), id: id)
    }

    package func addPairing(codeHash: [UInt8], _ pairing: PairingRecord, now: Int64) async throws {
        try await store.write { connection in
            try await Self.lockKeys(connection)
            try await connection.run("DELETE FROM pairings WHERE expires_at <= $1", [.integer(now)])
            let isOffer = pairing.pollHash == nil
            let counts = try await connection.run(
                """
                SELECT count(*) FILTER (WHERE (poll_hash IS NULL) = $1),
                    count(*) FILTER (WHERE poll_hash IS NOT NULL AND address = $2) FROM pairings
                """, [.bool(isOffer), .text(pairing.address)])
            let own = try await connection.run(
                "SELECT count(*) FROM pairings WHERE poll_hash IS NULL AND granted_by = $1::bigint",
                [PostgresValue(pairing.grantedBy)])
            guard !isOffer || own.integer(0, 0) ?? 0 < KeyFamilies.maxChildren else { throw PairingStore.tooMany }
            guard counts.integer(0, 0) ?? 0 < PairingStore.maxPending,
                isOffer || counts.integer(0, 1) ?? 0 < PairingStore.maxPendingPerAddress
            else { throw PairingStore.tooMany }
            try await connection.run(
                """
                INSERT INTO pairings (scopes, models, key_expires_at, requests_per_minute, tokens_per_day, code_hash,
                    poll_hash, name, user_agent, address, granted_by, expires_at)
                VALUES ($1::text, $2, $3::bigint, $4::bigint, $5::bigint, $6, $7::bytea, $8, $9, $10, $11::bigint, $12)
                """,
                Self.terms(pairing.grant) + [
                    .bytes(codeHash), pairing.pollHash.map { .bytes($0) } ?? .null, .text(pairing.name),
                    .text(pairing.userAgent), .text(pairing.address), PostgresValue(pairing.grantedBy),
                    .integer(pairing.expiresAt),
                ])
        }
    }

    package func pairing(codeHash: [UInt8], now: Int64) async throws -> PairingRecord? {
        try await store.read { try await Self.pairing(codeHash, now: now, $0) }
    }

    package func approve(
        codeHash: [UInt8], grant: KeyGrant, grantedBy: Int64?, now: Int64
    ) async throws -> PairingRecord? {
        try await store.write { connection in
            try await Self.lockKeys(connection)
            guard var found = try await Self.pairing(codeHash, now: now, connection), found.pollHash != nil,
                found.grant == nil
            else { return nil }
            try await connection.run(
                """
                UPDATE pairings SET scopes = $1::text, models = $2, key_expires_at = $3::bigint,
                    requests_per_minute = $4::bigint, tokens_per_day = $5::bigint, granted_by = $6::bigint WHERE id = $7
                """, Self.terms(grant) + [PostgresValue(grantedBy), .integer(found.id)])
            found.grant = grant
            return found
        }
    }

    package func redeem(
        codeHash: [UInt8], pollHash: [UInt8]?, keySecret: String, sessionHash: [UInt8], userAgent: String, now: Int64
    ) async throws -> (key: KeyRecord, session: WebSessionRecord)? {
        let made = try await store.write { connection -> Redeemed? in
            try await Self.lockKeys(connection)
            guard let found = try await Self.pairing(codeHash, now: now, connection), found.pollHash == pollHash,
                let grant = found.grant, !grant.isExpired(at: now)
            else { return nil }
            try await connection.run("DELETE FROM pairings WHERE id = $1", [.integer(found.id)])
            let keys = try await Self.keys(connection)
            if let giver = found.grantedBy {
                let families = KeyFamilies(keys)
                guard (try? families.checkMaker(giver, of: grant, now: now)) != nil else { return nil }
                try families.checkRoom(for: giver, now: now)
            }
            let live = Set(keys.filter { $0.revokedAt == nil }.map(\.name))
            let name = try PairingStore.freeName(found.name) { live.contains($0) }
            let key = try await Self.insert(
                name: name, secret: keySecret, grant: grant, parent: found.grantedBy, connection)
            let session = try await Self.open(
                hash: sessionHash, owner: .key(key.id), userAgent: userAgent, now: now, connection)
            return Redeemed(key: key, session: session)
        }
        return made.map { ($0.key, $0.session) }
    }

    private struct Redeemed: Sendable {
        var key: KeyRecord
        var session: WebSessionRecord
    }
}
