import ChatRoom
import Storage
import Synchronization

/// Takes requests for summaries of old messages, and says when ``CompressionScheduler`` looks for them.
package final class CompressionRequests: Sendable {
    let store: SummaryRoom
    /// Whether runs that leave messages out request a summary.
    let isAutomatic: Bool
    private let nextLook = Mutex(ContinuousClock.now)

    init(_ store: SummaryRoom, isAutomatic: Bool) {
        self.store = store
        self.isAutomatic = isAutomatic
    }

    /// Requests a summary; see ``SummaryRoom/request(_:through:model:key:promptly:)``.
    func request(
        _ session: String, through message: Int64, model: String, key: Int64?, promptly: Bool
    ) async throws -> Bool {
        let isKnown = try await store.request(session, through: message, model: model, key: key, promptly: promptly)
        wake()
        return isKnown
    }

    /// Lets the scheduler look at once.
    func wake() { sleep(for: .zero) }

    /// Lets the scheduler look after a time, or when it is woken.
    func sleep(for time: Duration) { nextLook.withLock { $0 = .now + time } }

    /// Whether the scheduler should look.
    var isDue: Bool { nextLook.withLock { $0 <= .now } }
}
