/// The gateway's version.
public enum GatewayVersion {
    /// Semantic version; CHANGELOG.md tells what it holds.
    public static let current = "0.2.0"
}
