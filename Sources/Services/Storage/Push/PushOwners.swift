import GRDB
import GatewayAPI
import Synchronization

/// What the keys that registered devices and sent messages may still do. Keys that a key made share with it.
package struct PushOwners: Sendable {
    /// The largest number of devices of a key and of the keys that it made.
    static let maxDevices = 50

    private let families: KeyFamilies

    package init(_ families: KeyFamilies) { self.families = families }

    /// Whether a key may still have devices: neither it nor one that made it was revoked, has expired or lost the scope.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func mayReceive(_ key: Int64, now: Int64) -> Bool { may(.pushReceive, key, now) }

    /// Whether a key may still have devices that run shortcuts.
    func maySend(_ key: Int64, now: Int64) -> Bool { may(.pushSend, key, now) }

    private func may(_ scope: KeyScope, _ key: Int64, _ now: Int64) -> Bool {
        guard let record = families.line(of: key).first.map(families.effective), record.revokedAt == nil else {
            return false
        }
        return record.grant.scopes.allow(scope) && !record.grant.isExpired(at: now / 1000)
    }

    /// The keys that share with a key, as a JSON list.
    func sharing(with key: Int64) -> String {
        "[" + families.sharing(with: key).map(String.init).joined(separator: ",") + "]"
    }

    /// Checks that a key may register another device.
    ///
    /// - Throws: ``StorageError/Code/conflict`` when the key and those that share with it have ``maxDevices``.
    func checkShare(of key: Int64, _ database: Database) throws {
        let count = try Scalar.count(
            database,
            sql: "SELECT count(*) FROM gateway_push_devices WHERE owner IN (SELECT value FROM json_each(?))",
            arguments: [sharing(with: key)])
        guard count ?? 0 < Self.maxDevices else {
            throw StorageError(
                .conflict, "the key has \(Self.maxDevices) devices, which is its share; delete unused ones")
        }
    }
}

extension GatewayDatabase {
    /// The keys as the gateway knows them: from its copy, where ``setKeyFamilies(_:)`` named one, so that deliveries neither read
    /// the keys again and again nor wait for a server of keys that is away.
    func pushOwners() async throws -> PushOwners {
        if let source = familySource.withLock({ $0 }) { return PushOwners(try await source()) }
        return PushOwners(KeyFamilies(try await keys.all()))
    }

    /// Names the copy of the keys.
    package func setKeyFamilies(_ source: @escaping @Sendable () async throws -> KeyFamilies) {
        familySource.withLock { $0 = source }
    }
}
