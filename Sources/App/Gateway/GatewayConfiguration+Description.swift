import Server

/// What a log may show of a configuration: libraries print what they are given, and a secret must not be in it.
extension GatewayConfiguration: CustomStringConvertible, CustomDebugStringConvertible {
    /// The settings, secrets masked.
    public var description: String {
        "configuration(" + effective.map { "\($0.key): \($0.value ?? "unset")" }.joined(separator: ", ") + ")"
    }

    /// The same.
    public var debugDescription: String { description }
}

extension GatewayApplication: CustomStringConvertible {
    /// Where it listens.
    public var description: String { "gateway at \(configuration.server.host):\(configuration.server.port)" }
}
