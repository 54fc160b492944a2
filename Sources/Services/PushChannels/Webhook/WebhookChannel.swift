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

    package init(_ settings: WebhookSettings = WebhookSettings()) {
        self.settings = settings
        sender = DirectSender(peer: "the webhook", authorities: settings.authorities)
    }

    package var kind: PushChannelKind { .webhook }
    package var capacity: Int { DirectSender.requests }

    package func check(_ attempt: PushAttempt) throws(PushFieldError) {
        guard case .webhook(let destination) = attempt.target else { throw PushFieldError.foreign(to: kind) }
        try attempt.message.check()
        _ = try call(attempt, destination)
    }

    package func send(_ attempt: PushAttempt) async -> PushReport {
        guard case .webhook(let destination) = attempt.target else { return .misdirected(to: kind) }
        let start = ContinuousClock.now
        let call: Call
        do throws(PushFieldError) {
            call = try self.call(attempt, destination)
        } catch {
            return error.field == "url"
                ? PushReport(PushOutcome(.misconfigured, "not sent: \(error)")) : .refused(error)
        }
        let result = await sender.post(
            call.body, call.headers, to: call.url, isPublic: !settings.allowsPrivate, method: call.method)
        let report: PushReport
        switch result {
        case .failure(let error): report = PushReport(PushOutcome(error))
        case .success(let answer):
            report = PushReport(
                outcome(answer, attempt, destination),
                status: answer.status, said: answer.said)
        }
        return report.taking(.now - start)
    }

    package func shutdown(within timeout: Duration) async { await sender.shutdown(within: timeout) }

    /// A request as it goes out.
    private struct Call {
        var method = "POST"
        var url: PushURL
        var headers: [PushHeader]
        var body: [UInt8]
    }

    /// The request of an attempt. The URL is checked again, since settings may have changed since it was saved.
    private func call(_ attempt: PushAttempt, _ destination: WebhookDestination) throws(PushFieldError) -> Call {
        if destination.isButton { return try buttonCall(attempt) }
        _ = try PushURL(target: destination.url.description, field: "url", allowsPrivate: settings.allowsPrivate)
        let request = try WebhookRequest(
            attempt.message, topic: attempt.topic, id: attempt.id, created: attempt.created,
            secrets: destination.secrets, now: attempt.now)
        return Call(url: destination.url, headers: request.headers, body: request.body)
    }

    /// Header fields that describe the connection or the length of a body, which are not a sender's to choose.
    private static let ownFields: Set<String> = [
        "connection", "content-length", "expect", "host", "keep-alive", "proxy-authorization", "proxy-connection", "te",
        "trailer", "transfer-encoding", "upgrade", "user-agent",
    ]

    /// The request of the message's only button. Every attempt has the same `webhook-id`.
    private func buttonCall(_ attempt: PushAttempt) throws(PushFieldError) -> Call {
        guard attempt.message.actions.count == 1, case .request(let request)? = attempt.message.actions.first?.effect
        else { throw PushFieldError("actions", "expected one request") }
        let url = try PushURL(target: request.url, field: "url", allowsPrivate: settings.allowsPrivate)
        var headers = request.headers.sorted { $0.key < $1.key }.compactMap { name, value in
            Self.ownFields.contains(name.lowercased()) ? nil : PushHeader(name.lowercased(), value)
        }
        headers.append(PushHeader("webhook-id", attempt.id))
        return Call(
            method: request.method.rawValue, url: url, headers: headers, body: Array((request.body ?? "").utf8))
    }

    /// What an answer means. A button's URL is no device, so it is never retired.
    private func outcome(
        _ answer: PushExchange, _ attempt: PushAttempt, _ destination: WebhookDestination
    ) -> PushOutcome {
        let outcome = WebhookAnswer.outcome(
            status: answer.status, sent: attempt.now, retryAfter: answer.retryAfter(now: attempt.now))
        guard destination.isButton, case .retire = outcome.verdict else { return outcome }
        return PushOutcome(.refused, outcome.explanation)
    }
}

/// A webhook with its secrets.
package struct WebhookDestination: Sendable {
    package var url: PushURL
    /// The secret; two while it is changed, none for a receiver that does not check.
    package var secrets: [WebhookSecret]
    /// Whether the message's only button is the request: its URL, method, header fields and body, without a signature.
    package private(set) var isButton = false

    /// The destination of messages whose only button is a request that the gateway sends.
    package static func button() throws(PushFieldError) -> WebhookDestination {
        var destination = WebhookDestination(url: try PushURL("https://button.invalid/", field: "url"), secrets: [])
        destination.isButton = true
        return destination
    }

    package init(url: PushURL, secrets: [WebhookSecret]) {
        self.url = url
        self.secrets = secrets
    }
}
