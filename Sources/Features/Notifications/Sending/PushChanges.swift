import Database
import Delivery
import GatewayAPI
import Logging
import Push
import PushRoom

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Changes notifications that were taken, and notes what devices report of them.
struct PushChanges: Sendable {
    let room: PushRoom
    let sending: PushSending
    let buttons: ButtonRunner
    let wakeSignals: PushWakeSignals
    let hub: StreamHub
    let logger: Logger

    /// Replaces the content of a notification. Devices that have it get the new one in its place.
    ///
    /// The collapse id of the notification stays, since it is what the new content replaces the old one by.
    ///
    /// - Throws: ``PushRefusal``, ``StorageError``.
    func update(_ id: String, to message: PushMessage) async throws -> PushSubmission {
        let known = try await room.outbox.find(id)
        var message = message
        message.collapseID = known.message.collapseKey
        var order = PushOrder(message)
        order.topic = known.message.topic
        let rows = Set(known.deliveries.map(\.delivery.deviceID))
        let devices = try await room.devices.rows(rows)
        // What an action or a button was told stays as it was told.
        guard !devices.contains(where: \.isHidden) else { throw PushRefusal.isOrder }
        let draft = try sending.draft(await sending.keepingPicture(order), to: devices)
        let changed = try await room.outbox.update(
            id, body: draft.body, priority: draft.priority, expires: draft.expires)
        wakeSignals.wake(devices)
        return changed
    }

    /// Takes a notification back. Apps and streams that have it get a message to remove it; a browser and a webhook keep it.
    ///
    /// - Throws: ``StorageError``.
    func recall(_ id: String) async throws -> PushSubmission {
        let (submission, reached) = try await room.outbox.recall(id)
        for delivery in reached {
            guard let device = try await room.devices.rows([delivery.deviceID]).first, device.retired == nil,
                device.channel == "apns" || device.channel == "stream"
            else { continue }
            var message = PushMessage()
            message.data = ["recall": .string(delivery.uuid), "notification": .string(submission.message.uuid)]
            var draft = PushDraft(
                topic: submission.message.topic, priority: message.priority.rawValue, body: Data(message.json.json),
                source: "recall", devices: [device.id])
            draft.origin = "recall/\(delivery.uuid)"
            _ = try await room.outbox.submit(draft)
            wakeSignals.wake([device])
        }
        hub.signal()
        return submission
    }

    /// Notes what a device reports, wakes the readers of the log, and does what a pressed button asks of the gateway.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    func note(_ receipt: PushReceipt, of delivery: String) async throws -> StoredPushDelivery {
        let noted = try await room.outbox.note(receipt, of: delivery)
        hub.signal()
        if case .action(let button) = receipt {
            do {
                try await buttons.press(button, of: delivery)
            } catch let error as PushRefusal {
                // The press is noted; that the gateway cannot do its part is no reason to refuse it.
                logger.warning("a button cannot be run", metadata: ["button": "\(button)", "error": "\(error)"])
            }
        }
        return noted
    }

    /// Tries a given-up delivery again.
    ///
    /// - Throws: ``StorageError``.
    func retry(_ delivery: String) async throws -> StoredPushDelivery {
        let retried = try await room.outbox.retry(delivery)
        wakeSignals.wakeAll()
        return retried
    }
}
