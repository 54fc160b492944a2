import GatewayAPI
package import Schedules

/// A signed request that carries a message to a webhook.
package struct WebhookRequest: Sendable, Hashable {
    /// The header fields.
    package let headers: [PushHeader]
    /// `{"type": "notification", "timestamp": …, "data": {"id": …, "topic": …, "message": {…}}}`.
    package let body: [UInt8]

    /// Makes a request. Every attempt has the same id, by which the receiver knows a repeated request, and a signature
    /// of its own.
    ///
    /// - Parameters:
    ///   - id: The delivery's id: 1 to 64 letters, digits, `-` and `_`.
    ///   - created: When the message came.
    ///   - secrets: The secret; two while it is changed. Each one signs.
    ///   - now: The time of the attempt.
    /// - Throws: ``PushFieldError`` for `id`.
    package init(
        _ message: PushMessage, topic: String, id: String, created: Instant, secrets: [WebhookSecret], now: Instant
    ) throws(PushFieldError) {
        guard (1...64).contains(id.utf8.count),
            id.utf8.allSatisfy(\.isWordCharacter)
        else { throw PushFieldError("id", "expected 1 to 64 letters, digits, \"-\" and \"_\"") }
        let body = JSONBytes.object([
            ("type", .string("notification")), ("timestamp", .string(created.description)),
            ("data", .object(["id": .string(id), "topic": .string(topic), "message": message.json])),
        ])
        var headers = [
            PushHeader("content-type", "application/json"), PushHeader("webhook-id", id),
            PushHeader("webhook-timestamp", String(now.seconds)),
        ]
        if !secrets.isEmpty {
            let signatures = secrets.map { $0.sign(id: id, timestamp: now.seconds, body: body) }
            headers.append(PushHeader("webhook-signature", signatures.joined(separator: " ")))
        }
        self.headers = headers
        self.body = body
    }
}
