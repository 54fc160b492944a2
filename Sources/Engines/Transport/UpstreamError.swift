/// What went wrong between the gateway and an upstream.
///
/// Says nothing of HTTP towards the client: the gateway decides which status an error becomes.
public struct UpstreamError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure. New kinds may be added; compare with the constants.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// A word for logs and clients, such as `refused`.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nothing listens at the address, or the connection failed before it stood.
        public static let refused = Code(rawValue: "refused")
        /// The host's name has no address.
        public static let dns = Code(rawValue: "dns")
        /// The connection did not stand in time.
        public static let connectTimeout = Code(rawValue: "connect_timeout")
        /// No response head came in time.
        public static let firstByteTimeout = Code(rawValue: "first_byte_timeout")
        /// The response fell silent in the middle.
        public static let idleTimeout = Code(rawValue: "idle_timeout")
        /// The upstream closed the connection before the response was whole.
        public static let cut = Code(rawValue: "cut")
        /// TLS failed.
        public static let tls = Code(rawValue: "tls")
        /// The upstream does not speak HTTP as it should.
        public static let protocolViolation = Code(rawValue: "protocol_violation")
        /// The response is HTTP, but not what Ollama sends.
        public static let invalidResponse = Code(rawValue: "invalid_response")
        /// A line is longer than the limit.
        public static let lineTooLong = Code(rawValue: "line_too_long")
        /// A body is larger than the limit.
        public static let bodyTooLarge = Code(rawValue: "body_too_large")
        /// Ollama answered with an error of its own; see ``UpstreamError/status``.
        public static let status = Code(rawValue: "status")
        /// The transfer was aborted from this side.
        public static let cancelled = Code(rawValue: "cancelled")
        /// Too many requests wait already.
        public static let overloaded = Code(rawValue: "overloaded")
        /// The transport is shutting down.
        public static let shuttingDown = Code(rawValue: "shutting_down")
        /// The address of the upstream cannot be used.
        public static let invalidAddress = Code(rawValue: "invalid_address")
        /// Anything else that libcurl reports.
        public static let failed = Code(rawValue: "failed")
    }

    /// The kind of failure.
    public var code: Code
    /// A sentence for people.
    public var message: String
    /// Ollama's HTTP status, with ``Code/status``.
    public var status: Int?
    /// A fair time to wait before the next try, in seconds: with ``Code/overloaded``, or as the upstream asked for.
    public var retryAfterSeconds: Int?

    /// Creates an error.
    public init(_ code: Code, _ message: String, status: Int? = nil, retryAfterSeconds: Int? = nil) {
        self.code = code
        self.message = message
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }

    /// The abort from this side.
    package static let cancelled = UpstreamError(.cancelled, "the request was cancelled")
}
