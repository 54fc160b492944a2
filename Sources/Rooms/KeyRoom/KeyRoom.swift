import Cryptography
package import Database
import GatewayAPI

extension SQLStore {
    /// The keys of clients and their usage.
    package var keys: KeyRoom { KeyRoom(store: self) }
}

/// Manages clients' keys and counts their usage.
///
/// Reads wait for no long read of others, see ``SQLStore/quickSnapshot(_:)``. Methods throw ``StorageError``, and a server's own
/// error while it is away.
package struct KeyRoom: Sendable {
    let store: any SQLStore

    /// The start of every key that a client sends in a header only.
    package static let secretPrefix = "slk_"

    /// Creates a key of 256 random bits; stores only its hash.
    ///
    /// - Parameters:
    ///   - parent: The key that makes this one, which ends with it and never has more rights; nil for the command line and
    ///     for `SELENE_API_TOKEN`.
    ///   - isForPaths: Whether it may stand in front of a path; see ``KeyKind/path``.
    /// - Throws: ``StorageError/Code/conflict`` when a live key has the name, or the parent has ended;
    ///   ``StorageError/Code/invalid`` for an empty or overlong name, or an invalid grant.
    package func create(
        name: String, grant: KeyGrant = KeyGrant(), parent: Int64? = nil, isForPaths: Bool = false
    ) async throws -> NewKey {
        let secret = (isForPaths ? KeyKind.pathPrefix : Self.secretPrefix) + RandomSecret.make()
        let record = try await add(name, grant, parent) { _, session in
            try Self.insert(name: name, secret: secret, grant: grant, parent: parent, session)
        }
        return NewKey(record: record, secret: secret)
    }

    /// Adds a key with which a client signs its requests.
    ///
    /// - Throws: As ``create(name:grant:parent:isForPaths:)``; ``StorageError/Code/conflict`` when the key is known already.
    package func add(
        _ key: SigningKey, name: String, grant: KeyGrant = KeyGrant(), parent: Int64? = nil
    ) async throws -> KeyRecord {
        try await add(name, grant, parent) { keys, session in
            if let other = keys.first(where: { $0.hash == key.hash }) {
                guard other.revokedAt != nil else {
                    throw StorageError(.conflict, "the key \"\(other.name)\" is this one already")
                }
                // No two rows have one hash, and a revoked key needs its hash no more.
                try session.run(
                    "UPDATE gateway_keys SET hash = $1 WHERE id = $2",
                    [.bytes(Array(RandomSecret.hash(RandomSecret.make()))), .integer(other.id)])
            }
            return try Self.insert(
                name: name, hash: key.hash, prefix: String(key.fingerprint.prefix(15)), grant: grant, parent: parent,
                session)
        }
    }

    private func add(
        _ name: String, _ grant: KeyGrant, _ parent: Int64?,
        _ insert: @escaping @Sendable ([KeyRecord], any SQLSession) throws -> KeyRecord
    ) async throws -> KeyRecord {
        try Self.check(name: name)
        try grant.check()
        return try await store.transaction { session in
            try Self.lock(session)
            let keys = try Self.all(session)
            guard !keys.contains(where: { $0.revokedAt == nil && $0.name == name }) else {
                throw StorageError(.conflict, "there is a key named \"\(name)\" already; revoke it first")
            }
            if let parent {
                try KeyFamilies(keys).checkMaker(parent, of: grant, now: try session.clock().now / 1000)
            }
            return try insert(keys, session)
        }
    }

    /// Returns all keys, revoked keys included, by id.
    package func all() async throws -> [KeyRecord] { try await store.quickSnapshot { try Self.all($0) } }

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
        try await store.transaction { session in
            try Self.lock(session)
            let keys = try Self.all(session)
            var key = try Self.requiredKey(nameOrID, among: keys)
            change(&key.grant)
            try key.grant.check()
            try KeyFamilies(keys).check(key)
            let values = key.grant.values(expiry: KeyRecord.expiry)
            try session.run(
                "UPDATE gateway_keys SET \(KeyGrant.assignments()) WHERE id = $\(values.count + 1)",
                values + [.integer(key.id)])
            return key
        }
    }

    /// Revokes the live key with this name or id, and the keys that it made.
    ///
    /// - Returns: The names of the keys that it made.
    /// - Throws: ``StorageError/Code/notFound``.
    @discardableResult
    package func revoke(_ nameOrID: String) async throws -> [String] {
        try await store.transaction { session in
            try Self.lock(session)
            let keys = try Self.all(session)
            let key = try Self.requiredKey(nameOrID, among: keys)
            let made = KeyFamilies(keys).descendants(of: key.id).filter { $0.revokedAt == nil }
            try session.run(
                """
                UPDATE gateway_keys SET revoked_at = $1 WHERE id IN (\(session.dialect.list("$2", ["id"])))
                """,
                [.text(try session.clock().text), .list(([key] + made).map { [.integer($0.id)] })])
            return made.map(\.name)
        }
    }

    /// Whether there is a key that was not revoked.
    package func hasLiveKey() async throws -> Bool { try await all().contains { $0.revokedAt == nil } }

    /// Whether there is a key that was not revoked, or the server that has the keys is away.
    ///
    /// - Throws: ``StorageError`` when the keys of a file cannot be read, `CancellationError`.
    package func mayHaveLiveKey() async throws -> Bool {
        do {
            return try await hasLiveKey()
        } catch let error as StorageError {
            throw error
        } catch {
            try Task.checkCancellation()
            return true
        }
    }

    // MARK: Rows

    /// Lets one transaction at a time change keys, sessions and pairings.
    static func lock(_ session: any SQLSession) throws { try session.lock("gateway_keys") }

    static func all(_ session: any SQLSession) throws -> [KeyRecord] {
        try session.rows("SELECT \(KeyRecord.columns) FROM gateway_keys ORDER BY id").compactMap { KeyRecord($0) }
    }

    /// Adds the row of a new key with a secret.
    static func insert(
        name: String, secret: String, grant: KeyGrant, parent: Int64?, _ session: any SQLSession
    ) throws -> KeyRecord {
        try insert(
            name: name, hash: Array(RandomSecret.hash(secret)), prefix: String(secret.prefix(10)), grant: grant,
            parent: parent, session)
    }

    /// Adds the row of a new key.
    private static func insert(
        name: String, hash: [UInt8], prefix: String, grant: KeyGrant, parent: Int64?, _ session: any SQLSession
    ) throws -> KeyRecord {
        let key = KeyRecord(
            id: 0, name: name, hash: hash, prefix: prefix, grant: grant, createdAt: try session.clock().text,
            parent: parent)
        let row = try session.first(
            """
            INSERT INTO gateway_keys (\(KeyRecord.valueColumns)) VALUES (\(key.values.places))
            RETURNING \(KeyRecord.columns)
            """, key.values)
        guard let stored = row.flatMap({ KeyRecord($0) }) else {
            throw StorageError(.failed, "a new key cannot be read back")
        }
        return stored
    }

    /// Checks a key's name.
    ///
    /// - Throws: ``StorageError/Code/invalid``.
    static func check(name: String) throws(StorageError) {
        guard !name.allSatisfy(\.isWhitespace), name.utf8.count <= 100 else {
            throw StorageError(.invalid, "a key needs a name of 1 to 100 bytes")
        }
    }

    /// The name, with a number behind it when a live key has it already.
    static func freeName(_ name: String, among taken: Set<String>) throws(StorageError) -> String {
        for number in 1...100 {
            let candidate = number == 1 ? name : "\(name) \(number)"
            if !taken.contains(candidate) { return candidate }
        }
        throw StorageError(.conflict, "there are too many keys named \"\(name)\"; revoke some first")
    }

    /// Returns a live key. A name takes precedence over an id, since a key's name may be another key's id.
    private static func liveKey(_ nameOrID: String, among keys: [KeyRecord]) -> KeyRecord? {
        let live = keys.filter { $0.revokedAt == nil }
        return live.first { $0.name == nameOrID } ?? live.first { String($0.id) == nameOrID }
    }

    private static func requiredKey(_ nameOrID: String, among keys: [KeyRecord]) throws(StorageError) -> KeyRecord {
        guard let key = liveKey(nameOrID, among: keys) else {
            throw StorageError(.notFound, "there is no live key \"\(nameOrID)\"")
        }
        return key
    }
}
