/// Where an upstream is and how much patience and memory it gets.
public struct UpstreamConfiguration: Sendable, Hashable {
    /// Scheme, host and port, without a slash at the end: `http://127.0.0.1:11434`.
    public var baseURL: String
    /// What errors call the server: "Ollama".
    public var peer: String
    /// How long a connection may take to stand.
    public var connectTimeout: Duration = .seconds(5)
    /// How long the response head may take; loading a model counts, so this is long.
    public var firstByteTimeout: Duration = .seconds(300)
    /// How long a response may be silent in the middle. Time that the consumer takes does not count.
    public var idleTimeout: Duration = .seconds(120)
    /// Connections that are kept open for reuse.
    public var maxIdleConnections = 64
    /// Transfers that may run at once; more fail as overloaded. Admission should keep well below it.
    public var maxTransfers = 4096
    /// Bytes of a response that may wait for the consumer before the upstream is held back. The consumer takes
    /// all that waits at once, so an upstream that was held back goes on with an empty buffer.
    public var highWatermark = 256 << 10
    /// The longest line of a stream.
    public var maxLineBytes = 16 << 20

    /// Creates a configuration with the default limits.
    ///
    /// - Parameters:
    ///   - baseURL: Scheme, host, port and path prefix, without a slash at the end. It is used as given.
    ///   - peer: What errors call the server.
    public init(baseURL: String, peer: String) {
        self.baseURL = baseURL
        self.peer = peer
    }

    /// The path of ``baseURL``, for a server behind a prefix; empty for most.
    var pathPrefix: String {
        let rest = baseURL.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        return String(Substring(rest.drop { $0 != UInt8(ascii: "/") }))
    }
}
