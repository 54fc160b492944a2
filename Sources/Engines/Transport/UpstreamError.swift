/// A failure between the gateway and an upstream.
///
/// Independent of the client's HTTP: the gateway maps errors to statuses.
package struct UpstreamError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure. New kinds may be added; compare with the constants.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// A word for logs and clients, such as `refused`.
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// Nothing listens at the address, or the connection failed before it was established.
        package static let refused = Code(rawValue: "refused")
        /// The host's name has no address.
        package static let dns = Code(rawValue: "dns")
        /// Connecting timed out.
        package static let connectTimeout = Code(rawValue: "connect_timeout")
        /// The response head timed out.
        package static let firstByteTimeout = Code(rawValue: "first_byte_timeout")
        /// The response timed out between two reads.
        package static let idleTimeout = Code(rawValue: "idle_timeout")
        /// The upstream closed the connection before the end of the response.
        package static let cut = Code(rawValue: "cut")
        /// The host's address is in a private network, and only public ones are connected to.
        package static let privateAddress = Code(rawValue: "private_address")
        /// TLS failed.
        package static let tls = Code(rawValue: "tls")
        /// The upstream's response is not valid HTTP.
        package static let protocolViolation = Code(rawValue: "protocol_violation")
        /// The response is valid HTTP, but not what the upstream's API sends.
        package static let invalidResponse = Code(rawValue: "invalid_response")
        /// A line is longer than the limit.
        package static let lineTooLong = Code(rawValue: "line_too_long")
        /// A body is larger than the limit.
        package static let bodyTooLarge = Code(rawValue: "body_too_large")
        /// The upstream answered with an error; see ``UpstreamError/status``.
        package static let status = Code(rawValue: "status")
        /// The transfer was aborted from this side.
        package static let cancelled = Code(rawValue: "cancelled")
        /// Too many requests are waiting already.
        package static let overloaded = Code(rawValue: "overloaded")
        /// The transport is shutting down.
        package static let shuttingDown = Code(rawValue: "shutting_down")
        /// The address of the upstream is not usable.
        package static let invalidAddress = Code(rawValue: "invalid_address")
        /// Any other error of libcurl.
        package static let failed = Code(rawValue: "failed")
    }

    /// The kind of failure.
    package var code: Code
    /// A sentence for people.
    package var message: String
    /// The upstream whose own words ``message`` is; nil when the message names it.
    package var peer: String?
    /// The upstream's HTTP status, with ``Code/status``.
    package var status: Int?
    /// Seconds to wait before a retry: with ``Code/overloaded``, or as the upstream requested.
    package var retryAfterSeconds: Int?

    package init(
        _ code: Code, _ message: String, from peer: String? = nil, status: Int? = nil, retryAfterSeconds: Int? = nil
    ) {
        self.code = code
        self.message = message
        self.peer = peer
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The code and the message.
    package var description: String { "\(code.rawValue): \(message)" }

    /// The error of a transfer that was aborted from this side.
    package static let cancelled = UpstreamError(.cancelled, "the request was cancelled")
}
