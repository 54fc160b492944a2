import Synchronization

/// The first of several values; later ones are dropped. One task waits for it.
package final class Race<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case ended(Value)
    }
    private let state = Mutex(State.open)

    package init() {}

    /// Offers a value.
    package func end(_ value: Value) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .open:
                state = .ended(value)
                return nil
            case .awaited(let continuation):
                state = .ended(value)
                return continuation
            case .ended: return nil
            }
        }
        waiting?.resume(returning: value)
    }

    /// The first value.
    package var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> Value? in
                    if case .ended(let value) = state { return value }
                    state = .awaited(continuation)
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        }
    }
}
