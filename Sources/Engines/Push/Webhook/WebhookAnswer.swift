package import Schedules

/// What the answers of webhooks mean.
package enum WebhookAnswer {
    /// Returns the verdict on a status.
    ///
    /// - Parameters:
    ///   - sent: When the request was sent.
    ///   - retryAfter: The seconds of the header `Retry-After`, see ``RetryAfter``.
    package static func outcome(status: Int, sent: Instant, retryAfter: Int64? = nil) -> PushOutcome {
        let (verdict, meaning) = verdict(status, sent, retryAfter)
        return PushOutcome(verdict, "the webhook answered \(status): \(meaning)")
    }

    private static func verdict(_ status: Int, _ sent: Instant, _ retryAfter: Int64?) -> (PushVerdict, String) {
        switch status {
        case 200...299: (.accepted, "accepted")
        case 410: (.retire(registeredBefore: sent), "the receiver wants no more requests")
        case 408, 425, 429, 500...599: (.retry(after: retryAfter), "the receiver cannot take it now")
        case 300...399: (.misconfigured, "redirects are not followed; set the final URL")
        case 401, 403: (.misconfigured, "the receiver does not accept the request; check the secret")
        case 400...499: (.misconfigured, "the receiver does not accept the request")
        default: (.retry(after: retryAfter), "not a final status of HTTP")
        }
    }
}
