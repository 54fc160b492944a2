public import Foundation

/// How often and when a call that failed is sent again.
///
/// Waits double and are drawn evenly from zero to their bound (full jitter), so that clients that failed together do not
/// come back together. What the gateway says in `Retry-After` is waited for in full.
public struct RetryPolicy: Sendable, Hashable {
    /// Attempts in all; 1 never repeats.
    public var maxAttempts: Int
    /// The bound of the first wait, in seconds.
    public var base: TimeInterval
    /// The bound of every wait, in seconds.
    public var cap: TimeInterval
    /// When `Retry-After` asks for more seconds than this, the error is thrown at once.
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

    /// Nothing is sent twice.
    public static var never: RetryPolicy { RetryPolicy(maxAttempts: 1) }

    /// Seconds to wait after an attempt that failed; nil when there is no other one.
    ///
    /// - Parameters:
    ///   - attempt: The attempts so far, from 1.
    ///   - retryAfter: What the gateway asked for, in seconds.
    ///   - random: A number from 0 to 1 that was drawn evenly.
    public func delay(afterAttempt attempt: Int, retryAfter: TimeInterval?, random: Double) -> TimeInterval? {
        guard attempt < maxAttempts else { return nil }
        let bound = min(cap, base * pow(2, Double(min(attempt, 60) - 1)))
        guard let retryAfter else { return bound * random }
        // On top of what was asked for, so that those who were told the same do not come at the same moment.
        return retryAfter <= maxRetryAfter ? retryAfter + min(bound, base) * random : nil
    }
}

/// Which failures of a call allow that it is sent again.
enum Repetition: Sendable {
    /// Doing it twice is the same as doing it once.
    case always
    /// Only when nothing was done: the gateway refused it at the door, or was not reached.
    case whenRefused
    /// Not at all.
    case never

    func allows(_ error: GatewayClientError) -> Bool {
        switch (self, error.kind) {
        case (.never, _): false
        case (_, .unreachable): true
        case (_, .refused): error.status == 429 || error.status == 503 || (self == .always && isPassing(error.status))
        case (.always, .cut), (.always, .timedOut): true
        default: false
        }
    }

    private func isPassing(_ status: Int?) -> Bool { status == 502 || status == 504 }
}
