import PushChannels
import PushRoom
import Synchronization

/// Counts what became of attempts since the server started, by channel.
final class OutboxTally: Sendable {
    /// The results that are counted, in the order of metrics. All others are left out, so labels stay few.
    static let results = ["sent", "retry", "failed", "held", "merged", "dropped", "recalled"]

    private let counts = Mutex<[PushChannelKind: [String: Int]]>([:])

    init() {}

    /// Counts a recorded attempt or decision.
    func count(_ record: PushRecord, _ kind: PushChannelKind) {
        guard let result = record.event?.kind, Self.results.contains(result) else { return }
        counts.withLock { $0[kind, default: [:]][result, default: 0] &+= 1 }
    }

    func count(of kind: PushChannelKind, _ result: String) -> Int {
        counts.withLock { $0[kind]?[result] ?? 0 }
    }
}
