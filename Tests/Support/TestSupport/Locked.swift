import Synchronization

/// A value that several threads or tasks change.
package final class Locked<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    package init(_ value: Value) { state = Mutex(value) }

    /// The value as it is now.
    package var value: Value { state.withLock { $0 } }

    package func change(_ body: (inout Value) -> Void) {
        state.withLock { value in body(&value) }
    }
}
