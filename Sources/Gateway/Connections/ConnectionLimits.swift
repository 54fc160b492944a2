import Logging
import NIOCore
import Upstream

/// How many connections clients may have, and how patient the gateway is with them.
struct ConnectionLimits: Sendable {
    /// The connections that are open, and how many may be.
    let open: OpenConnections
    /// How long a head may take from its first byte, and a TLS handshake from the connection.
    let headerTimeout: TimeAmount
    /// How long a client may read nothing of a response that waits for it.
    let stallTimeout: TimeAmount
    let metrics: GatewayMetrics
    private let admission: Admission

    /// Takes the limits of a configuration, as far as the system has descriptors for them.
    init(_ configuration: GatewayConfiguration, metrics: GatewayMetrics, admission: Admission, logger: Logger) {
        let wanted = configuration.maxConnections
        // Each may have one connection to the upstream besides; the rest is for files, the index and the server itself.
        let limit = DescriptorLimit.raise(to: wanted * 2 + Self.reserve)
        let maxConnections = max(1, min(wanted, (limit - Self.reserve) / 2))
        open = OpenConnections(limit: maxConnections, share: configuration.maxConnectionsPerAddress)
        if maxConnections < wanted {
            logger.warning(
                "fewer connections than configured: the process may not open more files",
                metadata: [
                    "max_connections": "\(maxConnections)", "configured": "\(wanted)", "open_files_limit": "\(limit)",
                ])
        }
        headerTimeout = TimeAmount(configuration.headerTimeout)
        stallTimeout = TimeAmount(configuration.clientIdleTimeout)
        self.metrics = metrics
        self.admission = admission
    }

    /// Descriptors that are not for connections.
    private static let reserve = 128

    /// Seconds that a refused client is told to wait.
    var retryAfterSeconds: Int { admission.expectedWaitSeconds }
}
