import Access
import Cryptography
import Database
import GatewayAPI
import HTTPTypes
import Hummingbird
import Push
import PushChannels
import PushRoom
import Server
import KeyRoom
import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct PushDeviceRoutes: Sendable {
    private static let maxPage = 200
    private static let maxName = 128

    let store: PushDeviceStore
    let channels: LiveChannels
    let rules: RuleBook
    let hub: StreamHub
    let wakeSignals: PushWakeSignals
    let bodyLimit: Int

    /// `GET /api/v1/devices`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 50, in: 1...Self.maxPage)
        let cursor = try request.cursor()
        // A key that only receives sees its own devices.
        let owner = Self.maySend(context) ? nil : context.identity.keyID
        let page = try await context.scan { [store] in
            try await store.page(after: cursor, limit: limit, of: owner)
        }
        return JSONReply.response(
            PushDeviceList(devices: page.items.map { show($0) }, nextCursor: page.next?.text))
    }

    /// `POST /api/v1/devices`: 201 for a new device, 200 for a known address.
    func register(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        var wanted = try await JSONRequest.decode(PushDeviceRequest.self, from: request, limit: bodyLimit, in: context)
        // Requests are always signed.
        let webhookSecret = wanted.webhook.flatMap { $0.secret == nil ? Self.webhookSecret() : nil }
        if let webhookSecret { wanted.webhook?.secret = webhookSecret }
        guard let name = try FieldCheck.text(wanted.name, "name", maxBytes: Self.maxName) else {
            throw GatewayError.field("name", "is required")
        }
        guard let (kind, address) = try channels.address(in: wanted) else { throw LiveChannels.noAddress }
        try Self.check(wanted, kind, context)
        var registration = PushRegistration(
            name: name, channel: kind.rawValue, address: address.unique ?? "\(context.identity.callerName) \(name)",
            target: address.target)
        registration.mayTakeOver = context.identity.grant.scopes.allow(.pushAdmin)
        registration.platform = try FieldCheck.text(wanted.platform, "platform", maxBytes: 64)
        registration.environment = try environment(wanted)
        registration.bundleID = wanted.bundleId
        registration.owner = context.identity.keyID
        registration.isAutomation = wanted.isAutomationServer ?? false
        let token = Self.token()
        registration.secret = Data(SHA256.hash(data: Data(token.utf8)))
        let settings = try settings(wanted.settings)
        var (device, isNew) = try await store.register(registration)
        if let settings {
            var change = PushDeviceChange()
            change.settings = settings
            device = try await store.change(device.uuid, change)
        }
        wakeSignals.wakeAll()
        var shown = show(device)
        shown.registrationToken = token
        var response = JSONReply.response(
            RegisteredDevice(device: shown, webhookSecret: webhookSecret), status: isNew ? .created : .ok)
        response.headers[.location] = "/api/v1/devices/\(device.uuid)"
        return response
    }

    /// A device with the secret that the gateway made for it, shown once.
    private struct RegisteredDevice: Encodable {
        var device: PushDevice
        var webhookSecret: String?

        private enum CodingKeys: String, CodingKey { case webhookSecret }

        func encode(to encoder: any Encoder) throws {
            try device.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(webhookSecret, forKey: .webhookSecret)
        }
    }

    /// `GET /api/v1/devices/:id`
    func one(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let device = try await listed(context)
        if device.owner != context.identity.keyID { try context.requireScope(.pushSend) }
        return JSONReply.response(show(device))
    }

    /// `PUT /api/v1/devices/:id`: changes the fields that the body has.
    func change(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let known = try await own(context)
        let wanted = try await JSONRequest.decode(PushDeviceRequest.self, from: request, limit: bodyLimit, in: context)
        var change = PushDeviceChange()
        change.name = try FieldCheck.text(wanted.name, "name", maxBytes: Self.maxName)
        change.isAutomation = wanted.isAutomationServer
        change.settings = try settings(wanted.settings)
        change.environment = try environment(wanted)
        change.bundleID = wanted.bundleId
        if let (kind, address) = try channels.address(in: wanted) {
            guard kind == known.kind else {
                throw GatewayError.field(
                    "apnsToken", "the channel of a device does not change; register a new device")
            }
            try Self.check(wanted, kind, context)
            change.address = address.unique.map { (key: $0, target: address.target) }
        }
        if wanted.isAutomationServer == true { try context.requireScope(.pushSend) }
        let device = try await store.change(known.uuid, change)
        wakeSignals.wakeAll()
        return JSONReply.response(show(device))
    }

    /// `DELETE /api/v1/devices/:id`
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await store.delete(try await own(context).uuid)
        return Response(status: .noContent)
    }

    private static func maySend(_ context: GatewayRequestContext) -> Bool {
        context.identity.grant.scopes.allow(.pushSend)
    }

    /// Refuses what a key that only receives may not have: a webhook makes the gateway send requests, and a device that runs
    /// shortcuts gets those of everybody.
    private static func check(
        _ wanted: PushDeviceRequest, _ kind: PushChannelKind, _ context: GatewayRequestContext
    ) throws {
        if kind.form.needsSender || wanted.isAutomationServer == true { try context.requireScope(.pushSend) }
    }

    /// The device of the path. Without `push:admin`, a key changes only its own devices.
    private func own(_ context: GatewayRequestContext) async throws -> StoredPushDevice {
        let device = try await listed(context)
        if device.owner != context.identity.keyID { try context.requireScope(.pushAdmin) }
        return device
    }

    /// The device of the path. The addresses of actions and buttons are in no list, and not here.
    private func listed(_ context: GatewayRequestContext) async throws -> StoredPushDevice {
        let device = try await store.find(context.pathText("id", maxBytes: 64))
        guard !device.isHidden else { throw GatewayError(.notFound, .notFound, "there is no device \(device.uuid)") }
        return device
    }

    private func environment(_ request: PushDeviceRequest) throws(GatewayError) -> String? {
        try FieldCheck.parsed(request.environment, "environment", as: "production or sandbox") {
            APNsEnvironment(rawValue: $0)
        }?.rawValue
    }

    /// The settings as JSON, checked; nil for none.
    private func settings(_ settings: PushDeviceSettings?) throws -> String? {
        guard let settings else { return nil }
        _ = try DeviceRules(settings, zones: rules.zones)
        return String(decoding: try JSONReply.data(settings), as: UTF8.self)
    }

    private func show(_ stored: StoredPushDevice) -> PushDevice {
        var device = PushDevice(
            id: stored.uuid, name: stored.name, channel: stored.channel, address: stored.hint,
            createdAt: PushTime.text(stored.createdAt), registeredAt: PushTime.text(stored.registeredAt))
        device.platform = stored.platform
        device.environment = stored.environment
        device.bundleId = stored.bundleID
        device.owner = stored.owner
        device.isAutomationServer = stored.isAutomation
        device.isOnline = hub.isOnline(stored.uuid)
        device.retired = stored.retired
        device.lastSeenAt = PushTime.text(stored.seenAt)
        if let settings = try? JSONDocument(parsing: Array(stored.settings.utf8)).decode(PushDeviceSettings.self) {
            device.settings = settings
        }
        return device
    }

    /// The secret of a webhook, in the form of Standard Webhooks.
    private static func webhookSecret() -> String {
        let key = SymmetricKey(size: .bits256)
        return unsafe "whsec_" + key.withUnsafeBytes { unsafe Data($0).base64EncodedString() }
    }

    /// 256 random bits.
    private static func token() -> String {
        let key = SymmetricKey(size: .bits256)
        return unsafe "prt_"
            + key.withUnsafeBytes { bytes in
                unsafe bytes.map { byte in
                    let text = String(byte, radix: 16)
                    return text.utf8.count < 2 ? "0" + text : text
                }.joined()
            }
    }
}
