import GRDB
import KeyRoom
package import PushRoom

/// Stores the devices that receive push messages.
package struct DeviceStore: Sendable {
    let database: GatewayDatabase

    /// Registers a device's push token, or updates when it was last seen.
    ///
    /// - Parameters:
    ///   - platform: The platform; nil keeps the stored one, and means `ios` for a new device.
    ///   - push: The registration of the same device for notifications; nil for none.
    /// - Throws: ``StorageError``.
    package func register(_ token: String, platform: String?, push: PushRegistration?) async throws {
        let owners = try await database.pushOwners(database.keys)
        try await database.write { database, layout in
            if let push { _ = try PushDeviceStore.register(push, owners, session(database)) }
            let table = layout.schema.devices
            let now = try DateStyle.of(table, "created_at", in: database).now
            let known =
                try Scalar.count(database, sql: "SELECT 1 FROM device_tokens WHERE token = ?", arguments: [token])
                != nil
            var values: [(column: String, value: (any DatabaseValueConvertible)?)] = [("last_seen_at", now)]
            if let platform = platform ?? (known ? nil : "ios") { values.append(("platform", platform)) }
            if !known { values += [("token", token), ("created_at", now)] }
            values.removeAll { !table.names.contains($0.column) }
            guard !values.isEmpty else { return }
            let names = values.map(\.column)
            let arguments = StatementArguments(values.map(\.value))
            if known {
                try database.execute(
                    sql:
                        "UPDATE device_tokens SET \(names.map { "\($0) = ?" }.joined(separator: ", ")) WHERE token = ?",
                    arguments: arguments + [token])
            } else {
                try database.execute(
                    sql: """
                        INSERT INTO device_tokens (\(names.joined(separator: ", ")))
                        VALUES (\(databaseQuestionMarks(count: names.count)))
                        """, arguments: arguments)
            }
        }
    }

    /// Registers a device's push token, or updates when it was last seen.
    ///
    /// - Parameter platform: The platform; nil keeps the stored one, and means `ios` for a new device.
    /// - Throws: ``StorageError``.
    package func register(_ token: String, platform: String?) async throws {
        try await register(token, platform: platform, push: nil)
    }

    /// Deletes a device's push token, and its registration for notifications.
    ///
    /// - Throws: ``StorageError``.
    package func unregister(_ token: String) async throws { try await unregister(token, key: nil, ofAnyKey: true) }

    /// Deletes a device's push token, and its registration for notifications if that is the key's own, or one of no key.
    ///
    /// - Parameter ofAnyKey: Whether another key's registration is deleted, too.
    /// - Throws: ``StorageError``.
    package func unregister(_ token: String, key: Int64?, ofAnyKey: Bool) async throws {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM device_tokens WHERE token = ?", arguments: [token])
            try PushDeviceStore.delete(
                channel: "apns", address: token.lowercased(), key: key, ofAnyKey: ofAnyKey, session(database))
        }
    }

    /// The connection as the rooms see it.
    private func session(_ connection: Database) -> SQLiteSession {
        SQLiteSession(database: connection, now: database.steady.look())
    }

    /// Returns the platform of each registered token.
    package func all() async throws -> [String: String] {
        try await database.read { database, layout in
            let table = layout.schema.devices
            guard table.names.contains("token") else { return [:] }
            var devices: [String: String] = [:]
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT \(table.bounded("d", "token", limit: 4096)) AS token,
                        \(table.bounded("d", "platform", limit: 4096)) AS platform FROM device_tokens d
                    """)
            while let row = try rows.next() {
                if let token = row.text("token") { devices[token] = row.text("platform") ?? "" }
            }
            return devices
        }
    }
}
