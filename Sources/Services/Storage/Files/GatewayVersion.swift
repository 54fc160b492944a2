/// The gateway's version.
public enum GatewayVersion {
    /// The semantic version; CHANGELOG.md lists the changes.
    public static let current = "0.2.0"
}
