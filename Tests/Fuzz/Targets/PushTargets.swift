import GatewayAPI
import Schedules

@testable import Push

/// What senders of notifications and the services of push write.
enum PushTargets {
    private static let now = Instant(seconds: 1_795_000_000)

    /// A message that is accepted is written as one that is accepted and equal.
    static let messages: FuzzBody = { bytes in
        guard let value = json(bytes[...]) else { return }
        if let message = try? PushMessage(value) {
            let again = try? PushMessage(message.json)
            promise(again == message, "a message is read differently again")
        }
        if let message = try? PulpitNotification(value, now: now) { _ = message.message.json }
        if let subscription = try? WebPushSubscription(value, services: PushServices()) { _ = subscription.json }
    }

    /// A template that is accepted has a preview or says which of its fields is wrong.
    static let templates: FuzzBody = { bytes in
        var input = Input(bytes)
        let given = input.piece(upTo: 0)
        guard let value = json(input.rest), let template = try? NotificationTemplate(value) else { return }
        do throws(PushFieldError) {
            _ = try template.preview()
        } catch {
            promise(!error.field.isEmpty, "an error without a field")
        }
        if case .object(let values)? = json(given[...]) { _ = try? template.render(values) }
    }

    /// Requests of ntfy's clients, as a body of JSON and as lines of headers with a body.
    static let ntfy: FuzzBody = { bytes in
        _ = try? NtfyPublish(json: bytes, now: now, zone: .utc)
        var input = Input(bytes)
        var headers: [(name: String, value: String)] = []
        for _ in 0..<Int(input.byte() % 8) {
            headers.append(
                (
                    String(decoding: input.piece(upTo: 0x3A), as: UTF8.self),
                    String(decoding: input.piece(upTo: 0x0A), as: UTF8.self)
                ))
        }
        guard
            let message = try? NtfyPublish(
                topic: "t", headers: headers, query: [], body: Array(input.rest), now: now, zone: .utc)
        else { return }
        promise((try? PushMessage(message.message.json)) == message.message, "a message is read differently again")
    }

    /// Addresses are read the same again, and an answer of APNs always has an outcome.
    static let answers: FuzzBody = { bytes in
        var input = Input(bytes)
        let answer = APNsAnswer(status: input.number() % 1000, body: Array(input.rest))
        _ = answer.outcome(of: APNsAnswer.Attempt(sent: now))
        let text = String(decoding: input.rest, as: UTF8.self)
        _ = RetryAfter.seconds(text, now: now)
        guard let url = try? PushURL(text, field: "url") else { return }
        promise((try? PushURL(url.description, field: "url")) == url, "\(text) is read differently again")
    }

    private static func json(_ bytes: ArraySlice<UInt8>) -> JSONValue? {
        (try? JSONDocument(parsing: Array(bytes), limits: JSONLimits(depth: 16, values: 4096)))?.value
    }
}
