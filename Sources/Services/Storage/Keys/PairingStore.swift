import Cryptography
import Foundation
import GRDB

/// Stores pairings of new devices. A code works once and for ``lifetime``.
///
/// The table is bounded: at most ``maxPending`` offers and as many requests wait, ``maxPendingPerAddress`` of one address.
package struct PairingStore: Sendable {
    /// How long a code works, in seconds.
    package static let lifetime: Int64 = 300
    /// The largest number of offers that wait, and of requests.
    package static let maxPending = 100
    /// The largest number of requests from one address that wait.
    package static let maxPendingPerAddress = 4

    let database: GatewayDatabase

    /// Checks that a key may have another device paired.
    ///
    /// - Throws: ``StorageError/Code/conflict`` when the keys that it made by pairing are as many as allowed.
    package func checkRoom(for giver: Int64?, now: Int64) async throws {
        guard let giver else { return }
        try KeyFamilies(try await database.keys.all()).checkRoom(for: giver, now: now)
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
        try KeyStore.check(name: name)
        try grant.check()
        if let shared = database.sharedCredentials {
            let pairing = PairingRecord(
                name: name, userAgent: "", address: "", grant: grant, grantedBy: grantedBy,
                expiresAt: now + Self.lifetime)
            try await shared.addPairing(codeHash: Self.hash(code), pairing, now: now)
            return pairing.expiresAt
        }
        return try await database.write { database in
            if let grantedBy {
                let own = try Scalar.count(
                    database,
                    sql:
                        "SELECT count(*) FROM gateway_pairings WHERE granted_by = ? AND poll_hash IS NULL AND expires_at > ?",
                    arguments: [grantedBy, now])
                guard own ?? 0 < KeyFamilies.maxChildren else { throw Self.tooMany }
            }
            let id = try Self.insert(code, poll: nil, name: name, userAgent: "", address: "", now: now, database)
            try Self.store(grant, by: grantedBy, pairing: id, database)
            return now + Self.lifetime
        }
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
        try KeyStore.check(name: name)
        if let shared = database.sharedCredentials {
            let pairing = PairingRecord(
                name: name, userAgent: WebSessionStore.shortened(userAgent), address: address,
                expiresAt: now + Self.lifetime, pollHash: Array(RandomSecret.hash(poll)))
            try await shared.addPairing(codeHash: Self.hash(code), pairing, now: now)
            return pairing.expiresAt
        }
        return try await database.write { database in
            _ = try Self.insert(
                code, poll: poll, name: name, userAgent: userAgent, address: address, now: now, database)
            return now + Self.lifetime
        }
    }

    /// Returns the request with a code; nil when there is none.
    package func request(_ code: PairingCode, now: Int64) async throws -> PairingRecord? {
        if let shared = database.sharedCredentials {
            return try await shared.pairing(codeHash: Self.hash(code), now: now).flatMap {
                $0.pollHash == nil ? nil : $0
            }
        }
        return try await database.readKeys { database in
            try PairingRecord.find(code, now: now, database).flatMap { $0.pollHash == nil ? nil : $0 }
        }
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
        if let shared = database.sharedCredentials {
            return try await shared.approve(codeHash: Self.hash(code), grant: grant, grantedBy: grantedBy, now: now)
        }
        return try await database.write { database in
            guard var found = try PairingRecord.find(code, now: now, database), found.pollHash != nil,
                found.grant == nil
            else { return nil }
            try Self.store(grant, by: grantedBy, pairing: found.id, database)
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
        if let shared = database.sharedCredentials {
            return try await shared.redeem(
                codeHash: Self.hash(code), pollHash: pollHash, keySecret: RandomSecret.make(),
                sessionHash: WebSessionRecord.hash(of: session), userAgent: WebSessionStore.shortened(userAgent),
                now: now)
        }
        return try await database.write { database in
            guard let found = try PairingRecord.find(code, now: now, database), found.pollHash == pollHash,
                let grant = found.grant, !grant.isExpired(at: now)
            else { return nil }
            try database.execute(sql: "DELETE FROM gateway_pairings WHERE id = ?", arguments: [found.id])
            if let giver = found.grantedBy {
                let families = KeyFamilies(try KeyRecord.fetch(database))
                guard (try? families.checkMaker(giver, of: grant, now: now)) != nil else { return nil }
                try families.checkRoom(for: giver, now: now)
            }
            let name = try Self.freeName(found.name, database)
            let key = try KeyStore.insert(
                name: name, secret: RandomSecret.make(), grant: grant, parent: found.grantedBy, database)
            let session = try WebSessionStore.insert(
                secret: session, owner: .key(key.id), userAgent: userAgent, now: now, database)
            return (key, session)
        }
    }

    private static func hash(_ code: PairingCode) -> [UInt8] { Array(RandomSecret.hash(code.text)) }

    private static func freeName(_ name: String, _ database: Database) throws -> String {
        try freeName(name) { try KeyStore.isTaken($0, database) }
    }

    /// The name, with a number behind it when a live key has it already.
    package static func freeName(_ name: String, isTaken: (String) throws -> Bool) throws -> String {
        for number in 1...maxPending {
            let candidate = number == 1 ? name : "\(name) \(number)"
            if try !isTaken(candidate) { return candidate }
        }
        throw StorageError(.conflict, "there are too many keys named \"\(name)\"; revoke some first")
    }

    private static func insert(
        _ code: PairingCode, poll: String?, name: String, userAgent: String, address: String, now: Int64,
        _ database: Database
    ) throws -> Int64 {
        try database.execute(sql: "DELETE FROM gateway_pairings WHERE expires_at <= ?", arguments: [now])
        // Requests need no key, so they must not take the places of offers.
        let all =
            try Scalar.count(
                database, sql: "SELECT count(*) FROM gateway_pairings WHERE (poll_hash IS NULL) = ?",
                arguments: [poll == nil]) ?? 0
        let own =
            poll == nil
            ? 0
            : try Scalar.count(
                database, sql: "SELECT count(*) FROM gateway_pairings WHERE poll_hash IS NOT NULL AND address = ?",
                arguments: [address]) ?? 0
        guard all < maxPending, own < maxPendingPerAddress else {
            throw PairingStore.tooMany
        }
        try database.execute(
            sql: """
                INSERT INTO gateway_pairings (code_hash, poll_hash, name, user_agent, address, created_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                RandomSecret.hash(code.text), poll.map(RandomSecret.hash), name,
                WebSessionStore.shortened(userAgent), address, now, now + lifetime,
            ])
        return database.lastInsertedRowID
    }

    package static let tooMany = StorageError(.conflict, "too many pairings wait; each one ends after 5 minutes")

    private static func store(_ grant: KeyGrant, by key: Int64?, pairing id: Int64, _ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE gateway_pairings SET scopes = ?, models = ?, key_expires_at = ?, requests_per_minute = ?,
                tokens_per_day = ?, granted_by = ? WHERE id = ?
                """,
            arguments: [
                grant.storedScopes, grant.storedModels, grant.expiresAt,
                grant.requestsPerMinute, grant.tokensPerDay, key, id,
            ])
    }
}
