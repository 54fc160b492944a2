import GatewayAPI
import Push
import PushRoom
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The messages of deliveries that are being sent.
final class MessageCache: Sendable {
    /// Messages in the cache at most.
    private static let maxMessages = 8

    private let messages = Mutex<[(id: Int64, body: Data, message: PushMessage)]>([])

    /// The message of a delivery, read once for all devices; nil when it cannot be read.
    func message(of stored: StoredPushMessage) -> PushMessage? {
        let known = messages.withLock { $0.first { $0.id == stored.id && $0.body == stored.body }?.message }
        if let known { return known }
        guard let value = (try? JSONDocument(parsing: Array(stored.body)))?.value,
            let message = try? PushMessage(value)
        else { return nil }
        messages.withLock { messages in
            if messages.count >= Self.maxMessages { messages.removeFirst() }
            messages.append((stored.id, stored.body, message))
        }
        return message
    }
}
