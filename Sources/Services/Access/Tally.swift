import Synchronization

/// A count that only grows. Adding is one atomic instruction.
package final class Tally: Sendable {
    private let count = Atomic<Int>(0)

    /// The current count.
    package var value: Int { count.load(ordering: .relaxed) }

    /// Adds one.
    package func add() { count.wrappingAdd(1, ordering: .relaxed) }
}
