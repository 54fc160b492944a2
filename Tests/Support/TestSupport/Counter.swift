import Synchronization

/// A number that several threads or tasks add to.
package final class Counter: Sendable {
    private let count = Mutex(0)

    package init() {}

    package var value: Int { count.withLock { $0 } }
    package func add(_ number: Int) { count.withLock { $0 += number } }
}
