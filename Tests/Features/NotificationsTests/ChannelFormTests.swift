import GatewayAPI
import Push
import PushChannels
import PushRoom
import Storage
import Testing

@testable import Notifications

/// What channels read of registrations and of stored devices.
@Suite struct ChannelForms {
    private static let token = String(repeating: "AB", count: 32)

    /// Requests with an address of each channel, how it is stored, and its hint.
    private static var requests: [(PushChannelKind, PushDeviceRequest, stored: String, hint: String)] {
        var (app, live, browser) = (PushDeviceRequest(), PushDeviceRequest(), PushDeviceRequest())
        var (hook, stream) = (PushDeviceRequest(), PushDeviceRequest())
        app.apnsToken = token
        live.apnsChannel = "dHN0LXNyY2gtY2hubA=="
        // The keys of RFC 8291, section 5.
        let key = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        browser.webPush = .object([
            "endpoint": .string("https://fcm.googleapis.com/x"),
            "keys": .object(["p256dh": .string(key), "auth": .string("BTBZMqHH6r4Tts7J_aSIgg")]),
        ])
        hook.webhook = PushDeviceRequest.Webhook(url: "https://door.example.com/hook")
        stream.stream = true
        return [
            (.apns, app, #"{"token":"\#(token.lowercased())"}"#, "…ababab"),
            (.apns, live, #"{"channel":"dHN0LXNyY2gtY2hubA=="}"#, ""),
            (
                .webPush, browser,
                #"{"endpoint":"https://fcm.googleapis.com/x","expirationTime":null,"keys":{"auth":"BTBZMqHH6r4Tts7J_aSIgg","p256dh":"\#(key)"}}"#,
                "https://fcm.googleapis.com"
            ),
            (
                .webhook, hook, #"{"secrets":[],"url":"https://door.example.com/hook"}"#, "https://door.example.com"
            ), (.stream, stream, "{}", ""),
        ]
    }

    @Test func `what a registration stores is what the channel sends to`() async throws {
        try await PushStand.with(RecordingChannel(), ["SELENE_PUSH_BUNDLE_ID": "com.example.app"]) { stand in
            #expect(Set(Self.requests.map { $0.0 }) == Set(PushChannelKind.allCases))
            for (kind, request, stored, hint) in Self.requests {
                let found = try #require(try stand.service.channels.address(in: request))
                #expect(found.kind == kind && found.address.target == stored)
                #expect((found.address.unique == nil) == (kind == .stream))
                let device = try await stand.database.push.devices.register(
                    PushRegistration(
                        name: "a", channel: kind.rawValue, address: found.address.unique ?? "a",
                        target: found.address.target)
                ).device
                #expect(device.kind == kind && device.hint == hint && device.isSpecial == (request.apnsChannel != nil))
                switch try stand.service.channels.target(of: device) {
                case .apns(let destination): #expect(kind == .apns && destination.environment == .production)
                case .webPush(let subscription): #expect(kind == .webPush && subscription.endpoint.origin == hint)
                case .webhook(let destination): #expect(kind == .webhook && destination.url.origin == hint)
                case .stream(let id): #expect(kind == .stream && id == device.uuid)
                }
            }
        }
    }

    @Test func `a registration has one address, and a device a channel that is known`() async throws {
        try await PushStand.with { stand in
            let channels = stand.service.channels
            let none = try channels.address(in: PushDeviceRequest(name: "a"))
            #expect(none == nil)
            #expect(
                LiveChannels.noAddress
                    == .field("apnsToken", "is required, or apnsChannel, webPush, webhook or stream"))
            var both = PushDeviceRequest()
            both.stream = true
            both.webhook = PushDeviceRequest.Webhook(url: "https://door.example.com/")
            let several = "a device has one address: expected one of apnsToken, webPush, webhook and stream"
            #expect(throws: PushRefusal.field("apnsToken", several)) { _ = try channels.address(in: both) }
            var device = try await stand.device()
            device.channel = "pigeon"
            #expect(device.hint == "" && !device.isSpecial)
            #expect(throws: PushRefusal.field("channel", "the device has the unknown channel \"pigeon\"")) {
                _ = try channels.target(of: device)
            }
            device.channel = "webhook"
            device.target = "[]"
            #expect(throws: PushRefusal.self) { _ = try channels.target(of: device) }
        }
    }
}
