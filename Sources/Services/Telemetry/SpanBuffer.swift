import Synchronization

/// Finished spans that wait to be sent: bounded, and never waited for. Spans beyond the capacity are dropped and counted.
package final class SpanBuffer: Sendable {
    /// The most spans that wait.
    package static let capacity = 2048

    /// What became of the spans since the start.
    package struct Counts: Sendable, Equatable {
        package var sent = 0
        /// Dropped because too many waited, or because the collector did not take them.
        package var dropped = 0
    }

    private struct State {
        var waiting: [TraceSpan] = []
        var counts = Counts()
    }

    private let capacity: Int
    private let state = Mutex(State())

    package init(capacity: Int = SpanBuffer.capacity) { self.capacity = max(1, capacity) }

    /// The number of spans that wait.
    package var count: Int { state.withLock { $0.waiting.count } }

    package var counts: Counts { state.withLock { $0.counts } }

    /// Appends spans; those without room are dropped.
    package func append(_ spans: [TraceSpan]) {
        state.withLock { state in
            let room = max(0, capacity - state.waiting.count)
            state.waiting += spans.prefix(room)
            state.counts.dropped += max(0, spans.count - room)
        }
    }

    /// Removes and returns the oldest spans.
    func take(upTo limit: Int) -> [TraceSpan] {
        state.withLock { state in
            let taken = Array(state.waiting.prefix(limit))
            state.waiting.removeFirst(taken.count)
            return taken
        }
    }

    /// Puts spans that could not be sent in front of the others, as far as there is room.
    func putBack(_ spans: [TraceSpan]) {
        state.withLock { state in
            let room = max(0, capacity - state.waiting.count)
            state.waiting.insert(contentsOf: spans.prefix(room), at: 0)
            state.counts.dropped += max(0, spans.count - room)
        }
    }

    /// Counts spans that were taken.
    func count(sent: Int = 0, dropped: Int = 0) {
        state.withLock { state in
            state.counts.sent += sent
            state.counts.dropped += dropped
        }
    }
}
