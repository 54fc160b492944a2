package import Database
package import Foundation
package import GatewayAPI

/// Stores the devices that get notifications.
package struct PushDeviceStore: Sendable {
    let store: any SQLStore
    let owners: @Sendable () async throws -> PushOwners

    /// The number of devices at most.
    package static let maxDevices = 10_000

    /// Registers a device, or renews the registration of a known address, which makes a retired device live again.
    ///
    /// - Throws: ``StorageError/Code/conflict`` when there are ``maxDevices`` already, the key has used its share, or the
    ///   address belongs to another key's device.
    package func register(_ registration: PushRegistration) async throws -> (device: StoredPushDevice, isNew: Bool) {
        let owners = try await owners()
        return try await store.transaction { try Self.register(registration, owners, $0) }
    }

    /// Registers a device in a transaction.
    package static func register(
        _ registration: PushRegistration, _ owners: PushOwners, _ session: any SQLSession
    ) throws -> (device: StoredPushDevice, isNew: Bool) {
        // Of two registrations of one address, the second one renews.
        try session.lock("gateway_push_devices")
        let now = try session.clock().now
        let known = try session.first(
            "SELECT id FROM gateway_push_devices WHERE channel = $1 AND address = $2",
            [.text(registration.channel), .text(registration.address)]
        )?.integer(0)
        if let known {
            try checkOwner(of: known, registration, owners, now: now, session)
            try session.run(
                """
                UPDATE gateway_push_devices SET name = $1, target = $2, platform = coalesce($3, platform),
                environment = coalesce($4, environment), bundle_id = coalesce($5, bundle_id),
                owner = coalesce($6, owner), secret = coalesce($7, secret), is_automation = $8, is_hidden = $11,
                retired = NULL, registered_at = $9, updated_at = $9, seen_at = $9 WHERE id = $10
                """,
                [
                    .text(registration.name), .text(registration.target), .text(registration.platform),
                    .text(registration.environment), .text(registration.bundleID), .integer(registration.owner),
                    .bytes(registration.secret.map { Array($0) }), .flag(registration.isAutomation), .integer(now),
                    .integer(known), .flag(registration.isHidden),
                ])
            return (try required(known, session), false)
        }
        guard try session.first("SELECT count(*) FROM gateway_push_devices")?.count(0) ?? 0 < maxDevices else {
            throw StorageError(.conflict, "there are \(maxDevices) devices, which is the limit; delete unused ones")
        }
        if let owner = registration.owner { try owners.checkShare(of: owner, session) }
        let added = try session.first(
            """
            INSERT INTO gateway_push_devices (uuid, name, channel, address, target, platform, environment, bundle_id,
            owner, secret, is_automation, is_hidden, registered_at, created_at, updated_at, seen_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13, $13, $13) RETURNING id
            """,
            [
                .text(UUID().uuidString.lowercased()), .text(registration.name), .text(registration.channel),
                .text(registration.address), .text(registration.target), .text(registration.platform),
                .text(registration.environment), .text(registration.bundleID), .integer(registration.owner),
                .bytes(registration.secret.map { Array($0) }), .flag(registration.isAutomation),
                .flag(registration.isHidden), .integer(now),
            ])
        return (try required(added?.integer(0) ?? 0, session), true)
    }

    /// Refuses the address of another key's device, which would lose it. A key that has ended keeps no address.
    private static func checkOwner(
        of known: Int64, _ registration: PushRegistration, _ owners: PushOwners, now: Int64, _ session: any SQLSession
    ) throws {
        let device = try required(known, session)
        guard !registration.mayTakeOver, let key = registration.owner, device.owner != key else { return }
        // A device of no key was registered before there were keys; its app registers it again with its own.
        guard let owner = device.owner, owners.mayReceive(owner, now: now) else {
            return try owners.checkShare(of: key, session)
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
        return try await store.snapshot { session in
            let devices = try Self.all(
                session,
                where: "d.id > $1 AND d.is_hidden = 0 AND ($3 IS NULL OR d.owner = $3) ORDER BY d.id LIMIT $2",
                [.integer(cursor?.numbers[0] ?? 0), .count(limit + 1), .integer(owner)])
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
        let owners = try await owners()
        return try await store.snapshot { session in
            let now = try session.clock().now
            func all(_ condition: String, _ values: [SQLValue]) throws -> [StoredPushDevice] {
                try Self.all(
                    session, where: "\(condition) AND d.retired IS NULL AND d.is_hidden = 0 ORDER BY d.id", values
                ).filter { device in device.owner.map { owners.mayReceive($0, now: now) } ?? true }
            }
            guard let names else { return try all("TRUE", []) }
            var found: [StoredPushDevice] = []
            for (index, name) in names.enumerated() {
                let devices = try all("(d.uuid = $1 OR d.name = $1)", [.text(name)])
                guard !devices.isEmpty else {
                    throw StorageError(.invalid, "field \"devices[\(index)]\": there is no live device \"\(name)\"")
                }
                for device in devices where !found.contains(where: { $0.id == device.id }) { found.append(device) }
            }
            return found
        }
    }

    package func rows(_ ids: Set<Int64>) async throws -> [StoredPushDevice] {
        try await store.snapshot { session in
            try Self.all(
                session, where: "d.id IN \(session.dialect.numbers("$1")) ORDER BY d.id",
                [.numbers(ids.sorted())])
        }
    }

    /// Returns the live device that runs shortcuts and was seen last, of those whose key may still have such; nil for none.
    package func automation() async throws -> StoredPushDevice? {
        let owners = try await owners()
        return try await store.snapshot { session in
            let now = try session.clock().now
            return try Self.all(
                session,
                where: "d.is_automation = 1 AND d.retired IS NULL ORDER BY d.seen_at IS NULL, d.seen_at DESC, d.id DESC"
            ).first { device in device.owner.map { owners.maySend($0, now: now) } ?? true }
        }
    }

    /// Returns a device.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ uuid: String) async throws -> StoredPushDevice {
        try await store.snapshot { try Self.required(uuid, $0) }
    }

    /// Returns the live device of a registration token's SHA-256; nil for none.
    package func find(secret: Data) async throws -> StoredPushDevice? {
        try await store.snapshot {
            try Self.all($0, where: "d.secret = $1 AND d.retired IS NULL", [.bytes(Array(secret))]).first
        }
    }

    /// Returns the live device of an address; nil for none.
    package func find(channel: String, address: String) async throws -> StoredPushDevice? {
        try await store.snapshot {
            try Self.all(
                $0, where: "d.channel = $1 AND d.address = $2 AND d.retired IS NULL", [.text(channel), .text(address)]
            ).first
        }
    }

    /// Changes a device.
    ///
    /// - Throws: ``StorageError/Code/notFound``, ``StorageError/Code/conflict`` for the address of another device.
    package func change(_ uuid: String, _ change: PushDeviceChange) async throws -> StoredPushDevice {
        try await store.transaction { session in
            let now = try session.clock().now
            try session.run(
                """
                UPDATE gateway_push_devices SET name = coalesce($1, name), settings = coalesce($2, settings),
                is_automation = coalesce($3, is_automation), environment = coalesce($4, environment),
                bundle_id = coalesce($5, bundle_id), updated_at = $6 WHERE uuid = $7
                """,
                [
                    .text(change.name), .text(change.settings), .flag(change.isAutomation), .text(change.environment),
                    .text(change.bundleID), .integer(now), .text(uuid),
                ])
            if let address = change.address {
                try session.lock("gateway_push_devices")
                let other = try session.first(
                    """
                    SELECT o.id FROM gateway_push_devices d JOIN gateway_push_devices o ON o.channel = d.channel
                    WHERE d.uuid = $1 AND o.address = $2 AND o.id <> d.id
                    """, [.text(uuid), .text(address.key)])
                guard other == nil else { throw StorageError(.conflict, "another device has this address") }
                try session.run(
                    """
                    UPDATE gateway_push_devices SET address = $1, target = $2, registered_at = $3, seen_at = $3,
                    retired = NULL, has_worked = CASE WHEN address = $1 THEN has_worked ELSE 0 END WHERE uuid = $4
                    """, [.text(address.key), .text(address.target), .integer(now), .text(uuid)])
            }
            return try Self.required(uuid, session)
        }
    }

    /// Notes that a device is there.
    package func markSeen(_ id: Int64) async throws {
        _ = try await store.relaxedTransaction { session in
            try session.run(
                "UPDATE gateway_push_devices SET seen_at = $1 WHERE id = $2",
                [.integer(try session.clock().now), .integer(id)])
        }
    }

    /// Deletes a device; its waiting deliveries are dropped.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func delete(_ uuid: String) async throws {
        try await store.transaction { try Self.delete(Self.required(uuid, $0).id, $0) }
    }

    /// Deletes the device of an address in a transaction, if there is one and the key may: its own, or one of no key.
    ///
    /// - Parameter ofAnyKey: Whether another key's device is deleted, too.
    package static func delete(
        channel: String, address: String, key: Int64?, ofAnyKey: Bool, _ session: any SQLSession
    ) throws {
        let device = try session.first(
            """
            SELECT id FROM gateway_push_devices WHERE channel = $1 AND address = $2
            AND ($3 OR owner IS NULL OR owner = $4)
            """, [.text(channel), .text(address), .bool(ofAnyKey), .integer(key)])
        if let id = device?.integer(0) { try delete(id, session) }
    }

    private static func delete(_ id: Int64, _ session: any SQLSession) throws {
        try session.run(
            """
            UPDATE gateway_push_deliveries SET state = $1, claim = claim + 1, reason = 'the device was deleted',
            updated_at = $2 WHERE device_id = $3 AND (state < 2 OR state = 3 AND digest_id IS NULL)
            """, [.integer(PushState.dropped.rawValue), .integer(try session.clock().now), .integer(id)])
        try session.run("DELETE FROM gateway_push_buckets WHERE device_id = $1", [.integer(id)])
        try session.run("DELETE FROM gateway_push_devices WHERE id = $1", [.integer(id)])
    }

    private static func required(_ id: Int64, _ session: any SQLSession) throws -> StoredPushDevice {
        guard let device = try all(session, where: "d.id = $1", [.integer(id)]).first else {
            throw StorageError(.notFound, "there is no device \(id)")
        }
        return device
    }

    private static func required(_ uuid: String, _ session: any SQLSession) throws -> StoredPushDevice {
        guard let device = try all(session, where: "d.uuid = $1", [.text(uuid)]).first else {
            throw StorageError(.notFound, "there is no device \(uuid.prefix(64))")
        }
        return device
    }

    static func all(
        _ session: any SQLSession, where condition: String, _ values: [SQLValue] = []
    ) throws -> [StoredPushDevice] {
        try session.rows(
            "SELECT \(StoredPushDevice.columns(session.dialect)) FROM gateway_push_devices d WHERE \(condition)", values
        ).compactMap { StoredPushDevice($0) }
    }
}
