package import Schedules

/// What the answers of push services mean.
package enum WebPushAnswer {
    /// Returns the verdict on a status.
    ///
    /// - Parameters:
    ///   - sent: When the request was sent.
    ///   - retryAfter: The seconds of the header `Retry-After`, see ``RetryAfter``.
    package static func outcome(status: Int, sent: Instant, retryAfter: Int64? = nil) -> PushOutcome {
        let (verdict, meaning) = verdict(status, sent, retryAfter)
        return PushOutcome(verdict, "the push service answered \(status): \(meaning)")
    }

    private static func verdict(_ status: Int, _ sent: Instant, _ retryAfter: Int64?) -> (PushVerdict, String) {
        switch status {
        case 200...299: (.accepted, "accepted")
        case 404, 410: (.retire(registeredBefore: sent), "the subscription has ended")
        case 413: (.refused, "the message is too large")
        case 401, 403:
            (
                .misconfigured,
                "the signature is not accepted; check the key pair of the subscription, the subject and the clock"
            )
        case 429: (.retry(after: retryAfter), "too many requests")
        case 408, 425, 500...599: (.retry(after: retryAfter), "a failure of the service")
        case 300...399: (.misconfigured, "redirects are not followed; the endpoint is wrong")
        case 400...499: (.misconfigured, "the request is not accepted")
        default: (.retry(after: retryAfter), "not an answer of a push service")
        }
    }
}
