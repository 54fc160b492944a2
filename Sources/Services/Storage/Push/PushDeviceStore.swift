package import Foundation
import GRDB
package import GatewayAPI

/// Stores the devices that get notifications.
package struct PushDeviceStore: Sendable {
    let database: GatewayDatabase
    private var clock: @Sendable () -> Int64 { database.clock }

    /// The number of devices at most.
    package static let maxDevices = 10_000

    /// Registers a device, or renews the registration of a known address, which makes a retired device live again.
    ///
    /// - Throws: ``StorageError/Code/conflict`` when there are ``maxDevices`` already, the key has used its share, or the
    ///   address belongs to another key's device.
    package func register(_ registration: PushRegistration) async throws -> (device: StoredPushDevice, isNew: Bool) {
        let owners = try await database.pushOwners()
        return try await database.write { database in
            try Self.register(registration, owners, now: clock(), database)
        }
    }

    static func register(
        _ registration: PushRegistration, _ owners: PushOwners, now: Int64, _ database: Database
    ) throws -> (device: StoredPushDevice, isNew: Bool) {
        let known = try Scalar.integer(
            database, sql: "SELECT id FROM gateway_push_devices WHERE channel = ? AND address = ?",
            arguments: [registration.channel, registration.address])
        if let known {
            try checkOwner(of: known, registration, owners, now: now, database)
            try database.execute(
                sql: """
                    UPDATE gateway_push_devices SET name = ?1, target = ?2, platform = coalesce(?3, platform),
                    environment = coalesce(?4, environment), bundle_id = coalesce(?5, bundle_id),
                    owner = coalesce(?6, owner), secret = coalesce(?7, secret), is_automation = ?8, is_hidden = ?11,
                    retired = NULL, registered_at = ?9, updated_at = ?9, seen_at = ?9 WHERE id = ?10
                    """,
                arguments: [
                    registration.name, registration.target, registration.platform, registration.environment,
                    registration.bundleID, registration.owner, registration.secret, registration.isAutomation, now,
                    known, registration.isHidden,
                ])
            return (try required(known, database), false)
        }
        guard try Scalar.count(database, sql: "SELECT count(*) FROM gateway_push_devices") ?? 0 < maxDevices else {
            throw StorageError(.conflict, "there are \(maxDevices) devices, which is the limit; delete unused ones")
        }
        if let owner = registration.owner { try owners.checkShare(of: owner, database) }
        try database.execute(
            sql: """
                INSERT INTO gateway_push_devices (uuid, name, channel, address, target, platform, environment, bundle_id,
                owner, secret, is_automation, is_hidden, registered_at, created_at, updated_at, seen_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13, ?13, ?13)
                """,
            arguments: [
                UUID().uuidString.lowercased(), registration.name, registration.channel, registration.address,
                registration.target, registration.platform, registration.environment, registration.bundleID,
                registration.owner, registration.secret, registration.isAutomation, registration.isHidden, now,
            ])
        return (try required(database.lastInsertedRowID, database), true)
    }

    /// Refuses the address of another key's device, which would lose it. A key that has ended keeps no address.
    private static func checkOwner(
        of known: Int64, _ registration: PushRegistration, _ owners: PushOwners, now: Int64, _ database: Database
    ) throws {
        let device = try required(known, database)
        guard !registration.mayTakeOver, let key = registration.owner, device.owner != key else { return }
        // A device of no key was registered before there were keys; its app registers it again with its own.
        guard let owner = device.owner, owners.mayReceive(owner, now: now) else {
            return try owners.checkShare(of: key, database)
        }
        throw StorageError(
            .conflict,
            "this address belongs to a device that another key registered; delete that device with its key or one with push:admin, or register another address"
        )
    }

    /// Returns a page of the devices that lists show, oldest first.
    ///
    /// - Parameter owner: The key whose devices these are; nil for those of all keys, and those of none.
    package func page(
        after cursor: PageCursor?, limit: Int, of owner: Int64? = nil
    ) async throws -> Page<StoredPushDevice> {
        try cursor?.check(numbers: 1)
        return try await database.read { database in
            let devices = try Self.all(
                database,
                where: "d.id > ?1 AND d.is_hidden = 0 AND (?3 IS NULL OR d.owner = ?3) ORDER BY d.id LIMIT ?2",
                [cursor?.numbers[0] ?? 0, limit + 1, owner])
            return Page(devices.map { ($0, PageCursor($0.id)) }, limit: limit) {
                $0.name.utf8.count + $0.settings.utf8.count + $0.target.utf8.count + 512
            }
        }
    }

    /// Returns the live devices that lists show, or those of them that the names or ids mean. A device whose key was revoked,
    /// has expired or lost its right is not among them, and neither is the address of an action or a button.
    ///
    /// - Parameter names: Names or ids of devices; nil for all.
    /// - Throws: ``StorageError/Code/invalid`` for a name without a live device.
    package func live(_ names: [String]?) async throws -> [StoredPushDevice] {
        let (now, owners) = (clock(), try await database.pushOwners())
        return try await database.read { database in
            func all(_ condition: String, _ arguments: StatementArguments) throws -> [StoredPushDevice] {
                try Self.all(
                    database, where: "\(condition) AND d.retired IS NULL AND d.is_hidden = 0 ORDER BY d.id", arguments
                ).filter { device in device.owner.map { owners.mayReceive($0, now: now) } ?? true }
            }
            guard let names else { return try all("TRUE", []) }
            var found: [StoredPushDevice] = []
            for (index, name) in names.enumerated() {
                let devices = try all("(d.uuid = ?1 OR d.name = ?1)", [name])
                guard !devices.isEmpty else {
                    throw StorageError(.invalid, "field \"devices[\(index)]\": there is no live device \"\(name)\"")
                }
                for device in devices where !found.contains(where: { $0.id == device.id }) { found.append(device) }
            }
            return found
        }
    }

    package func rows(_ ids: Set<Int64>) async throws -> [StoredPushDevice] {
        let list = ids.sorted().map(String.init).joined(separator: ",")
        return try await database.read { try Self.all($0, where: "d.id IN (\(list)) ORDER BY d.id", []) }
    }

    /// Returns the live device that runs shortcuts and was seen last, of those whose key may still have such; nil for none.
    package func automation() async throws -> StoredPushDevice? {
        let (now, owners) = (clock(), try await database.pushOwners())
        return try await database.read {
            try Self.all($0, where: "d.is_automation = 1 AND d.retired IS NULL ORDER BY d.seen_at DESC, d.id DESC", [])
                .first { device in device.owner.map { owners.maySend($0, now: now) } ?? true }
        }
    }

    /// Returns a device.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ uuid: String) async throws -> StoredPushDevice {
        try await database.read { database in
            guard let device = try Self.all(database, where: "d.uuid = ?", [uuid]).first else {
                throw StorageError(.notFound, "there is no device \(uuid.prefix(64))")
            }
            return device
        }
    }

    /// Returns the live device of a registration token's SHA-256; nil for none.
    package func find(secret: Data) async throws -> StoredPushDevice? {
        try await database.read {
            try Self.all($0, where: "d.secret = ? AND d.retired IS NULL", [secret]).first
        }
    }

    /// Changes a device.
    ///
    /// - Throws: ``StorageError/Code/notFound``, ``StorageError/Code/conflict`` for the address of another device.
    package func change(_ uuid: String, _ change: PushDeviceChange) async throws -> StoredPushDevice {
        try await database.write { database in
            let now = clock()
            try database.execute(
                sql: """
                    UPDATE gateway_push_devices SET name = coalesce(?, name), settings = coalesce(?, settings),
                    is_automation = coalesce(?, is_automation), environment = coalesce(?, environment),
                    bundle_id = coalesce(?, bundle_id), updated_at = ? WHERE uuid = ?
                    """,
                arguments: [
                    change.name, change.settings, change.isAutomation, change.environment, change.bundleID, now, uuid,
                ])
            if let address = change.address {
                try database.execute(
                    sql: """
                        UPDATE gateway_push_devices SET address = ?1, target = ?2, registered_at = ?3, seen_at = ?3,
                        retired = NULL, has_worked = CASE WHEN address = ?1 THEN has_worked ELSE 0 END WHERE uuid = ?4
                        """,
                    arguments: [address.key, address.target, now, uuid])
            }
            guard let device = try Self.all(database, where: "d.uuid = ?", [uuid]).first else {
                throw StorageError(.notFound, "there is no device \(uuid.prefix(64))")
            }
            return device
        }
    }

    /// Notes that a device is there.
    package func markSeen(_ id: Int64) async throws {
        try await database.writeRelaxed {
            try $0.execute(
                sql: "UPDATE gateway_push_devices SET seen_at = ? WHERE id = ?",
                arguments: [clock(), id])
        }
    }

    /// Deletes a device; its waiting deliveries are dropped.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func delete(_ uuid: String) async throws {
        try await database.write { database in
            guard let device = try Self.all(database, where: "d.uuid = ?", [uuid]).first else {
                throw StorageError(.notFound, "there is no device \(uuid.prefix(64))")
            }
            try Self.delete(device.id, now: clock(), database)
        }
    }

    static func delete(_ id: Int64, now: Int64, _ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE gateway_push_deliveries SET state = ?, claim = claim + 1, reason = 'the device was deleted',
                updated_at = ? WHERE device_id = ? AND (state < 2 OR state = 3 AND digest_id IS NULL)
                """, arguments: [PushState.dropped.rawValue, now, id])
        try database.execute(sql: "DELETE FROM gateway_push_buckets WHERE device_id = ?", arguments: [id])
        try database.execute(sql: "DELETE FROM gateway_push_devices WHERE id = ?", arguments: [id])
    }

    private static func required(_ id: Int64, _ database: Database) throws -> StoredPushDevice {
        guard let device = try all(database, where: "d.id = ?", [id]).first else {
            throw StorageError(.notFound, "there is no device \(id)")
        }
        return device
    }

    static func all(
        _ database: Database, where condition: String, _ arguments: StatementArguments
    ) throws -> [StoredPushDevice] {
        try Row.fetchAll(
            database, sql: "SELECT \(StoredPushDevice.columns) FROM gateway_push_devices d WHERE \(condition)",
            arguments: arguments
        ).compactMap { StoredPushDevice($0) }
    }
}
