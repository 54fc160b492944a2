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

/// Takes notifications: checks them against their devices, stores them and wakes the worker.
struct PushSending: Sendable {
    let room: PushRoom
    let channels: LiveChannels
    let pictures: PictureFetcher
    let wakeSignals: PushWakeSignals
    let load: OutboxLoad
    /// Whether webhooks and requests of buttons may be of private networks.
    let allowsPrivateURLs: Bool

    /// An order whose message has no picture in it: it is kept, and the message has its name.
    func keepingPicture(_ order: PushOrder) async -> PushOrder {
        guard let bytes = order.message.imageData, (try? order.message.check()) != nil else { return order }
        var order = order
        order.message.imageData = nil
        order.message.image = await pictures.keep(bytes, from: order.notBefore?.seconds).image
        return order
    }

    /// Stores a notification; it is durable when this returns.
    ///
    /// - Throws: ``PushRefusal``, ``StorageError``.
    func submit(_ order: PushOrder) async throws -> PushSubmission {
        try await load.check(order)
        let devices = try await self.devices(order.devices)
        let draft = try draft(await keepingPicture(order), to: devices)
        let submission = try await room.outbox.submit(draft, name: order.request)
        if !submission.isKnown { wakeSignals.wake(devices) }
        return submission
    }

    /// Stores a notification for devices that no order names: those of actions and buttons.
    ///
    /// - Throws: ``PushRefusal``, ``StorageError``.
    func submit(_ order: PushOrder, to device: StoredPushDevice) async throws -> PushSubmission {
        try await load.check(order)
        let submission = try await room.outbox.submit(try draft(order, to: [device]))
        wakeSignals.wake([device])
        return submission
    }

    /// The devices of an order.
    ///
    /// - Throws: ``PushRefusal/noDevice`` when there is none.
    func devices(_ names: [String]?) async throws -> [StoredPushDevice] {
        var devices = try await room.devices.live(names)
        if names == nil { devices.removeAll(where: \.isSpecial) }
        guard !devices.isEmpty else { throw PushRefusal.noDevice }
        return devices
    }

    /// Checks a message and makes it a draft.
    ///
    /// - Throws: ``PushRefusal`` with the field of the message.
    func draft(_ order: PushOrder, to devices: [StoredPushDevice]) throws(PushRefusal) -> PushDraft {
        let message = order.message
        try refusing("message.") { () throws(PushFieldError) in
            try message.check()
            try message.checkTargets(allowsPrivate: allowsPrivateURLs)
        }
        guard PushOrder.isTopic(order.topic) else {
            throw .field("topic", "expected 1 to 64 letters, digits, \"-\" and \"_\"")
        }
        let now = room.now
        if let expires = message.expires, let start = order.notBefore, expires <= start {
            throw .field("message.expires", "is not after the time at which the message is sent")
        }
        // Devices get the address that the picture has at the gateway.
        var sample = message
        if message.image != nil || message.imageData != nil {
            (sample.image, sample.imageData) = (pictures.sample, nil)
        }
        // Payloads differ by the kind of device only; what is wrong with one address fails its delivery.
        var checked: Set<String> = []
        for device in devices where !checked.contains(Self.kind(of: device)) {
            if try check(sample, topic: order.topic, for: device, now: now) { checked.insert(Self.kind(of: device)) }
        }
        var draft = PushDraft(
            topic: order.topic, priority: message.priority.rawValue, body: Data(message.json.json),
            source: order.source, devices: devices.map(\.id))
        draft.collapseKey = message.collapseID
        draft.notBefore = order.notBefore?.milliseconds
        draft.expires = message.expires?.milliseconds
        draft.origin = order.origin
        draft.sender = order.sender
        return draft
    }

    /// Devices of the same kind get payloads of the same size.
    private static func kind(of device: StoredPushDevice) -> String {
        if device.isSpecial { return device.uuid }
        return device.isHidden ? device.channel + " hidden" : device.channel
    }

    /// Checks a message against the limits of a device's channel; false if the device's address cannot be read.
    private func check(
        _ message: PushMessage, topic: String, for device: StoredPushDevice, now: Instant
    ) throws(PushRefusal) -> Bool {
        guard let kind = device.kind, let channel = channels.all[kind] else { return true }
        let target: PushTarget
        do { target = try channels.target(of: device) } catch { return false }
        let attempt = PushAttempt(
            id: "00000000-0000-4000-8000-000000000000", message: message, topic: topic, target: target, created: now,
            now: now)
        try refusing("message.") { () throws(PushFieldError) in try channel.check(attempt) }
        return true
    }
}
