package import Push
import Schedules
import Transport

/// How the gateway calls webhooks.
package struct WebhookSettings: Sendable {
    /// Whether webhooks may be on this machine and in private networks, and without TLS.
    package var allowsPrivate = false
    /// A file with the certificates (PEM) of the authorities to trust; nil for those of the system.
    package var authorities: String?

    /// Creates settings that allow public addresses only.
    package init() {}
}

/// Sends signed requests to webhooks.
package final class WebhookChannel: PushChannel {
    private let settings: WebhookSettings
    private let sender: DirectSender

    /// Creates a channel.
    package init(_ settings: WebhookSettings = WebhookSettings()) {
        self.settings = settings
        sender = DirectSender(peer: "the webhook", authorities: settings.authorities)
    }

    package var kind: PushChannelKind { .webhook }
    package var capacity: Int { DirectSender.requests }
    /// Always ready: what is wrong with one webhook is the matter of its deliveries.
    package var state: PushChannelState { .ready }
    package func resume() {}

    package func check(_ attempt: PushAttempt) throws(PushFieldError) {
        guard case .webhook(let destination) = attempt.target else { throw attempt.target.foreign(to: kind) }
        try attempt.message.check()
        try checkURL(destination.url)
        _ = try request(attempt, destination)
    }

    package func send(_ attempt: PushAttempt) async -> PushReport {
        guard case .webhook(let destination) = attempt.target else { return .misdirected(attempt.target, to: kind) }
        let start = ContinuousClock.now
        let request: WebhookRequest
        do throws(PushFieldError) {
            try checkURL(destination.url)
            request = try self.request(attempt, destination)
        } catch {
            return error.field == "url"
                ? PushReport(PushOutcome(.misconfigured, "not sent: \(error)")) : .refused(error)
        }
        let result = await sender.post(
            request.body, request.headers, to: destination.url, isPublic: !settings.allowsPrivate)
        let report: PushReport
        switch result {
        case .failure(let error): report = PushReport(PushOutcome(error))
        case .success(let answer):
            report = PushReport(
                WebhookAnswer.outcome(
                    status: answer.status, sent: attempt.now, retryAfter: answer.retryAfter(now: attempt.now)),
                status: answer.status, said: answer.said)
        }
        return report.taking(.now - start)
    }

    package func shutdown(within patience: Duration) async { await sender.shutdown(within: patience) }

    /// Settings may have changed since the webhook was saved.
    private func checkURL(_ url: PushURL) throws(PushFieldError) {
        _ = try PushURL(target: url.description, field: "url", allowsPrivate: settings.allowsPrivate)
    }

    private func request(
        _ attempt: PushAttempt, _ destination: WebhookDestination
    ) throws(PushFieldError) -> WebhookRequest {
        try WebhookRequest(
            attempt.message, topic: attempt.topic, id: attempt.id, created: attempt.created,
            secrets: destination.secrets, now: attempt.now)
    }
}
