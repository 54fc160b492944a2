package import Database

/// Push tokens of apps, as `/api/devices` has them. One of APNs may also be a device that gets notifications.
extension PushDeviceStore {
    /// Registers a push token, or updates when it was last seen.
    ///
    /// - Parameters:
    ///   - platform: The platform; nil keeps the stored one, and means `ios` for a new token.
    ///   - push: The registration of the same device for notifications; nil for none.
    package func register(token: String, platform: String?, push: PushRegistration? = nil) async throws {
        let owners = try await owners()
        try await store.transaction { session in
            if let push { _ = try Self.register(push, owners, session) }
            try session.noteTables().keepToken(token, platform: platform)
        }
    }

    /// Deletes a push token, and its registration for notifications if that is the key's own, or one of no key.
    ///
    /// - Parameter ofAnyKey: Whether another key's registration is deleted, too.
    package func unregister(token: String, key: Int64?, ofAnyKey: Bool) async throws {
        try await store.transaction { session in
            try session.noteTables().forgetToken(token)
            try Self.delete(channel: "apns", address: token.lowercased(), key: key, ofAnyKey: ofAnyKey, session)
        }
    }

    /// Returns the platform of each registered token.
    package func tokens() async throws -> [String: String] { try await store.snapshot { try $0.noteTables().tokens() } }
}

extension PushRoom {
    /// The tokens of a server; a file has another program's table of them.
    package static let tokenMigrations = [
        Migration("gateway-52-device-tokens", only: .postgres) { session in
            try session.run(
                """
                CREATE TABLE device_tokens (
                    token \(session.dialect.text) PRIMARY KEY,
                    platform \(session.dialect.text) NOT NULL,
                    created_at bigint NOT NULL,
                    last_seen_at bigint NOT NULL
                )
                """)
        }
    ]
}
