package enum GatewayVersion {
    /// The semantic version; CHANGELOG.md lists the changes.
    package static let current = "0.2.0"
}
