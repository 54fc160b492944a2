import Synchronization

/// A number that only grows; adding is one atomic instruction.
package final class MetricsCounter: Sendable {
    private let count = Atomic<Int>(0)

    /// Creates a counter at 0.
    package init() {}

    /// The current number.
    package var value: Int { count.load(ordering: .relaxed) }

    /// Adds an amount; amounts below 1 are ignored.
    package func add(_ amount: Int = 1) {
        if amount > 0 { count.wrappingAdd(amount, ordering: .relaxed) }
    }
}

/// A number that goes up and down.
package final class MetricsGauge: Sendable {
    private let level = Atomic<Int>(0)

    /// The current number.
    package var value: Int { level.load(ordering: .relaxed) }

    /// Adds an amount, which may be negative.
    package func add(_ amount: Int) { level.wrappingAdd(amount, ordering: .relaxed) }

    /// Adds unless the sum would exceed a limit.
    ///
    /// - Returns: Whether it was added.
    package func add(_ amount: Int, upTo limit: Int) -> Bool {
        guard level.wrappingAdd(amount, ordering: .relaxed).newValue > limit else { return true }
        level.wrappingSubtract(amount, ordering: .relaxed)
        return false
    }
}
