import Database
import Delivery
import GatewayAPI
import Push
import PushChannels
import PushRoom
import Schedules

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs actions of the server: a shortcut on the automation device, or a webhook. Both go through the outbox, so they wait,
/// retry, expire and are explained as notifications are.
struct ActionRunner: Sendable {
    /// Bytes of an input.
    static let maxInput = 2048
    /// The longest delay in seconds.
    static let maxDelay = 366.0 * 86_400
    /// Seconds after which a shortcut is not run any more.
    static let lifetime: Int64 = 600

    let room: PushRoom
    let sending: PushSending

    /// Checks an action and makes it JSON.
    ///
    /// - Throws: ``PushRefusal/field(_:_:)``.
    func document(of request: PushActionRequest) throws(PushRefusal) -> String {
        guard (request.shortcutName == nil) != (request.webhookUrl == nil) else {
            throw .field("shortcutName", "expected exactly one of shortcutName and webhookUrl")
        }
        if let input = request.input, input.utf8.count > Self.maxInput {
            throw .field("input", "expected at most \(Self.maxInput) bytes, got \(input.utf8.count)")
        }
        if let url = request.webhookUrl {
            _ = try refusing { () throws(PushFieldError) in
                try PushURL(target: url, field: "webhookUrl", allowsPrivate: sending.allowsPrivateURLs)
            }
        }
        if let secret = request.webhookSecret {
            guard request.webhookUrl != nil else { throw .field("webhookSecret", "belongs to webhookUrl") }
            _ = try refusing { () throws(PushFieldError) in try WebhookSecret(secret, field: "webhookSecret") }
        }
        guard let data = try? JSONEncoder().encode(request) else { throw .field("name", "cannot be stored") }
        return String(decoding: data, as: UTF8.self)
    }

    /// Runs an action by name, or a shortcut. What runs is a notification; recalling it cancels a delayed one.
    ///
    /// - Throws: ``PushRefusal``, ``StorageError``.
    ///
    /// - Parameter origin: What caused it, by which a repeated run is known; nil for a request.
    func run(
        _ request: PushExecuteRequest, sender: Int64?, origin: String? = nil
    ) async throws -> PushSubmission {
        let delay = request.delay ?? 0
        guard delay.isFinite, (0...Self.maxDelay).contains(delay) else {
            throw PushRefusal.field("delay", "expected 0 to 31622400 seconds")
        }
        if let input = request.input, input.utf8.count > Self.maxInput {
            throw PushRefusal.field("input", "expected at most \(Self.maxInput) bytes, got \(input.utf8.count)")
        }
        let start = delay > 0 ? PushTime.now.adding(milliseconds: Int64(delay * 1000)) : nil
        switch (request.action, request.shortcut) {
        case (let name?, nil):
            guard let stored = try await room.library.find(.action, name) else {
                throw PushRefusal.field("action", "there is no action \"\(name.prefix(64))\"")
            }
            guard
                let action = try? JSONDocument(parsing: Array(stored.document.utf8)).decode(PushActionRequest.self)
            else { throw PushRefusal.field("action", "the stored action cannot be read") }
            let input = request.input ?? action.input
            if let url = action.webhookUrl {
                return try await call(
                    url, secret: action.webhookSecret, action: stored, input: input, start: start, sender: sender,
                    origin: origin)
            }
            return try await runShortcut(
                action.shortcutName ?? "", input: input, on: request.device, start: start, sender: sender,
                origin: origin)
        case (nil, let shortcut?):
            return try await runShortcut(
                shortcut, input: request.input, on: request.device, start: start, sender: sender, origin: origin)
        default: throw PushRefusal.field("action", "expected exactly one of action and shortcut")
        }
    }

    private func runShortcut(
        _ name: String, input: String?, on device: String?, start: Instant?, sender: Int64?, origin: String?
    ) async throws -> PushSubmission {
        guard (1...PushMessage.Limits.name).contains(name.utf8.count) else {
            throw PushRefusal.field("shortcut", "expected 1 to \(PushMessage.Limits.name) bytes")
        }
        var devices: [String]
        if let device {
            devices = [device]
        } else {
            guard let automation = try await room.devices.automation() else {
                throw PushRefusal.field(
                    "device", "no device runs shortcuts; set isAutomationServer of one, or name a device")
            }
            devices = [automation.uuid]
        }
        var call: [String: JSONValue] = ["shortcutName": .string(name)]
        call["input"] = input.map(JSONValue.string)
        var message = PushMessage()
        message.data = ["execute_shortcut": .object(call)]
        // An emergency would repeat until someone acknowledges it; a shortcut runs once.
        message.priority = .high
        message.expires = (start ?? PushTime.now).adding(seconds: Self.lifetime)
        var order = PushOrder(message)
        order.topic = "actions"
        order.devices = devices
        order.notBefore = start
        order.source = "action"
        order.sender = sender
        order.origin = origin
        return try await sending.submit(order)
    }

    private func call(
        _ url: String, secret: String?, action: PushDocument, input: String?, start: Instant?, sender: Int64?,
        origin: String?
    ) async throws -> PushSubmission {
        var registration = PushRegistration(
            name: action.name, channel: "webhook", address: "action \(action.uuid)",
            target: WebhookForm.target(url, secret: secret))
        registration.isHidden = true
        let device = try await room.devices.register(registration).device
        var message = PushMessage()
        message.data = ["action": .string(action.name)]
        if let input { message.data["input"] = .string(input) }
        message.priority = .high
        var order = PushOrder(message)
        order.topic = "actions"
        order.notBefore = start
        order.source = "action"
        order.sender = sender
        order.origin = origin
        return try await sending.submit(order, to: device)
    }
}
