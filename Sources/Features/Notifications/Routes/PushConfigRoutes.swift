import Access
import GatewayAPI
import HTTPTypes
import Hummingbird
import Push
import PushChannels
import PushRoom
import Schedules
import Server

/// The routes of the configuration: the state of APNs with a test, and triggers.
struct PushConfigRoutes: Sendable {
    let room: PushRoom
    let channels: LiveChannels
    let sending: PushSending
    let bodyLimit: Int

    /// `GET /api/v1/config/apns`: whether APNs is configured and sends. The key is never shown.
    func apns(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await channels.refreshAPNs()
        return JSONReply.response(channels.apnsState)
    }

    /// `PUT /api/v1/config/apns`: stores the key in a file of mode 0600 and uses it at once.
    func setAPNs(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let wanted = try await JSONRequest.decode(PushAPNsRequest.self, from: request, limit: bodyLimit, in: context)
        try await channels.configureAPNs(wanted)
        return JSONReply.response(channels.apnsState)
    }

    /// `GET /api/v1/web-push/key`: the public key that browsers need to subscribe. It is no secret.
    func webPushKey(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let key = channels.all[.webPush]?.publicKey
        return JSONReply.response(PushWebKey(configured: key != nil, publicKey: key))
    }

    /// `POST /api/v1/config/apns/test`: sends a test to a device of APNs, or to all; a stopped channel tries again.
    func testAPNs(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await channels.refreshAPNs()
        guard let channel = channels.all[.apns] else { throw PushRefusal.noChannel("apns") }
        let wanted = try await JSONRequest.decodeIfPresent(
            TestRequest.self, from: request, limit: bodyLimit, in: context)
        channel.resume()
        let names = wanted?.device.map { [$0] }
        let devices = try await sending.devices(names).filter { $0.channel == PushChannelKind.apns.rawValue }
        guard !devices.isEmpty else { throw PushRefusal.noDevice }
        var message = PushMessage()
        message.title = "Selene Gateway"
        message.body = "This is a test. Notifications reach this device."
        var order = PushOrder(message)
        order.topic = "test"
        order.source = "test"
        order.devices = devices.prefix(PulpitNotification.devices).map(\.uuid)
        order.sender = context.identity.keyID
        return JSONReply.response(PushSendRoutes.notification(try await sending.submit(order)), status: .accepted)
    }

    private struct TestRequest: Codable { var device: String? }

    /// `GET /api/v1/triggers`
    func triggers(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(try await PushTriggerSettings.load(room))
    }

    /// `PUT /api/v1/triggers`: changes the switches that the body has.
    func setTriggers(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let wanted = try await JSONRequest.decode(PushTriggers.self, from: request, limit: bodyLimit, in: context)
        context.audits(wanted.triggers.keys.sorted().joined(separator: ", "))
        var all = try await PushTriggerSettings.load(room)
        for (name, trigger) in wanted.triggers.sorted(by: { $0.key < $1.key }) {
            guard all.triggers[name] != nil else {
                throw GatewayError.field(
                    "triggers.\(name.prefix(64))",
                    "is not known; expected \(PushTriggerKind.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            if let topic = trigger.topic, !PushOrder.isTopic(topic) {
                throw GatewayError.field(
                    "triggers.\(name).topic", "expected 1 to 64 letters, digits, \"-\" and \"_\"")
            }
            if let template = trigger.template,
                try await room.library.find(.template, template) == nil
            {
                throw GatewayError.field("triggers.\(name).template", "there is no template \"\(template.prefix(64))\"")
            }
            _ = try FieldCheck.texts(
                trigger.devices, "triggers.\(name).devices", maxCount: PulpitNotification.devices,
                maxBytes: PushMessage.Limits.name)
            all.triggers[name] = trigger
        }
        try await PushTriggerSettings.store(all, room)
        return JSONReply.response(all)
    }
}
