import Delivery
package import GatewayAPI
import Logging
package import Push
package import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PushService {
    /// Replaces the content of a notification. Devices that have it get the new one in its place.
    ///
    /// The collapse id of the notification stays, since it is what the new content replaces the old one by.
    ///
    /// - Throws: ``PushRefusal``, ``StorageError``.
    package func update(_ id: String, to message: PushMessage) async throws -> PushSubmission {
        let known = try await database.outbox.find(id)
        var message = message
        message.collapseID = known.message.collapseKey
        var order = Order(message)
        order.topic = known.message.topic
        let rows = Set(known.deliveries.map(\.delivery.deviceID))
        let devices = try await database.pushDevices.rows(rows)
        // What an action or a button was told stays as it was told.
        guard !devices.contains(where: \.isHidden) else { throw PushRefusal.isOrder }
        let draft = try draft(await keepingPicture(order), to: devices)
        let changed = try await database.outbox.update(
            id, body: draft.body, priority: draft.priority, expires: draft.expires)
        wake(devices)
        return changed
    }

    /// Takes a notification back. Apps and streams that have it get a message to remove it; a browser and a webhook keep it.
    ///
    /// - Throws: ``StorageError``.
    package func recall(_ id: String) async throws -> PushSubmission {
        let (submission, reached) = try await database.outbox.recall(id)
        for delivery in reached {
            guard let device = try await database.pushDevices.rows([delivery.deviceID]).first, device.retired == nil,
                device.channel == "apns" || device.channel == "stream"
            else { continue }
            var message = PushMessage()
            message.data = ["recall": .string(delivery.uuid), "notification": .string(submission.message.uuid)]
            var draft = PushDraft(
                topic: submission.message.topic, priority: message.priority.rawValue, body: Data(message.json.json),
                source: "recall", devices: [device.id])
            draft.origin = "recall/\(delivery.uuid)"
            _ = try await database.outbox.submit(draft)
            wake([device])
        }
        hub.signal()
        return submission
    }

    /// Notes what a device reports, wakes the readers of the log, and does what a pressed button asks of the gateway.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func note(_ receipt: PushReceipt, of delivery: String) async throws -> StoredPushDelivery {
        let noted = try await database.outbox.note(receipt, of: delivery)
        hub.signal()
        if case .action(let button) = receipt {
            do {
                try await ButtonRunner(self).press(button, of: delivery)
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
    package func retry(_ delivery: String) async throws -> StoredPushDelivery {
        let retried = try await database.outbox.retry(delivery)
        wakeAll()
        return retried
    }

    /// The message of a template with values.
    ///
    /// - Throws: ``PushRefusal/field(_:_:)`` for a template that does not exist, and for its values.
    package func render(_ template: String, _ inputs: [String: JSONValue]) async throws -> PushMessage {
        guard let stored = try await database.pushLibrary.find(.template, template) else {
            throw PushRefusal.field("template", "there is no template \"\(template.prefix(64))\"")
        }
        let read = try Self.template(stored.document)
        return try refusing { () throws(PushFieldError) in try read.render(inputs) }
    }

    /// Reads a stored template.
    package static func template(_ document: String) throws(PushRefusal) -> NotificationTemplate {
        guard let value = (try? JSONDocument(parsing: Array(document.utf8)))?.value else {
            throw .field("template", "the stored template cannot be read")
        }
        return try refusing { () throws(PushFieldError) in try NotificationTemplate(value) }
    }

    /// Logs what ended, and why.
    func logEnd(_ what: String, _ error: any Error) { logger.debug("\(what) ended", metadata: ["error": "\(error)"]) }
}
