package import Logging
import Machine
package import NIOCore

/// How many connections clients may have, and how patient the gateway is with them.
package struct ConnectionLimits: Sendable {
    /// The connections that are open, and how many may be.
    package let open: OpenConnections
    /// How long a head may take from its first byte, and a TLS handshake from the connection.
    package let headerTimeout: TimeAmount
    /// How long a client may read nothing of a response that waits for it.
    let stallTimeout: TimeAmount
    package let metrics: GatewayMetrics
    private let retryAfter: @Sendable () -> Int

    /// Takes the configured limits, as far as the system has descriptors for them.
    package init(
        maxConnections wanted: Int, perAddress share: Int?, headerTimeout: Duration, clientIdleTimeout: Duration,
        metrics: GatewayMetrics, retryAfterSeconds: @escaping @Sendable () -> Int, logger: Logger
    ) {
        // Each may have one connection to the upstream besides; the rest is for files, the index and the server itself.
        let limit = DescriptorLimit.raise(to: wanted * 2 + Self.reserve)
        let maxConnections = max(1, min(wanted, (limit - Self.reserve) / 2))
        open = OpenConnections(limit: maxConnections, share: share)
        if maxConnections < wanted {
            logger.warning(
                "fewer connections than configured: the process may not open more files",
                metadata: [
                    "max_connections": "\(maxConnections)", "configured": "\(wanted)", "open_files_limit": "\(limit)",
                ])
        }
        self.headerTimeout = TimeAmount(headerTimeout)
        stallTimeout = TimeAmount(clientIdleTimeout)
        self.metrics = metrics
        retryAfter = retryAfterSeconds
    }

    /// Descriptors that are not for connections.
    private static let reserve = 128

    /// Seconds that a refused client is told to wait.
    package var retryAfterSeconds: Int { retryAfter() }
}
