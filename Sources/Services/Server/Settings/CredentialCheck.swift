import Access

/// Checks that settings do not open the gateway to callers without a key.
package struct CredentialCheck: Sendable {
    /// The minimum length of a token, in bytes, for listening beyond this machine.
    static let leastTokenBytes = 16

    private let hasKey: @Sendable () async throws -> Bool
    private let mayHaveKey: @Sendable () async throws -> Bool

    /// - Parameters:
    ///   - hasKey: Whether there is a live key. It throws while the keys cannot be read.
    ///   - mayHaveKey: The same, but also true while the server that has the keys is away: requests from other machines need a
    ///     key all the same.
    package init(
        hasKey: @escaping @Sendable () async throws -> Bool, mayHaveKey: @escaping @Sendable () async throws -> Bool
    ) {
        (self.hasKey, self.mayHaveKey) = (hasKey, mayHaveKey)
    }

    /// Checks settings before the gateway listens.
    ///
    /// - Throws: ``ConfigurationError`` when other machines could call it without a key; what the closures throw.
    package func check(_ settings: ServerSettings) async throws {
        try Self.checkToken(settings.apiToken)
        guard !settings.isLoopback else { return }
        guard let token = settings.apiToken else {
            if try await mayHaveKey() { return }
            throw ConfigurationError(
                message:
                    "refusing to listen on \(settings.host) without a key: anyone who can reach this address "
                    + "could read the notes. Set SELENE_API_TOKEN, or make a key with `selene keys create NAME`, or "
                    + "listen on 127.0.0.1")
        }
        guard token.utf8.count >= Self.leastTokenBytes else {
            throw ConfigurationError(
                message:
                    "refusing to listen on \(settings.host) with a SELENE_API_TOKEN of \(token.utf8.count) "
                    + "bytes, which can be guessed: expected at least \(Self.leastTokenBytes). Set a longer one, "
                    + "for example from `openssl rand -base64 24`, or unset it and make keys with `selene keys create NAME`"
            )
        }
    }

    /// Refuses a key of a client as the gateway's token, which has every right.
    ///
    /// - Throws: ``ConfigurationError``.
    package static func checkToken(_ token: String?) throws(ConfigurationError) {
        guard let token, isClientKey(token) else { return }
        throw ConfigurationError(
            message:
                "SELENE_API_TOKEN (api_token) has a key of a client (\(token.prefix(4))…). The token of a gateway has every "
                + "right, which that key may not have. Clients read SELENE_KEY: export the key under that name, and unset "
                + "SELENE_API_TOKEN")
    }

    /// Whether a text is a key that a gateway made: for a client, a browser or this machine's command line.
    package static func isClientKey(_ text: String) -> Bool { keyPrefixes.contains(where: text.lowercased().hasPrefix) }

    /// The start of every key that a gateway makes.
    static let keyPrefixes = [
        KeyRing.keyPrefix, KeyRing.pathKeyPrefix, KeyRing.sessionPrefix, LocalAccessRecord.keyPrefix,
    ]

    /// Checks settings that would replace the current ones.
    ///
    /// - Parameters:
    ///   - wanted: The new settings.
    ///   - current: The settings in use.
    ///   - started: The settings that the gateway started with, which has the listening address.
    /// - Throws: ``ConfigurationError`` as ``check(_:)``, and when it removes the token while the database has no live
    ///   key; what the closures throw.
    package func check(
        _ wanted: ServerSettings, after current: ServerSettings, listeningAs started: ServerSettings
    ) async throws {
        var effective = wanted
        // Only a restart changes the address.
        effective.host = started.host
        try await check(effective)
        guard current.apiToken != nil, wanted.apiToken == nil else { return }
        if try await hasKey() { return }
        throw ConfigurationError(
            message:
                "without api_token (SELENE_API_TOKEN) no credential is left, since the database has no key; make one "
                + "with `selene keys create NAME` first. To run without any, restart the gateway")
    }
}
