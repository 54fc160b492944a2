import Synchronization

/// A place in a queue: awaited once and granted once; given up when the waiting task is cancelled.
final class Ticket: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Bool, Never>)
        case granted
        case cancelled
    }
    private let state = Mutex(State.idle)

    /// Waits for the grant.
    ///
    /// - Returns: False when the task was cancelled before.
    func wait() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    switch state {
                    case .granted: return true
                    case .cancelled: return false
                    case .idle, .waiting:
                        state = .waiting(continuation)
                        return nil
                    }
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            finish(.cancelled)?.resume(returning: false)
        }
    }

    /// Grants the place; false when it was given up. Granting again does nothing.
    func grant() -> Bool {
        finish(.granted)?.resume(returning: true)
        return state.withLock { if case .granted = $0 { true } else { false } }
    }

    private func finish(_ new: State) -> CheckedContinuation<Bool, Never>? {
        state.withLock { state in
            switch state {
            case .idle:
                state = new
                return nil
            case .waiting(let continuation):
                state = new
                return continuation
            case .granted, .cancelled: return nil
            }
        }
    }
}
