import GatewayAPI
import Schedules
import TestSupport
import Testing

@testable import Push

struct WebhookTests {
    private static let now = Instant(seconds: 1_614_265_330)

    /// The example of the specification's libraries.
    @Test func `a signature is that of Standard Webhooks`() throws {
        let secret = try WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        let body = Array(#"{"test": 2432232314}"#.utf8)
        let signature = secret.sign(id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: body)
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func `a request is verified, with either secret while it changes`() throws {
        let secrets = try (0..<2).map { _ in try WebhookSecret(WebhookSecret.make()) }
        let request = try WebhookRequest(
            APNsRequestTests.message(#"{"body":"a"}"#), topic: "news", id: "d-1", created: Self.now, secrets: secrets,
            now: Self.now.adding(seconds: 7))
        #expect(
            String(decoding: request.body, as: UTF8.self) == """
                {"type":"notification","timestamp":"2021-02-25T15:02:10Z",\
                "data":{"id":"d-1","message":{"body":"a"},"topic":"news"}}
                """)
        let headers = Dictionary(request.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $0 + $1 })
        let signatures = try #require(headers["webhook-signature"])
        #expect(headers["webhook-timestamp"] == "1614265337")
        for secret in secrets {
            func verifies(
                id: String = "d-1", timestamp: String = "1614265337", signatures: String = signatures,
                body: [UInt8] = request.body, after seconds: Int64 = 0
            ) -> Bool {
                secret.verifies(
                    id: id, timestamp: timestamp, signatures: signatures, body: body,
                    now: Self.now.adding(seconds: 7 + seconds))
            }
            #expect(verifies())
            #expect(verifies(after: 300))
            #expect(verifies(after: -300))
            #expect(!verifies(after: 301))
            #expect(!verifies(after: -301))
            #expect(!verifies(id: "d-2"))
            #expect(!verifies(timestamp: "1614265338"))
            #expect(!verifies(timestamp: "+1614265337"))
            #expect(!verifies(timestamp: "-9223372036854775808"))
            #expect(!verifies(timestamp: ""))
            #expect(!verifies(body: request.body + [0x20]))
            #expect(!verifies(signatures: ""))
            #expect(!verifies(signatures: signatures.replacing("v1,", with: "v2,")))
            #expect(!verifies(signatures: signatures.replacing("v1,", with: "v1,A")))
        }
    }

    @Test func `a webhook without a secret is not signed`() throws {
        let request = try WebhookRequest(
            APNsRequestTests.message(#"{"body":"a"}"#), topic: "t", id: "1", created: Self.now, secrets: [],
            now: Self.now)
        #expect(request.headers.map(\.name) == ["content-type", "webhook-id", "webhook-timestamp"])
    }

    @Test(arguments: ["", "a.b", "a b", "a\r\nb", String(repeating: "a", count: 65), "ä"])
    func `an id is a plain word`(id: String) {
        let error = #expect(throws: PushFieldError.self) {
            try WebhookRequest(
                APNsRequestTests.message(#"{"body":"a"}"#), topic: "t", id: id, created: Self.now, secrets: [],
                now: Self.now)
        }
        #expect(error?.field == "id")
    }

    @Test(arguments: [
        "", "whsec_", "secret", "whsec_AAAA", "whsec_!!!!", "whsec_" + String(repeating: "A", count: 88),
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS-",
    ])
    func `other secrets are refused`(text: String) {
        let error = #expect(throws: PushFieldError.self) { try WebhookSecret(text) }
        #expect(error?.field == "secret")
    }

    @Test func `base64 has padding`() {
        for (text, encoded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v")] {
            #expect(Base64Text.encode(text.utf8) == encoded)
            #expect(Base64Text.decode(encoded) == Array(text.utf8))
        }
        #expect(Base64Text.encode([0xFB, 0xFF]) == "+/8=")
        #expect(Base64Text.decode("-_8=") == nil)
    }

    @Test(
        arguments: [
            (200, .accepted), (204, .accepted), (301, .misconfigured), (400, .misconfigured), (401, .misconfigured),
            (403, .misconfigured), (404, .misconfigured), (408, .retry(after: 7)),
            (410, .retire(registeredBefore: now)),
            (413, .misconfigured), (425, .retry(after: 7)), (429, .retry(after: 7)), (500, .retry(after: 7)),
            (503, .retry(after: 7)), (0, .retry(after: 7)), (100, .retry(after: 7)), (600, .retry(after: 7)),
        ] as [(Int, PushVerdict)])
    func `each answer has a verdict`(status: Int, verdict: PushVerdict) {
        #expect(WebhookAnswer.outcome(status: status, sent: Self.now, retryAfter: 7).verdict == verdict)
    }
}
