import GatewayAPI
package import Schedules

/// An answer of APNs.
package struct APNsAnswer: Sendable, Hashable {
    /// The largest body that is read, in bytes. Those of APNs have less than 100.
    static let limit = 4096
    /// The wait after a failure of APNs, in seconds: what Apple asks for.
    static let pause: Int64 = 900
    /// The wait after too many pushes for one device, in seconds.
    static let devicePause: Int64 = 60

    /// What happened before the answer, as far as it matters for the verdict.
    package struct Attempt: Sendable, Hashable {
        /// When the request was sent.
        package var sent: Instant
        /// Whether APNs ever accepted a push for this token in this environment.
        package var tokenHasWorked: Bool
        /// Whether the other environment refused the token before.
        package var triedOtherEnvironment: Bool
        /// Whether a new provider token was signed because of this delivery.
        package var renewedToken: Bool

        package init(
            sent: Instant, tokenHasWorked: Bool = false, triedOtherEnvironment: Bool = false, renewedToken: Bool = false
        ) {
            self.sent = sent
            self.tokenHasWorked = tokenHasWorked
            self.triedOtherEnvironment = triedOtherEnvironment
            self.renewedToken = renewedToken
        }
    }

    /// The HTTP status.
    package let status: Int
    /// APNs' word for the failure; nil for a success and for a body that cannot be read.
    package let reason: String?
    /// Since when the token is dead, with a status of 410.
    package let timestamp: Instant?

    /// Reads an answer; a body that cannot be read counts as empty.
    package init(status: Int, body: [UInt8]) {
        self.status = status
        guard body.count <= Self.limit,
            let document = try? JSONDocument(parsing: body, limits: JSONLimits(depth: 8, values: 64)),
            case .object(let members) = document.value
        else {
            (reason, timestamp) = (nil, nil)
            return
        }
        if case .string(let text) = members["reason"] {
            let word = text.unicodeScalars.filter { $0.value > 0x20 && $0.value < 0x7F }.prefix(64).map(Character.init)
            reason = word.isEmpty ? nil : String(word)
        } else {
            reason = nil
        }
        if case .integer(let milliseconds) = members["timestamp"], milliseconds > 0 {
            timestamp = Instant(milliseconds: milliseconds)
        } else {
            timestamp = nil
        }
    }

    /// What the answer means.
    ///
    /// - Parameter retryAfter: The seconds of the header `Retry-After`, see ``RetryAfter``.
    package func outcome(of attempt: Attempt, retryAfter: Int64? = nil) -> PushOutcome {
        if (200...299).contains(status) { return PushOutcome(.accepted, "APNs accepted it") }
        let known = reason.flatMap(APNsReason.init(rawValue:))
        var (verdict, meaning) =
            known.map { self.verdict(of: $0, attempt) } ?? Self.verdict(ofStatus: status, timestamp ?? attempt.sent)
        if case .retry(let pause) = verdict, let retryAfter { verdict = .retry(after: max(retryAfter, pause ?? 0)) }
        if case .retry(let pause?) = verdict { meaning += "; again after \(pause) s" }
        return PushOutcome(verdict, "APNs answered \(status)\(reason.map { " \($0)" } ?? ""): \(meaning)")
    }
}
