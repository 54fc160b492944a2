public import Foundation

/// Why a call did not succeed: what the gateway answered, or how far the call came.
public struct GatewayClientError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    /// What kind of failure it is.
    public enum Kind: String, Sendable, CaseIterable {
        /// The gateway answered with an error: ``GatewayClientError/status`` and ``GatewayClientError/code`` say which.
        case refused
        /// No connection came about: nothing listens there, no such host, no network.
        case unreachable
        /// A timeout of ``GatewayConnection/Timeouts`` ran out.
        case timedOut
        /// The task was cancelled.
        case cancelled
        /// The connection ended before the answer did, or the gateway said in mid-stream that it broke.
        case cut
        /// The answer is not what this route answers.
        case undecodable
        /// The answer, or one of its lines, is longer than the client takes.
        case tooLarge
        /// The call itself cannot be sent.
        case invalidRequest
    }

    /// What kind of failure it is.
    public var kind: Kind
    /// A sentence for people.
    public var message: String
    /// The HTTP status, when there was one.
    public var status: Int?
    /// The gateway's stable word, such as `rate_limited` or `not_found`, when it gave one.
    public var code: String?
    /// Seconds after which the gateway wants to be asked again.
    public var retryAfter: TimeInterval?
    /// The id under which the gateway's log has the request.
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

    /// The message, with status and code.
    public var description: String {
        let about = [status.map(String.init), code].compactMap { $0 }.joined(separator: " ")
        return about.isEmpty ? message : "\(message) (\(about))"
    }

    /// The message, for alerts.
    public var errorDescription: String? { message }
}
