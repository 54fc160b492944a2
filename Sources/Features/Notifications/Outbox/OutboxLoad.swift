import Delivery
import Push
import PushChannels
import PushRoom
import Synchronization

/// Knows how many deliveries wait, so that no sender fills the outbox.
final class OutboxLoad: Sendable {
    /// Senders whose waiting deliveries are cached, at most.
    private static let maxSenders = 100

    private let outbox: PushOutbox
    /// Deliveries that may wait.
    private let limit: Int
    private let counts = Mutex<[Int64?: (waiting: Int, at: ContinuousClock.Instant)]>([:])

    init(_ outbox: PushOutbox, limit: Int) {
        self.outbox = outbox
        self.limit = limit
    }

    /// Refuses new messages while too many deliveries wait: a key and those that it made may have a tenth of them, and the last
    /// tenth is kept for messages of high priority and to named devices. The count is at most a second old.
    func check(_ order: PushOrder) async throws {
        let share = max(1, limit / 10)
        let isUrgent = order.message.priority >= .high || order.devices != nil
        let waiting = try await openCount(of: nil, upTo: limit)
        guard waiting < (isUrgent ? limit : limit - limit / 10) else { throw PushRefusal.full(limit: limit) }
        // Nobody has more than all have.
        guard let sender = order.sender, waiting >= share else { return }
        guard try await openCount(of: sender, upTo: share) < share else { throw PushRefusal.shareFull(limit: share) }
    }

    /// Deliveries that wait, of a sender or of all; at most a second old.
    private func openCount(of sender: Int64?, upTo limit: Int) async throws -> Int {
        let now = ContinuousClock.now
        if let known = counts.withLock({ $0[sender] }), now - known.at < .seconds(1) { return known.waiting }
        let waiting =
            if let sender { try await outbox.openCount(of: sender, upTo: limit) } else {
                try await outbox.openCount(upTo: limit)
            }
        counts.withLock { counts in
            if counts.count >= Self.maxSenders { counts.removeAll() }
            counts[sender] = (waiting, now)
        }
        return waiting
    }
}
