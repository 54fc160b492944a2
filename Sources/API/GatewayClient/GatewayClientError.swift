public import Foundation

/// A failed call: an error from the gateway, or a failure before or during its answer.
public struct GatewayClientError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// The kind of a failure.
    public enum Kind: String, Sendable, CaseIterable {
        /// The gateway answered with an error; see ``GatewayClientError/status`` and ``GatewayClientError/code``.
        case refused
        /// No connection was made: nothing listens there, no such host, no network.
        case unreachable
        /// A timeout of ``GatewayConnection/Timeouts`` ran out.
        case timedOut
        /// The task was cancelled.
        case cancelled
        /// The connection ended before the answer did, or the gateway reported an error within a stream.
        case cut
        /// The answer does not have the format of this route.
        case undecodable
        /// The answer, or one of its lines, exceeds the client's limit.
        case tooLarge
        /// The call is invalid and was not sent.
        case invalidRequest
    }

    /// The kind of the failure.
    public var kind: Kind
    /// A sentence for the user.
    public var message: String
    /// The HTTP status, when there was one.
    public var status: Int?
    /// The gateway's stable error code, such as `rate_limited` or `not_found`, when it sent one.
    public var code: String?
    /// Seconds to wait before a retry, when the gateway sent `Retry-After`.
    public var retryAfter: TimeInterval?
    /// The request's id in the gateway's log.
    public var requestID: String?

    /// Creates an error.
    public init(
        _ kind: Kind, _ message: String, status: Int? = nil, code: String? = nil, retryAfter: TimeInterval? = nil,
        requestID: String? = nil
    ) {
        self.kind = kind
        self.message = message
        self.status = status
        self.code = code
        self.retryAfter = retryAfter
        self.requestID = requestID
    }

    /// The message with status and code.
    public var description: String {
        let about = [status.map(String.init), code].compactMap { $0 }.joined(separator: " ")
        return about.isEmpty ? message : "\(message) (\(about))"
    }

    /// The message, as alerts show it.
    public var errorDescription: String? { message }
}
