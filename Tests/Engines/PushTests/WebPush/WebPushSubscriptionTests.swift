import GatewayAPI
import Schedules
import TestSupport
import Testing

@testable import Push

struct WebPushSubscriptionTests {
    private static let key = WebPushCipherTests.Vector.receiverKey
    private static let secret = WebPushCipherTests.Vector.secret

    private static func value(
        endpoint: String = "https://updates.push.services.mozilla.com/wpush/v2/abc", key: String = key,
        secret: String = secret, expires: JSONValue = .null
    ) -> JSONValue {
        .object([
            "endpoint": .string(endpoint), "keys": .object(["p256dh": .string(key), "auth": .string(secret)]),
            "expirationTime": expires,
        ])
    }

    @Test(arguments: [
        "https://fcm.googleapis.com/fcm/send/a:b", "https://updates.push.services.mozilla.com/wpush/v2/abc",
        "https://wns2-par02p.notify.windows.com/w/?token=a", "https://web.push.apple.com/QG",
        "https://ntfy.sh/up1?up=1",
    ])
    func `subscriptions of browsers pass`(endpoint: String) throws {
        let value = Self.value(endpoint: endpoint, expires: .number(1_800_000_000_000.0))
        let subscription = try WebPushSubscription(value, services: PushServices())
        #expect(subscription.expires == Instant(seconds: 1_800_000_000))
        #expect(try WebPushSubscription(subscription.json, services: PushServices()) == subscription)
    }

    @Test(arguments: [
        "http://fcm.googleapis.com/x", "https://fcm.googleapis.com:8443/x", "https://example.com/x",
        "https://127.0.0.1:8080/x.google.com/", "https://fcm.googleapis.com.evil.com/",
        "https://evilfcm.googleapis.com/",
        "https://push.apple.com/", "https://xpush.apple.com/", "https://fcm.googleapis.com@evil.com/", "https://[::1]/",
        "https://localhost/", "https://evil.com/?fcm.googleapis.com", "https://evil.com#fcm.googleapis.com", "x", "",
    ])
    func `other endpoints are refused`(endpoint: String) {
        let error = #expect(throws: PushFieldError.self) {
            try WebPushSubscription(Self.value(endpoint: endpoint), services: PushServices())
        }
        #expect(error?.field == "endpoint")
    }

    @Test func `a host of the own network passes only by its full name`() throws {
        let services = try PushServices(["http://ntfy.lan:2586", "*.home.arpa", "10.0.0.7", "*.example.com:8443"])
        func passes(_ endpoint: String) -> Bool {
            (try? WebPushSubscription(Self.value(endpoint: endpoint), services: services)) != nil
        }
        #expect(passes("http://ntfy.lan:2586/up?up=1"))
        #expect(!passes("https://ntfy.lan/up"))
        #expect(!passes("http://ntfy.lan/up"))
        #expect(passes("https://10.0.0.7/up"))
        #expect(!passes("https://10.0.0.8/up"))
        #expect(!passes("https://router.home.arpa/"))
        #expect(passes("https://a.b.example.com:8443/"))
        #expect(!passes("https://example.com:8443/"))
    }

    @Test(arguments: ["", "a/b", "*.com", "*.*.com", "ftp://a.de", "http://", "a.de:0", "a de", "*.1.2.3.4", "a@b.de"])
    func `a list of services names the entry that cannot be read`(entry: String) {
        let error = #expect(throws: PushFieldError.self) { try PushServices(["ntfy.sh", entry]) }
        #expect(error?.field == "push.services[1]")
    }

    @Test func `keys have to be whole`() throws {
        let bytes = try #require(Base64URL.decode(Self.key))
        var moved = bytes
        moved[64] ^= 1
        let compressed = [2 + (bytes[64] & 1)] + bytes[1...32]
        let keys = [
            "", "AAAA", "!", String(repeating: "A", count: 9000), Base64URL.encode(moved), Base64URL.encode(compressed),
            Base64URL.encode([4] + [UInt8](repeating: 0, count: 64)),
            Base64URL.encode([UInt8](repeating: 0, count: 65)),
            Base64URL.encode([4] + [UInt8](repeating: 255, count: 64)),
        ]
        for key in keys {
            let error = #expect(throws: PushFieldError.self) {
                try WebPushSubscription(Self.value(key: key), services: PushServices())
            }
            #expect(error?.field == "keys.p256dh")
        }
        for secret in ["", "AAAA", Self.secret + "AA", "=="] {
            let error = #expect(throws: PushFieldError.self) {
                try WebPushSubscription(Self.value(secret: secret), services: PushServices())
            }
            #expect(error?.field == "keys.auth")
        }
    }

    @Test(arguments: [.string("x"), .number(1e300), .bool(true)] as [JSONValue])
    func `an odd expiration time is refused`(value: JSONValue) {
        let error = #expect(throws: PushFieldError.self) {
            try WebPushSubscription(Self.value(expires: value), services: PushServices())
        }
        #expect(error?.field == "expirationTime")
    }
}
