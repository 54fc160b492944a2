internal import Synchronization

/// One run of a reading process, which the thread that waits and the task that may be cancelled share.
final class ReadingRun: Sendable {
    private struct State {
        var child: ChildProcess?
        var isCancelled = false
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Notes the process; it is killed when the task was cancelled before.
    func started(_ child: ChildProcess) {
        let isCancelled = state.withLock { state in
            state.child = child
            return state.isCancelled
        }
        if isCancelled { child.kill() }
    }

    func cancel() {
        let child = state.withLock { state in
            state.isCancelled = true
            return state.child
        }
        child?.kill()
    }
}
