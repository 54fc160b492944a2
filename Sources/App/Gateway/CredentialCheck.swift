import Server
import Storage

/// Decides whether a configuration leaves the gateway closed to those who have no key.
struct CredentialCheck {
    /// Bytes of a token that are enough beyond this machine.
    static let leastTokenBytes = 16

    private let keys: KeyStore

    init(_ keys: KeyStore) { self.keys = keys }

    /// Checks a configuration before the gateway listens.
    ///
    /// - Throws: ``ConfigurationError`` when others than this machine could come in, ``StorageError``.
    func check(_ configuration: GatewayConfiguration) async throws {
        guard !configuration.isLoopback else { return }
        guard let token = configuration.apiToken else {
            if try await keys.all().contains(where: { $0.revokedAt == nil }) { return }
            throw ConfigurationError(
                message: "refusing to listen on \(configuration.host) without a key: anyone who reaches this address "
                    + "could read the notes. Set SELENE_API_TOKEN, or make a key with `selene keys create NAME`, or "
                    + "listen on 127.0.0.1")
        }
        guard token.utf8.count >= Self.leastTokenBytes else {
            throw ConfigurationError(
                message: "refusing to listen on \(configuration.host) with a SELENE_API_TOKEN of \(token.utf8.count) "
                    + "bytes, which could be guessed: at least \(Self.leastTokenBytes) are expected. Set a longer one, "
                    + "for example from `openssl rand -base64 24`, or unset it and make keys with `selene keys create NAME`"
            )
        }
    }

    /// Checks a configuration that is to replace another one.
    ///
    /// - Parameters:
    ///   - wanted: The new configuration.
    ///   - current: The one that holds.
    ///   - started: The one that the gateway listens with.
    /// - Throws: ``ConfigurationError`` as ``check(_:)``, also when the last credential would go: the token, while the
    ///   database has no live key. ``StorageError``.
    func check(
        _ wanted: GatewayConfiguration, after current: GatewayConfiguration, listeningAs started: GatewayConfiguration
    ) async throws {
        var effective = wanted
        // Only a restart changes the address.
        effective.host = started.host
        try await check(effective)
        guard current.apiToken != nil, wanted.apiToken == nil else { return }
        if try await keys.all().contains(where: { $0.revokedAt == nil }) { return }
        throw ConfigurationError(
            message:
                "without api_token (SELENE_API_TOKEN) no credential is left, for the database has no key; make one "
                + "with `selene keys create NAME` first. To run without any, restart the gateway")
    }
}
