public import Foundation

/// How often, and after which waits, a failed call is retried.
///
/// The bound of the waits doubles. Each wait is uniform between zero and the bound (full jitter), so that clients which
/// failed together do not retry together. A `Retry-After` from the gateway is always waited out in full.
public struct RetryPolicy: Sendable, Hashable {
    /// The total number of attempts; 1 never retries.
    public var maxAttempts: Int
    /// The upper bound of the first wait, in seconds.
    public var base: TimeInterval
    /// The upper bound of every wait, in seconds.
    public var cap: TimeInterval
    /// The longest accepted `Retry-After`, in seconds; above it the error is thrown at once.
    public var maxRetryAfter: TimeInterval

    /// Creates a policy.
    public init(
        maxAttempts: Int = 4, base: TimeInterval = 0.25, cap: TimeInterval = 8, maxRetryAfter: TimeInterval = 30
    ) {
        self.maxAttempts = max(1, maxAttempts)
        self.base = max(0, base)
        self.cap = max(0, cap)
        self.maxRetryAfter = max(0, maxRetryAfter)
    }

    /// A policy that never retries.
    public static var never: RetryPolicy { RetryPolicy(maxAttempts: 1) }

    /// Returns the seconds to wait after a failed attempt; nil when no attempt is left.
    ///
    /// - Parameters:
    ///   - attempt: The number of attempts so far, from 1.
    ///   - retryAfter: The gateway's `Retry-After`, in seconds.
    ///   - random: A uniform random number from 0 to 1.
    public func delay(afterAttempt attempt: Int, retryAfter: TimeInterval?, random: Double) -> TimeInterval? {
        guard attempt < maxAttempts else { return nil }
        let bound = min(cap, base * pow(2, Double(min(attempt, 60) - 1)))
        guard let retryAfter else { return bound * random }
        // Added to `Retry-After`, so that clients with the same value do not retry at the same moment.
        return retryAfter <= maxRetryAfter ? retryAfter + min(bound, base) * random : nil
    }
}

/// Which failures of a call permit a retry.
enum Repetition: Sendable {
    /// The call is idempotent.
    case always
    /// Only when the gateway did no work: it refused the call, or was not reached.
    case whenRefused
    /// No failure does.
    case never

    func allows(_ error: GatewayClientError) -> Bool {
        switch (self, error.kind) {
        case (.never, _): false
        case (_, .unreachable): true
        case (_, .refused): error.status == 429 || error.status == 503 || (self == .always && isTransient(error.status))
        case (.always, .cut), (.always, .timedOut): true
        default: false
        }
    }

    private func isTransient(_ status: Int?) -> Bool { status == 502 || status == 504 }
}
