package import Logging
import Machine
package import NIOCore

/// The limits and timeouts of client connections.
package struct ConnectionLimits: Sendable {
    /// The table of open connections, with its limit.
    package let open: OpenConnections
    /// The timeout of a request head from its first byte, and of a TLS handshake from the connection.
    package let headerTimeout: TimeAmount
    /// How long a client may read nothing while a response waits for it.
    let stallTimeout: TimeAmount
    /// How long a client may hold back answers in addition to the bytes that it takes at ``minRate``.
    let readGrace = Duration.seconds(30)
    /// The lowest rate of a client that holds back an answer, in bytes a second; 0 for any.
    let minRate: Int
    package let metrics: GatewayMetrics
    private let retryAfter: @Sendable () -> Int

    /// Applies the configured limits, reduced if the system has too few descriptors.
    package init(
        maxConnections wanted: Int, perAddress share: Int?, headerTimeout: Duration, clientIdleTimeout: Duration,
        minRate: Int,
        metrics: GatewayMetrics, retryAfterSeconds: @escaping @Sendable () -> Int, logger: Logger
    ) {
        // Each connection may have one to the upstream. The reserve is for files, the index and the server itself.
        let limit = DescriptorLimit.raise(to: wanted * 2 + Self.reserve)
        let maxConnections = max(1, min(wanted, (limit - Self.reserve) / 2))
        open = OpenConnections(limit: maxConnections, share: share)
        if maxConnections < wanted {
            logger.warning(
                "fewer connections than configured: the limit on open files is too low",
                metadata: [
                    "max_connections": "\(maxConnections)", "configured": "\(wanted)", "open_files_limit": "\(limit)",
                ])
        }
        self.headerTimeout = TimeAmount(headerTimeout)
        stallTimeout = TimeAmount(clientIdleTimeout)
        self.minRate = minRate
        self.metrics = metrics
        retryAfter = retryAfterSeconds
    }

    /// Descriptors that are not for connections.
    private static let reserve = 128

    /// The `Retry-After` seconds of a rejected client.
    package var retryAfterSeconds: Int { retryAfter() }
}
