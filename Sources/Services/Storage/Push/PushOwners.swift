import GRDB

/// What the keys that registered devices and sent messages may still do. Keys that a key made share with it.
struct PushOwners {
    /// The largest number of devices of a key and of the keys that it made.
    static let maxDevices = 50

    private let families: KeyFamilies

    /// Reads the keys, which with notes in PostgreSQL are there.
    init(_ database: GatewayDatabase) async throws { families = KeyFamilies(try await database.keys.all()) }

    /// Whether a key may still have devices: neither it nor one that made it was revoked, has expired or lost the scope.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func mayReceive(_ key: Int64, now: Int64) -> Bool {
        guard let record = families.line(of: key).first.map(families.effective), record.revokedAt == nil else {
            return false
        }
        return record.grant.scopes.allow(.pushReceive) && !record.grant.isExpired(at: now / 1000)
    }

    /// The keys that share with a key, itself included.
    func sharing(with key: Int64) -> [Int64] {
        let root = families.root(of: key)
        return [root] + families.descendants(of: root).map(\.id)
    }

    /// Checks that a key may register another device.
    ///
    /// - Throws: ``StorageError/Code/conflict`` when the key and those that share with it have ``maxDevices``.
    func checkShare(of key: Int64, _ database: Database) throws {
        let list = "[" + sharing(with: key).map(String.init).joined(separator: ",") + "]"
        let count = try Scalar.count(
            database,
            sql: "SELECT count(*) FROM gateway_push_devices WHERE owner IN (SELECT value FROM json_each(?))",
            arguments: [list])
        guard count ?? 0 < Self.maxDevices else {
            throw StorageError(
                .conflict, "the key has \(Self.maxDevices) devices, which is its share; delete unused ones")
        }
    }
}
