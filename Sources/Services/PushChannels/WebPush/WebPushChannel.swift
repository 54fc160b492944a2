import GatewayAPI
package import Push
import Schedules
import Transport

/// How the gateway reaches browsers and UnifiedPush apps.
package struct WebPushSettings: Sendable {
    /// Signs the requests.
    package var signer: VAPIDSigner
    /// Where subscriptions may lead.
    package var services: PushServices
    /// The page of the web client.
    package var home: PushURL
    /// The title of messages that have none.
    package var name = "Selene"
    /// A file with the certificates (PEM) of the authorities to trust; nil for those of the system.
    package var authorities: String?

    package init(signer: VAPIDSigner, services: PushServices, home: PushURL) {
        self.signer = signer
        self.services = services
        self.home = home
    }
}

/// Sends to browsers and UnifiedPush apps: encrypted, signed, to the services of the allow-list only.
package final class WebPushChannel: PushChannel {
    /// Payloads are padded to a multiple of this, so that their size says less.
    private static let block = 256

    private let settings: WebPushSettings
    private let tokens: VAPIDTokens
    private let sender: DirectSender

    package init(_ settings: WebPushSettings) {
        self.settings = settings
        tokens = VAPIDTokens(settings.signer)
        sender = DirectSender(peer: "the push service", authorities: settings.authorities)
    }

    /// The public VAPID key in base64url, which browsers need to subscribe (`applicationServerKey`).
    package var publicKey: String? { settings.signer.publicKey }

    package var kind: PushChannelKind { .webPush }
    package var capacity: Int { DirectSender.requests }

    package func check(_ attempt: PushAttempt) throws(PushFieldError) {
        guard case .webPush(let subscription) = attempt.target else { throw PushFieldError.foreign(to: kind) }
        try attempt.message.check()
        try checkEndpoint(subscription)
        _ = try payload(attempt)
    }

    package func send(_ attempt: PushAttempt) async -> PushReport {
        guard case .webPush(let subscription) = attempt.target else { return .misdirected(to: kind) }
        let start = ContinuousClock.now
        if let expires = subscription.expires, expires <= attempt.now {
            return PushReport(
                PushOutcome(.retire(registeredBefore: expires), "not sent: the subscription ended at \(expires)"))
        }
        let payload: [UInt8]
        do throws(PushFieldError) {
            try checkEndpoint(subscription)
            payload = try self.payload(attempt)
        } catch {
            return error.field == "endpoint"
                ? PushReport(PushOutcome(.misconfigured, "not sent: \(error)")) : .refused(error)
        }
        let body: [UInt8]
        let authorization: String
        let endpoint = subscription.endpoint
        do {
            let padding = (Self.block - payload.count % Self.block) % Self.block
            body = try WebPushCipher.encrypt(payload, for: subscription, padding: padding)
            authorization = try tokens.authorization(for: endpoint.origin, at: attempt.now)
        } catch {
            return .failed("encrypting", error)
        }
        let headers =
            WebPushRequest.headers(of: attempt.message, to: subscription, id: attempt.id, now: attempt.now)
            + [PushHeader("authorization", authorization)]
        let result = await sender.post(body, headers, to: endpoint, isPublic: endpoint.host.isPublic)
        return report(result, attempt, endpoint).taking(.now - start)
    }

    package func shutdown(within timeout: Duration) async { await sender.shutdown(within: timeout) }

    private func checkEndpoint(_ subscription: WebPushSubscription) throws(PushFieldError) {
        guard settings.services.contain(subscription.endpoint) else {
            throw PushFieldError("endpoint", "the host is not in the list of push services")
        }
    }

    private func payload(_ attempt: PushAttempt) throws(PushFieldError) -> [UInt8] {
        let payload = try WebPushPayload.value(
            of: attempt.message, id: attempt.id, home: settings.home, name: settings.name
        ).json
        guard payload.count <= WebPushCipher.limit else {
            throw PushFieldError(
                "payload", "expected at most \(WebPushCipher.limit) bytes for Web Push, got \(payload.count)")
        }
        return payload
    }

    private func report(
        _ result: Result<PushExchange, UpstreamError>, _ attempt: PushAttempt, _ endpoint: PushURL
    ) -> PushReport {
        switch result {
        case .failure(let error): return PushReport(PushOutcome(error))
        case .success(let answer):
            if answer.status == 401 || answer.status == 403 { tokens.forget(endpoint.origin) }
            let outcome = WebPushAnswer.outcome(
                status: answer.status, sent: attempt.now, retryAfter: answer.retryAfter(now: attempt.now))
            let isAccepted = outcome.verdict == .accepted
            return PushReport(
                outcome, status: answer.status,
                serviceID: isAccepted ? answer.head["location"].flatMap(PushExchange.line) : nil,
                said: isAccepted ? nil : answer.said)
        }
    }
}
