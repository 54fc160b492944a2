import Server

/// Text that is safe to log: libraries print the values that they get, and those must not contain secrets.
extension GatewayConfiguration: CustomStringConvertible, CustomDebugStringConvertible {
    /// All settings with their values, secrets masked.
    public var description: String {
        "configuration(" + effective.map { "\($0.key): \($0.value ?? "unset")" }.joined(separator: ", ") + ")"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}

extension GatewayApplication: CustomStringConvertible {
    /// The address that the gateway listens on.
    public var description: String { "gateway at \(configuration.server.host):\(configuration.server.port)" }
}
