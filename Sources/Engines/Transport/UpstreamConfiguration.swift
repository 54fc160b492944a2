/// The address, timeouts and limits of an upstream.
package struct UpstreamConfiguration: Sendable, Hashable {
    /// Scheme, host and port, without a slash at the end: `http://127.0.0.1:11434`.
    package var baseURL: String
    /// The server's name in error messages: "Ollama".
    package var peer: String
    /// The timeout for connecting.
    package var connectTimeout: Duration = .seconds(5)
    /// The timeout for the response head. It is long because it includes the load of a model.
    package var firstByteTimeout: Duration = .seconds(300)
    /// The timeout between two reads of a response. Time that the consumer takes does not count.
    package var idleTimeout: Duration = .seconds(120)
    /// The largest number of idle connections kept for reuse.
    package var maxIdleConnections = 64
    /// The largest number of concurrent transfers; further ones fail as overloaded. Admission should stay well below.
    package var maxTransfers = 4096
    /// Buffered response bytes at which the upstream is held back. The consumer takes the whole buffer at once, so the
    /// upstream continues with an empty one.
    package var highWatermark = 256 << 10
    /// The longest line of a stream, in bytes.
    package var maxLineBytes = 16 << 20
    /// The version of HTTP.
    package var version = Version.http1
    /// The most concurrent requests on the one connection of HTTP/2; further ones wait.
    package var maxStreams = 100
    /// A file with the certificates (PEM) of the authorities to trust; nil for those of the system.
    package var authorities: String?
    /// Whether only public addresses are connected to. The address of each connection is checked, whatever the host's name
    /// resolved to before.
    package var connectsToPublicAddressesOnly = false

    /// A version of HTTP with its use of connections.
    package enum Version: Sendable, Hashable {
        /// HTTP/1.1: a connection for each concurrent request.
        case http1
        /// HTTP/2 over TLS, and nothing else: one connection for all requests. A new connection gets one request, and the
        /// others after its answer. A connection that falls silent is dropped, and requests that are still young move to a
        /// new one. So a request may reach the server twice.
        case http2
    }

    /// Creates a configuration with the default limits.
    ///
    /// - Parameters:
    ///   - baseURL: Scheme, host, port and path prefix, without a slash at the end. It is used as given.
    ///   - peer: The server's name in error messages.
    package init(baseURL: String, peer: String) {
        self.baseURL = baseURL
        self.peer = peer
    }

    /// The path of ``baseURL``, for a server behind a prefix; usually empty.
    var pathPrefix: String {
        let rest = baseURL.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        return String(Substring(rest.drop { $0 != UInt8(ascii: "/") }))
    }
}
