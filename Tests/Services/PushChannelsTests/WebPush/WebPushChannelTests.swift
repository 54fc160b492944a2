import Cryptography
import Foundation
import GatewayAPI
import Push
import Schedules
import TestSupport
import Testing

@testable import PushChannels

@Suite(.serialized) struct WebPushChannels {
    @Test func `a message is encrypted and signed, and other implementations read it`() async throws {
        let stand = try WebPushStand()
        async let sent = stand.channel.send(try stand.attempt())
        let request = try await stand.receiver.answer(Receiver.head(201, "Location: /message/9\r\n"))
        let report = try await sent
        #expect(report.verdict == .accepted)
        #expect(report.status == 201)
        #expect(report.serviceID == "/message/9")
        #expect(request.line == "POST /push/abc?x=1 HTTP/1.1")
        #expect(request.headers["host"] == "127.0.0.1:\(stand.receiver.port)")
        #expect(request.headers["content-encoding"] == "aes128gcm")
        #expect(request.headers["topic"] != nil)
        #expect(request.headers["ttl"] != nil)
        #expect(!String(decoding: request.body, as: UTF8.self).contains("High water"))
        // The padding hides the exact size.
        #expect((request.body.count - 103) % 256 == 0)
        let answer = try await WebPushOracle.open(request, stand)
        guard let answer else { return }
        #expect(answer.contains(#""body":"High water at 12:04""#))
        #expect(answer.contains(#"aud=http://127.0.0.1:\#(stand.receiver.port)"#))
        #expect(answer.contains("sub=mailto:operator@example.com"))
        await stand.channel.shutdown(within: .seconds(1))
        stand.receiver.stop()
    }

    @Test(
        arguments: [
            (404, PushVerdict.retire(registeredBefore: WebPushStand.start)),
            (410, .retire(registeredBefore: WebPushStand.start)), (413, .refused), (403, .misconfigured),
            (429, .retry(after: 30)), (500, .retry(after: 30)), (302, .misconfigured),
        ])
    func `answers have the verdicts of the table`(status: Int, verdict: PushVerdict) async throws {
        let stand = try WebPushStand()
        async let sent = stand.channel.send(try stand.attempt())
        _ = try await stand.receiver.answer(
            "HTTP/1.1 \(status) X\r\nRetry-After: 30\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 9\r\n\r\nno\tthanks"
        )
        let report = try await sent
        #expect(report.verdict == verdict)
        #expect(report.said == "no thanks")
        #expect(report.serviceID == nil)
        await stand.channel.shutdown(within: .seconds(1))
        stand.receiver.stop()
    }

    @Test func `a service that left the list gets nothing`() async throws {
        let stand = try WebPushStand(allowed: ["fcm.googleapis.com"])
        let attempt = try stand.attempt()
        #expect(throws: PushFieldError.self) { try stand.channel.check(attempt) }
        let report = await stand.channel.send(attempt)
        #expect(report.verdict == .misconfigured)
        #expect(stand.receiver.received == 0)
        stand.receiver.stop()
    }

    @Test func `a message without anything to show is refused before it is stored`() async throws {
        let stand = try WebPushStand()
        let silent = try stand.attempt {
            $0.title = nil
            $0.body = nil
            $0.badge = 3
        }
        #expect(throws: PushFieldError.self) { try stand.channel.check(silent) }
        #expect(await stand.channel.send(silent).verdict == .refused)
        let large = try stand.attempt { $0.data = ["x": .string(String(repeating: "y", count: 3980))] }
        #expect(throws: PushFieldError.self) { try stand.channel.check(large) }
        stand.receiver.stop()
    }

    @Test func `tokens are signed once for each origin, and few are remembered`() throws {
        let tokens = VAPIDTokens(try VAPIDSigner(key: VAPIDSigner.makeKey(), subject: "mailto:a@example.com"))
        let now = WebPushStand.start
        let first = try tokens.authorization(for: "https://a.example", at: now)
        #expect(try tokens.authorization(for: "https://a.example", at: now.adding(seconds: 60)) == first)
        #expect(try tokens.authorization(for: "https://b.example", at: now) != first)
        #expect(try tokens.authorization(for: "https://a.example", at: now.adding(seconds: 7 * 3600)) != first)
        for number in 0..<200 {
            _ = try tokens.authorization(for: "https://\(number).example", at: now.adding(seconds: Int64(number)))
        }
        #expect(tokens.count == VAPIDTokens.origins)
    }
}
