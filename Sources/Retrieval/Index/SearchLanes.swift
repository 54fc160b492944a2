import Dispatch
import Synchronization

/// Runs jobs on a few threads of its own and lets a bounded number of others wait, first come, first served.
///
/// A scan keeps a core busy, so more at once than there are cores would only share the memory's bandwidth; OpenBLAS also
/// ends the process when too many threads call it together.
final class SearchLanes: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let width: Int
    private let maxWaiting: Int
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "selene.retrieval", attributes: .concurrent)

    init(width: Int, maxWaiting: Int) {
        self.width = max(1, width)
        self.maxWaiting = maxWaiting
    }

    /// Runs a job soon; false when too many wait already, and then it never runs.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        let (isAccepted, startsNow) = state.withLock { state in
            if state.running < width {
                state.running += 1
                return (true, true)
            }
            guard state.waiting.count < maxWaiting else { return (false, false) }
            state.waiting.append(job)
            return (true, false)
        }
        if startsNow { queue.async { self.run(job) } }
        return isAccepted
    }

    private func run(_ first: @Sendable () -> Void) {
        first()
        while let next = next() { next() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.running -= 1
            return nil
        }
    }
}
