import Synchronization

/// Tells one waiter that the answer of a call is there, so that the next call begins while this one's is parsed.
final class Arrival: Sendable {
    private enum State {
        case closed
        case waiting(CheckedContinuation<Bool, Never>)
        case open(isEarly: Bool)
    }

    private let state = Mutex(State.closed)

    /// Ends the wait; later calls change nothing.
    ///
    /// - Parameter isEarly: Whether the answer is yet to be parsed.
    func open(isEarly: Bool) {
        let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            switch state {
            case .open: return nil
            case .closed:
                state = .open(isEarly: isEarly)
                return nil
            case .waiting(let waiter):
                state = .open(isEarly: isEarly)
                return waiter
            }
        }
        waiter?.resume(returning: isEarly)
    }

    /// Waits until the arrival is open; only one task may wait.
    ///
    /// - Returns: Whether the answer is yet to be parsed.
    func wait() async -> Bool {
        await withCheckedContinuation { waiter in
            let known = state.withLock { state -> Bool? in
                if case .open(let isEarly) = state { return isEarly }
                state = .waiting(waiter)
                return nil
            }
            if let known { waiter.resume(returning: known) }
        }
    }
}
