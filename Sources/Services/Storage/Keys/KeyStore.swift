import Cryptography
import Foundation
import GRDB
import GatewayAPI

/// Manages clients' keys and their usage. Reads use a separate connection, see ``KeyConnection``.
package struct KeyStore: Sendable {
    let database: GatewayDatabase

    /// Creates a key of 256 random bits; stores only its hash.
    ///
    /// - Parameter parent: The key that makes this one, which ends with it and never has more rights; nil for the command
    ///   line and for `SELENE_API_TOKEN`.
    /// - Throws: ``StorageError/Code/conflict`` when a live key has the name, or the parent has ended;
    ///   ``StorageError/Code/invalid`` for an empty or overlong name, or an invalid grant.
    package func create(name: String, grant: KeyGrant = KeyGrant(), parent: Int64? = nil) async throws -> NewKey {
        try Self.check(name: name)
        try grant.check()
        let secret = Self.secretPrefix + RandomSecret.make()
        let now = Int64(Date.now.timeIntervalSince1970)
        if let shared = database.sharedCredentials {
            let record = try await shared.createKey(name: name, secret: secret, grant: grant, parent: parent, now: now)
            return NewKey(record: record, secret: secret)
        }
        return try await database.write { database in
            guard try !Self.isTaken(name, database) else {
                throw KeyStore.nameTaken(name)
            }
            if let parent { try KeyFamilies(KeyRecord.fetch(database)).checkMaker(parent, of: grant, now: now) }
            let record = try Self.insert(name: name, secret: secret, grant: grant, parent: parent, database)
            return NewKey(record: record, secret: secret)
        }
    }

    /// The start of every key that a client sends.
    package static let secretPrefix = "slk_"

    /// Checks a key's name.
    ///
    /// - Throws: ``StorageError/Code/invalid``.
    static func check(name: String) throws(StorageError) {
        guard !name.allSatisfy(\.isWhitespace), name.utf8.count <= 100 else {
            throw StorageError(.invalid, "a key needs a name of 1 to 100 bytes")
        }
    }

    package static func nameTaken(_ name: String) -> StorageError {
        StorageError(.conflict, "there is a key named \"\(name)\" already; revoke it first")
    }

    /// Whether a live key has the name.
    static func isTaken(_ name: String, _ database: Database) throws -> Bool {
        try Scalar.count(
            database, sql: "SELECT 1 FROM gateway_keys WHERE name = ? AND revoked_at IS NULL", arguments: [name]) != nil
    }

    /// The first characters of a key, which identify it in lists.
    package static func prefix(of secret: String) -> String { String(secret.prefix(10)) }

    /// Adds the row of a new key.
    static func insert(
        name: String, secret: String, grant: KeyGrant, parent: Int64?, _ database: Database
    ) throws -> KeyRecord {
        let hash = RandomSecret.hash(secret)
        let (prefix, now) = (prefix(of: secret), Timestamp.now)
        try database.execute(
            sql: "INSERT INTO gateway_keys (name, hash, prefix, created_at, parent) VALUES (?, ?, ?, ?, ?)",
            arguments: [name, hash, prefix, now, parent])
        let id = database.lastInsertedRowID
        try store(grant, ofKey: id, database)
        return KeyRecord(
            id: id, name: name, hash: Array(hash), prefix: prefix, grant: grant, createdAt: now, parent: parent)
    }

    /// Returns all keys, revoked keys included, by id.
    package func all() async throws -> [KeyRecord] {
        if let shared = database.sharedCredentials { return try await shared.allKeys() }
        return try await database.readKeys { try KeyRecord.fetch($0) }
    }

    /// Returns the key with this name or id: the live key, else the latest revoked one.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ nameOrID: String) async throws -> KeyRecord {
        let keys = try await all()
        if let live = Self.liveKey(nameOrID, among: keys) { return live }
        guard let key = keys.last(where: { $0.name == nameOrID }) ?? keys.last(where: { String($0.id) == nameOrID })
        else { throw StorageError(.notFound, "there is no key \"\(nameOrID)\"") }
        return key
    }

    /// Changes the grant of a live key; the key itself stays.
    ///
    /// - Parameters:
    ///   - nameOrID: The name of the live key, else its id.
    ///   - change: Changes the grant. Runs within the transaction, so concurrent edits are both kept.
    /// - Returns: The key after the change.
    /// - Throws: ``StorageError/Code/notFound``, ``StorageError/Code/invalid``.
    package func change(
        _ nameOrID: String, _ change: @escaping @Sendable (inout KeyGrant) -> Void
    ) async throws -> KeyRecord {
        if let shared = database.sharedCredentials { return try await shared.changeKey(nameOrID, change) }
        return try await database.write { database in
            guard var key = try Self.liveKey(nameOrID, database) else { throw Self.noLiveKey(nameOrID) }
            change(&key.grant)
            try key.grant.check()
            if key.parent != nil { try KeyFamilies(KeyRecord.fetch(database)).check(key) }
            try Self.store(key.grant, ofKey: key.id, database)
            return key
        }
    }

    /// Revokes the live key with this name or id, and the keys that it made.
    ///
    /// - Returns: The names of the keys that it made.
    /// - Throws: ``StorageError/Code/notFound``.
    @discardableResult
    package func revoke(_ nameOrID: String) async throws -> [String] {
        if let shared = database.sharedCredentials { return try await shared.revokeKey(nameOrID) }
        return try await database.write { database in
            guard let key = try Self.liveKey(nameOrID, database) else { throw Self.noLiveKey(nameOrID) }
            let made = KeyFamilies(try KeyRecord.fetch(database)).descendants(of: key.id).filter { $0.revokedAt == nil }
            for id in [key.id] + made.map(\.id) {
                try database.execute(
                    sql: "UPDATE gateway_keys SET revoked_at = ? WHERE id = ?", arguments: [Timestamp.now, id])
            }
            return made.map(\.name)
        }
    }

    package static func noLiveKey(_ nameOrID: String) -> StorageError {
        StorageError(.notFound, "there is no live key \"\(nameOrID)\"")
    }

    /// Returns a live key, by name before id.
    package static func liveKey(_ nameOrID: String, among keys: [KeyRecord]) -> KeyRecord? {
        let live = keys.filter { $0.revokedAt == nil }
        return live.first { $0.name == nameOrID } ?? live.first { String($0.id) == nameOrID }
    }

    /// Returns a live key. A name takes precedence over an id, since a key's name may be another key's id.
    private static func liveKey(_ nameOrID: String, _ database: Database) throws -> KeyRecord? {
        try Row.fetchOne(
            database,
            sql: """
                SELECT * FROM gateway_keys WHERE revoked_at IS NULL AND (name = ?1 OR CAST(id AS TEXT) = ?1)
                ORDER BY name = ?1 DESC LIMIT 1
                """, arguments: [nameOrID]
        ).flatMap { KeyRecord(row: $0) }
    }

    static func store(_ grant: KeyGrant, ofKey id: Int64, _ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE gateway_keys SET scopes = ?, models = ?, expires_at = ?, requests_per_minute = ?,
                tokens_per_day = ? WHERE id = ?
                """,
            arguments: [
                grant.storedScopes, grant.storedModels,
                grant.expiresAt.map(Timestamp.text), grant.requestsPerMinute, grant.tokensPerDay, id,
            ])
    }
}
