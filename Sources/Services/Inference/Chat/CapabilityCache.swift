import Synchronization

/// What models can do, as their provider said a short time ago.
///
/// A model can change behind its name at any time, so an entry expires soon. Thread-safe.
final class CapabilityCache: Sendable {
    private struct Entry {
        var capabilities: ChatCapabilities
        var until: ContinuousClock.Instant
    }
    private static let capacity = 256

    private let freshness: Duration
    private let entries = Mutex<[String: Entry]>([:])

    init(freshness: Duration = .seconds(30)) { self.freshness = freshness }

    /// Returns a model's cached capabilities; nil when they are unknown or expired.
    func capabilities(of model: String) -> ChatCapabilities? {
        let now = ContinuousClock.now
        return entries.withLock { $0[model] }.flatMap { now < $0.until ? $0.capabilities : nil }
    }

    func keep(_ capabilities: ChatCapabilities, of model: String) {
        let now = ContinuousClock.now
        entries.withLock { [freshness] entries in
            if entries.count >= Self.capacity { entries = entries.filter { now < $0.value.until } }
            if entries.count < Self.capacity {
                entries[model] = Entry(capabilities: capabilities, until: now + freshness)
            }
        }
    }
}
