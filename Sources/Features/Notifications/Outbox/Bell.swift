import Synchronization

/// Wakes one waiter. A ring before the wait ends the next wait at once.
final class Bell: Sendable {
    private struct State {
        var isRung = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Wakes the waiter.
    func ring() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            state.isRung = state.waiter == nil
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for a ring, at most for a time. Ends at once when the task is cancelled.
    func wait(atMost time: Duration) async {
        let timer = Task {
            try? await Task.sleep(for: time)
            if !Task.isCancelled { self.ring() }
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.isRung || Task.isCancelled {
                        state.isRung = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            ring()
        }
    }
}
