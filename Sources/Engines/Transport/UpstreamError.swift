/// A failure between the gateway and an upstream.
///
/// Independent of the client's HTTP: the gateway maps errors to statuses.
public struct UpstreamError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure. New kinds may be added; compare with the constants.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// A word for logs and clients, such as `refused`.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nothing listens at the address, or the connection failed before it was established.
        public static let refused = Code(rawValue: "refused")
        /// The host's name has no address.
        public static let dns = Code(rawValue: "dns")
        /// Connecting timed out.
        public static let connectTimeout = Code(rawValue: "connect_timeout")
        /// The response head timed out.
        public static let firstByteTimeout = Code(rawValue: "first_byte_timeout")
        /// The response timed out between two reads.
        public static let idleTimeout = Code(rawValue: "idle_timeout")
        /// The upstream closed the connection before the end of the response.
        public static let cut = Code(rawValue: "cut")
        /// The host's address is in a private network, and only public ones are connected to.
        public static let privateAddress = Code(rawValue: "private_address")
        /// TLS failed.
        public static let tls = Code(rawValue: "tls")
        /// The upstream's response is not valid HTTP.
        public static let protocolViolation = Code(rawValue: "protocol_violation")
        /// The response is valid HTTP, but not what the upstream's API sends.
        public static let invalidResponse = Code(rawValue: "invalid_response")
        /// A line is longer than the limit.
        public static let lineTooLong = Code(rawValue: "line_too_long")
        /// A body is larger than the limit.
        public static let bodyTooLarge = Code(rawValue: "body_too_large")
        /// The upstream answered with an error; see ``UpstreamError/status``.
        public static let status = Code(rawValue: "status")
        /// The transfer was aborted from this side.
        public static let cancelled = Code(rawValue: "cancelled")
        /// Too many requests are waiting already.
        public static let overloaded = Code(rawValue: "overloaded")
        /// The transport is shutting down.
        public static let shuttingDown = Code(rawValue: "shutting_down")
        /// The address of the upstream is not usable.
        public static let invalidAddress = Code(rawValue: "invalid_address")
        /// Any other error of libcurl.
        public static let failed = Code(rawValue: "failed")
    }

    /// The kind of failure.
    public var code: Code
    /// A sentence for people.
    public var message: String
    /// The upstream whose own words ``message`` is; nil when the message names it.
    public var peer: String?
    /// The upstream's HTTP status, with ``Code/status``.
    public var status: Int?
    /// Seconds to wait before a retry: with ``Code/overloaded``, or as the upstream requested.
    public var retryAfterSeconds: Int?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, from peer: String? = nil, status: Int? = nil, retryAfterSeconds: Int? = nil
    ) {
        self.code = code
        self.message = message
        self.peer = peer
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }

    /// The error of a transfer that was aborted from this side.
    package static let cancelled = UpstreamError(.cancelled, "the request was cancelled")
}
