import Cryptography
import Foundation
import GatewayAPI
@testable import Push
import Schedules

@testable import PushChannels

/// A push service at 127.0.0.1 with a browser's subscription, and a channel that allows it.
struct WebPushStand {
    let receiver: Receiver
    let browser = P256.KeyAgreement.PrivateKey()
    let secret = [UInt8](repeating: 7, count: 16)
    let key = VAPIDSigner.makeKey()
    let channel: WebPushChannel
    let services: PushServices
    static let start = Instant(seconds: Int64(Date().timeIntervalSince1970))

    init(allowed: [String]? = nil) throws {
        let server = try Receiver()
        receiver = server
        services = try PushServices(allowed ?? ["http://127.0.0.1:\(server.port)"])
        channel = WebPushChannel(
            WebPushSettings(
                signer: try VAPIDSigner(key: key, subject: "mailto:operator@example.com"), services: services,
                home: try PushURL("https://selene.example.com/app", field: "home")))
    }

    /// A subscription that another setting allowed.
    func subscription(_ endpoint: String, services: [String]) throws -> WebPushSubscription {
        try WebPushSubscription(
            .object([
                "endpoint": .string(endpoint),
                "keys": .object([
                    "p256dh": .string(Base64URL.encode(browser.publicKey.x963Representation)),
                    "auth": .string(Base64URL.encode(secret)),
                ]),
            ]), services: PushServices(services))
    }

    func attempt(
        _ endpoint: String? = nil, services: [String]? = nil, _ change: (inout PushMessage) -> Void = { _ in }
    ) throws -> PushAttempt {
        var message = PushMessage()
        message.title = "Tide"
        message.body = "High water at 12:04"
        change(&message)
        let subscription = try subscription(
            endpoint ?? receiver.address + "/push/abc?x=1", services: services ?? [receiver.address])
        return PushAttempt(
            id: "00000000-0000-4000-8000-000000000001", message: message, topic: "tides",
            target: .webPush(subscription), created: Self.start, now: Self.start)
    }
}
