import Synchronization

/// Requests that wait to be written to the log: a bounded queue in memory. Appending never waits; entries beyond the
/// limit are dropped and counted.
package final class RequestJournal: Sendable {
    /// The maximum number of waiting entries. A writer that comes every second writes as many a second.
    package static let capacity = 10_000

    private struct State {
        var waiting: [RequestLogEntry] = []
        var dropped = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    package init(capacity: Int = RequestJournal.capacity) { self.capacity = max(1, capacity) }

    /// The number of entries that were dropped since the start.
    package var dropped: Int { state.withLock { $0.dropped } }

    /// Appends an entry, or drops it when the queue is full.
    package func append(_ entry: RequestLogEntry) {
        state.withLock { state in
            if state.waiting.count < capacity { state.waiting.append(entry) } else { state.dropped += 1 }
        }
    }

    /// Removes and returns the waiting entries, oldest first.
    package func takeAll() -> [RequestLogEntry] {
        state.withLock { state in
            guard !state.waiting.isEmpty else { return [] }
            var taken: [RequestLogEntry] = []
            // The next batch is probably as large.
            taken.reserveCapacity(min(state.waiting.count, 1024))
            swap(&taken, &state.waiting)
            return taken
        }
    }

    /// Counts entries that were taken and could not be written.
    package func lost(_ count: Int) { state.withLock { $0.dropped += count } }
}
