import Delivery
import GatewayAPI
import Push
import PushRoom

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes one message of those that waited for a digest.
struct DigestComposer: Sendable {
    /// Lines of a digest; the rest is counted.
    static let lines = 8
    /// Bytes of one line.
    private static let line = 120

    let outbox: PushOutbox
    let wakeSignals: PushWakeSignals

    /// Stores all digests that are due.
    func storeDue() async throws {
        while true {
            let due = try await outbox.dueDigests(limit: 50)
            guard !due.isEmpty else { return }
            for digest in due {
                let message = Self.message(of: digest)
                var draft = PushDraft(
                    topic: "digest", priority: message.priority.rawValue, body: Data(message.json.json),
                    source: "digest", devices: [digest.device.id])
                draft.collapseKey = nil
                try await outbox.store(digest, as: draft)
                wakeSignals.wake([digest.device])
            }
        }
    }

    /// The message: a line for each of the most urgent ones, and how many more there are.
    static func message(of digest: DueDigest) -> PushMessage {
        var titles: [String: String] = [:]
        let items = digest.parts.map { part in
            let value = (try? JSONDocument(parsing: Array(part.message.body)))?.value
            let message = value.flatMap { try? PushMessage($0) }
            titles[part.delivery.uuid] = [message?.title, message?.body].compactMap { $0 }.first { !$0.isEmpty } ?? ""
            return DeliveryMessage(
                id: part.delivery.uuid, topic: part.message.topic,
                priority: DeliveryPriority(rawValue: part.message.priority) ?? .normal)
        }
        var message = PushMessage()
        message.title = items.count == 1 ? "1 notification" : "\(items.count) notifications"
        if let content = DigestContent(items, showing: lines) {
            var texts = content.shown.map { short(titles[$0.id] ?? "") }
            if !content.counted.isEmpty { texts.append("and \(content.counted.count) more") }
            message.body = texts.joined(separator: "\n")
        }
        message.sound = PushSound()
        message.priority = .normal
        message.data = ["digest": .integer(Int64(items.count))]
        return message
    }

    /// One line, cut at a character.
    private static func short(_ text: String) -> String {
        let one = text.map { $0.isNewline ? " " : String($0) }.joined()
        guard one.utf8.count > line else { return one }
        var bytes = 0
        return one.prefix { character in
            bytes += String(character).utf8.count
            return bytes <= line - 3
        } + "…"
    }
}
