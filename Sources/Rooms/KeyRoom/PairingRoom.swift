import Cryptography
package import Database

extension SQLStore {
    /// Pairings of new devices.
    package var pairings: PairingRoom { PairingRoom(store: self) }
}

/// Stores pairings of new devices. A code works once and for ``lifetime``. Reads and errors are as those of ``KeyRoom``.
///
/// The table is bounded: at most ``maxPending`` offers and as many requests wait, ``maxPendingPerAddress`` of one address.
package struct PairingRoom: Sendable {
    /// How long a code works, in seconds.
    package static let lifetime: Int64 = 300
    /// The largest number of offers that wait, and of requests.
    package static let maxPending = 100
    /// The largest number of requests from one address that wait.
    package static let maxPendingPerAddress = 4

    let store: any SQLStore

    /// Checks that a key may have another device paired.
    ///
    /// - Throws: ``StorageError/Code/conflict`` when the keys that it made by pairing are as many as allowed.
    package func checkRoom(for giver: Int64?, now: Int64) async throws {
        guard let giver else { return }
        try KeyFamilies(try await store.keys.all()).checkRoom(for: giver, now: now)
    }

    /// Offers a key to whichever device sends the code first.
    ///
    /// - Parameters:
    ///   - name: The name for the device's key.
    ///   - grant: The rights of the device's key.
    ///   - grantedBy: The key that offers; the offer ends when that key may no longer give these rights. nil for the
    ///     command line.
    ///   - now: Seconds since 1970.
    /// - Returns: When the code stops working, in seconds since 1970.
    /// - Throws: ``StorageError/Code/invalid`` for the name or the grant, ``StorageError/Code/conflict`` when too many
    ///   pairings wait.
    package func offer(
        _ code: PairingCode, name: String, grant: KeyGrant, grantedBy: Int64?, now: Int64
    ) async throws -> Int64 {
        try KeyRoom.check(name: name)
        try grant.check()
        return try await add(
            code,
            PairingRecord(
                name: name, userAgent: "", address: "", grant: grant, grantedBy: grantedBy,
                expiresAt: now + Self.lifetime), now: now)
    }

    /// Adds the request of a new device, for a signed-in one to approve.
    ///
    /// - Parameters:
    ///   - poll: The secret with which the new device returns; only its hash is stored.
    ///   - name: The device's name for itself.
    ///   - now: Seconds since 1970.
    /// - Returns: When the code stops working, in seconds since 1970.
    /// - Throws: ``StorageError/Code/invalid`` for the name, ``StorageError/Code/conflict`` when too many pairings wait.
    package func request(
        _ code: PairingCode, poll: String, name: String, userAgent: String, address: String, now: Int64
    ) async throws -> Int64 {
        try KeyRoom.check(name: name)
        return try await add(
            code,
            PairingRecord(
                name: name, userAgent: WebSessionRoom.shortened(userAgent), address: address,
                expiresAt: now + Self.lifetime, pollHash: Array(RandomSecret.hash(poll))), now: now)
    }

    /// Returns the request with a code; nil when there is none.
    package func request(_ code: PairingCode, now: Int64) async throws -> PairingRecord? {
        let found = try await store.quickSnapshot { try Self.find(code, now: now, $0) }
        return found?.pollHash == nil ? nil : found
    }

    /// Whether a new device's request was approved; nil when there is no request with this code and secret.
    package func isApproved(_ code: PairingCode, poll: String, now: Int64) async throws -> Bool? {
        let hash = Array(RandomSecret.hash(poll))
        return try await request(code, now: now).flatMap { $0.pollHash == hash ? $0.grant != nil : nil }
    }

    /// Approves the request of a new device.
    ///
    /// - Returns: The request; nil when there is none that waits for approval.
    /// - Throws: ``StorageError/Code/invalid`` for the grant.
    package func approve(
        _ code: PairingCode, grant: KeyGrant, grantedBy: Int64?, now: Int64
    ) async throws -> PairingRecord? {
        try grant.check()
        return try await store.transaction { session in
            try KeyRoom.lock(session)
            guard var found = try Self.find(code, now: now, session), found.pollHash != nil, found.grant == nil else {
                return nil
            }
            let values = grant.values(expiry: SQLValue.integer)
            try session.run(
                """
                UPDATE gateway_pairings SET \(KeyGrant.assignments(expiry: "key_expires_at")),
                granted_by = $\(values.count + 1) WHERE id = $\(values.count + 2)
                """, values + [.integer(grantedBy), .integer(found.id)])
            found.grant = grant
            return found
        }
    }

    /// Turns a code into a key of the device's own and a session of that key, and removes the code.
    ///
    /// The key's secret is not kept: the session is the device's only credential.
    ///
    /// - Parameters:
    ///   - poll: The secret of a request; nil for an offer.
    ///   - session: The secret of the session.
    ///   - now: Seconds since 1970.
    /// - Returns: The key and its session; nil when the code is unknown, expired, used, not approved, or given by a key
    ///   that may no longer give it.
    /// - Throws: ``StorageError/Code/conflict`` when the giver has as many keys as allowed. The code then stays.
    package func redeem(
        _ code: PairingCode, poll: String?, session: String, userAgent: String, now: Int64
    ) async throws -> (key: KeyRecord, session: WebSessionRecord)? {
        let pollHash = poll.map { Array(RandomSecret.hash($0)) }
        return try await store.transaction { connection in
            try KeyRoom.lock(connection)
            guard let found = try Self.find(code, now: now, connection), found.pollHash == pollHash,
                let grant = found.grant, !grant.isExpired(at: now)
            else { return nil }
            try connection.run("DELETE FROM gateway_pairings WHERE id = $1", [.integer(found.id)])
            let keys = try KeyRoom.all(connection)
            if let giver = found.grantedBy {
                let families = KeyFamilies(keys)
                guard (try? families.checkMaker(giver, of: grant, now: now)) != nil else { return nil }
                try families.checkRoom(for: giver, now: now)
            }
            let name = try KeyRoom.freeName(
                found.name, among: Set(keys.filter { $0.revokedAt == nil }.map(\.name)))
            let key = try KeyRoom.insert(
                name: name, secret: RandomSecret.make(), grant: grant, parent: found.grantedBy, connection)
            let opened = try WebSessionRoom.open(
                secret: session, owner: .key(key.id), userAgent: userAgent, now: now, KeyFamilies(keys + [key]),
                connection)
            return (key, opened)
        }
    }

    // MARK: Rows

    private static let tooMany = StorageError(.conflict, "too many pairings wait; each one ends after 5 minutes")

    private static func hash(_ code: PairingCode) -> SQLValue { .bytes(Array(RandomSecret.hash(code.text))) }

    /// The pairing of a code that has not expired.
    private static func find(
        _ code: PairingCode, now: Int64, _ session: any SQLSession
    ) throws -> PairingRecord? {
        try session.first(
            "SELECT \(PairingRecord.columns) FROM gateway_pairings WHERE code_hash = $1 AND expires_at > $2",
            [hash(code), .integer(now)]
        ).flatMap { PairingRecord($0) }
    }

    static func deleteExpired(now: Int64, _ session: any SQLSession) throws {
        try session.run("DELETE FROM gateway_pairings WHERE expires_at <= $1", [.integer(now)])
    }

    /// Adds a pairing. Returns when its code stops working.
    private func add(_ code: PairingCode, _ new: PairingRecord, now: Int64) async throws -> Int64 {
        try await store.transaction { session in
            try KeyRoom.lock(session)
            try Self.deleteExpired(now: now, session)
            func count(_ condition: String, _ values: [SQLValue] = []) throws -> Int {
                try session.first("SELECT count(*) FROM gateway_pairings WHERE \(condition)", values)?.count(0) ?? 0
            }
            // Requests need no key, so they must not take the places of offers.
            if new.pollHash != nil {
                let own = try count("poll_hash IS NOT NULL AND address = $1", [.text(new.address)])
                guard own < Self.maxPendingPerAddress, try count("poll_hash IS NOT NULL") < Self.maxPending else {
                    throw Self.tooMany
                }
            } else {
                let own = try count("poll_hash IS NULL AND granted_by = $1", [.integer(new.grantedBy)])
                guard own < KeyFamilies.maxChildren, try count("poll_hash IS NULL") < Self.maxPending else {
                    throw Self.tooMany
                }
            }
            let grant = new.grant
            let columns = (grant == nil ? ["models"] : PairingRecord.grantColumns).joined(separator: ", ")
            let values =
                (grant?.values(expiry: SQLValue.integer) ?? [.text("")]) + [
                    Self.hash(code), .bytes(new.pollHash), .text(new.name), .text(new.userAgent), .text(new.address),
                    .integer(new.grantedBy), .integer(now), .integer(new.expiresAt),
                ]
            try session.run(
                """
                INSERT INTO gateway_pairings (\(columns), code_hash, poll_hash, name, user_agent, address, granted_by,
                created_at, expires_at) VALUES (\(values.places))
                """, values)
            return new.expiresAt
        }
    }
}
