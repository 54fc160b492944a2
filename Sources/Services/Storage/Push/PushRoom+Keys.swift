package import Database
import GatewayAPI
package import KeyRoom
package import PushRoom
import Synchronization

extension GatewayDatabase {
    /// Notifications in the file.
    package var push: PushRoom { push(in: self) }

    /// Notifications in a store, for the keys that the gateway knows.
    package func push(in store: any SQLStore) -> PushRoom {
        PushRoom(store, clock: clock) { try await self.pushOwners(store.keys) }
    }

    /// The keys as the gateway knows them: from its copy, where ``setKeyFamilies(_:)`` named one, so that deliveries neither read
    /// the keys again and again nor wait for a server of keys that is away.
    func pushOwners(_ keys: KeyRoom) async throws -> PushOwners {
        if let source = familySource.withLock({ $0 }) { return PushOwners(try await source()) }
        return PushOwners(KeyFamilies(try await keys.all()))
    }

    /// Names the copy of the keys.
    package func setKeyFamilies(_ source: @escaping @Sendable () async throws -> KeyFamilies) {
        familySource.withLock { $0 = source }
    }
}

extension PushRoom {
    /// Notifications of a store, for a process without a copy of the keys.
    package init(_ store: any SQLStore) {
        self.init(store, clock: { Timestamp.milliseconds }) { PushOwners(KeyFamilies(try await store.keys.all())) }
    }
}

extension PushOwners {
    package init(_ families: KeyFamilies) {
        self.init { scope, key, now in
            guard let record = families.line(of: key).first.map(families.effective), record.revokedAt == nil else {
                return false
            }
            return record.grant.scopes.allow(scope) && !record.grant.isExpired(at: now)
        } family: { key in
            families.sharing(with: key)
        }
    }
}
