import Synchronization

/// Values that several threads or tasks add, in the order of their coming.
package final class Collected<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    package init() {}

    package var all: [Value] { values.withLock { $0 } }
    package func add(_ value: Value) { values.withLock { $0.append(value) } }
}
