import Synchronization

/// Wakes all that wait. A signal that nobody waits for ends the next wait at once.
final class WakeSignal: Sendable {
    private struct State {
        var isSignaled = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Wakes all that wait.
    func signal() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            state.isSignaled = state.waiters.isEmpty
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for a signal, at most for a time. Ends at once when the task is cancelled, without a suspension: a loop that waits
    /// must end then.
    func wait(atMost time: Duration) async {
        let timer = Task {
            try? await Task.sleep(for: time)
            if !Task.isCancelled { self.signal() }
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.isSignaled || Task.isCancelled {
                        state.isSignaled = false
                        return true
                    }
                    state.waiters.append(continuation)
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            signal()
        }
    }
}
