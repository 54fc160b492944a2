import Synchronization

/// Tells a stream of events that its client left, or may not read any more.
package final class ClientDisconnect: Sendable {
    private struct State {
        var isSet = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Creates the disconnect of a client that is present.
    package init() {}

    /// Whether the client left.
    package var isSet: Bool { state.withLock { $0.isSet } }

    /// Records that the client left, and runs the action once.
    package func set() {
        let action = state.withLock { state in
            state.isSet = true
            defer { state.action = nil }
            return state.action
        }
        action?()
    }

    /// Runs an action when the client leaves, at once when it left already. It takes the place of an earlier action.
    package func onSet(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.isSet { state.action = action }
            return state.isSet
        }
        if isLate { action() }
    }
}
