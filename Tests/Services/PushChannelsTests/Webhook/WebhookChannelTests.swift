import GatewayAPI
import Push
import Schedules
import TestSupport
import Transport
import Testing

@testable import PushChannels

@Suite(.serialized) struct WebhookChannels {
    private static let start = Instant(seconds: 1_790_000_000)

    private func channel(allowsPrivate: Bool = true) -> WebhookChannel {
        var settings = WebhookSettings()
        settings.allowsPrivate = allowsPrivate
        return WebhookChannel(settings)
    }

    private func attempt(_ url: String, secrets: [WebhookSecret] = []) throws -> PushAttempt {
        var message = PushMessage()
        message.title = "Tide"
        return PushAttempt(
            id: "00000000-0000-4000-8000-000000000001", message: message, topic: "tides",
            target: .webhook(WebhookDestination(url: try PushURL(url, field: "url"), secrets: secrets)),
            created: Self.start, now: Self.start)
    }

    @Test func `a request is signed with every secret`() async throws {
        let receiver = try Receiver()
        let channel = channel()
        let secrets = try [WebhookSecret.make(), WebhookSecret.make()].map { try WebhookSecret($0) }
        async let sent = channel.send(try attempt(receiver.address + "?room=7", secrets: secrets))
        let request = try await receiver.answer(
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nthanks")
        let report = try await sent
        #expect(report.verdict == .accepted)
        #expect(report.said == "thanks")
        #expect(request.line == "POST /?room=7 HTTP/1.1")
        for secret in secrets {
            #expect(
                secret.verifies(
                    id: request.headers["webhook-id"] ?? "", timestamp: request.headers["webhook-timestamp"] ?? "",
                    signatures: request.headers["webhook-signature"] ?? "", body: request.body, now: Self.start))
        }
        #expect(request.headers["user-agent"] == "selene-gateway")
        await channel.shutdown(within: .seconds(1))
        receiver.stop()
    }

    @Test func `private addresses are refused unless they are allowed`() async throws {
        let receiver = try Receiver()
        let channel = channel(allowsPrivate: false)
        for url in [
            receiver.address, "https://127.0.0.1:\(receiver.port)", "https://10.0.0.1/", "https://[::1]/",
            "https://[::ffff:127.0.0.1]/", "https://localhost:\(receiver.port)/", "https://nas.local/",
        ] {
            let attempt = try attempt(url)
            #expect(throws: PushFieldError.self) { try channel.check(attempt) }
            #expect(await channel.send(attempt).verdict == .misconfigured, "\(url)")
        }
        #expect(receiver.received == 0)
        await channel.shutdown(within: .seconds(1))
        receiver.stop()
    }

    @Test func `the connection itself checks the address that a name led to`() async throws {
        let receiver = try Receiver()
        let sender = DirectSender(peer: "the webhook", authorities: nil)
        for name in ["127.0.0.1", "localhost"] {
            let url = try PushURL("http://\(name):\(receiver.port)/x", field: "url")
            let result = await sender.post([1], [], to: url, isPublic: true)
            guard case .failure(let error) = result else {
                Issue.record("connected to \(name)")
                continue
            }
            #expect(error.code == .privateAddress)
            #expect(PushOutcome(error).verdict == .misconfigured)
        }
        #expect(receiver.received == 0)
        await sender.shutdown(within: .seconds(1))
        receiver.stop()
    }

    @Test func `a redirect is not followed`() async throws {
        let receiver = try Receiver()
        let channel = channel()
        async let sent = channel.send(try attempt(receiver.address))
        _ = try await receiver.answer(Receiver.head(307, "Location: \(receiver.address)/other\r\n"))
        #expect(try await sent.verdict == .misconfigured)
        await channel.shutdown(within: .seconds(1))
        receiver.stop()
    }

    @Test func `a busy receiver is tried again when it says`() async throws {
        let receiver = try Receiver()
        let channel = channel()
        async let sent = channel.send(try attempt(receiver.address))
        _ = try await receiver.answer(Receiver.head(503, "Retry-After: 12\r\n"))
        #expect(try await sent.verdict == .retry(after: 12))
        await channel.shutdown(within: .seconds(1))
        receiver.stop()
    }

    @Test func `an endless answer is cut off, and its status counts`() async throws {
        let receiver = try Receiver()
        let channel = channel()
        async let sent = channel.send(try attempt(receiver.address))
        _ = try await receiver.answer(
            "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: PushLimits.answer + 1))
        let report = try await sent
        #expect(report.verdict == .accepted)
        #expect(report.said == nil)
        await channel.shutdown(within: .seconds(1))
        receiver.stop()
    }

    @Test func `a receiver that is not there is tried again`() async throws {
        let receiver = try Receiver()
        receiver.stop()
        let channel = channel()
        let report = await channel.send(try attempt(receiver.address))
        #expect(report.verdict == .retry(after: nil))
        #expect(report.outcome.explanation.hasPrefix("nothing was sent"))
        await channel.shutdown(within: .seconds(1))
        #expect(await channel.send(try attempt(receiver.address)).verdict == .retry(after: nil))
    }

    @Test func `what a server says becomes one line of visible text`() {
        #expect(PushExchange.line(" a\r\n\tb\u{1B}[31m ") == "a b [31m")
        #expect(PushExchange.line("\u{202E}\n \u{7}") == nil)
        let long = PushExchange.line(String(repeating: "ü", count: 500)) ?? ""
        #expect(long.utf8.count <= PushLimits.excerpt)
        #expect(long.utf8.count > PushLimits.excerpt - 4)
    }
}
