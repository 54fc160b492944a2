/// How the gateway reaches APNs, without the key.
public struct PushAPNsState: Codable, Sendable, Hashable {
    /// Whether there is a key.
    public var configured: Bool
    /// `ready`, `stopped` or `not configured`.
    public var state: String
    /// Why nothing is sent; nil when something is.
    public var reason: String?
    /// Since when nothing is sent, ISO 8601.
    public var since: String?
    /// Where the configuration comes from: `settings`, which a request cannot replace, or `request`; nil without one.
    public var source: String?
    /// The id of the key.
    public var keyId: String?
    /// The id of the team.
    public var teamId: String?
    /// The bundle id of apps that name none.
    public var bundleId: String?
    /// The environment of devices that name none: `production` or `sandbox`.
    public var environment: String?

    /// Creates a state.
    public init(configured: Bool, state: String) {
        self.configured = configured
        self.state = state
    }
}

/// A new configuration of APNs.
public struct PushAPNsRequest: Codable, Sendable, Hashable {
    /// The text of Apple's `AuthKey_….p8`; nil keeps the key that an earlier request brought.
    public var p8Key: String?
    /// The id of the key, 10 letters and digits.
    public var keyId: String
    /// The id of the team, 10 letters and digits.
    public var teamId: String
    /// The bundle id of the app.
    public var bundleId: String
    /// `production` or `sandbox`; nil is production.
    public var environment: String?

    /// Creates a configuration.
    public init(p8Key: String?, keyId: String, teamId: String, bundleId: String, environment: String? = nil) {
        self.p8Key = p8Key
        self.keyId = keyId
        self.teamId = teamId
        self.bundleId = bundleId
        self.environment = environment
    }
}
