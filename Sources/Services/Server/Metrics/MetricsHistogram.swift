import Synchronization

/// Durations in fixed buckets. Recording one takes two atomic additions.
package final class MetricsHistogram: Sendable {
    /// Upper bounds in seconds, from a lookup to a long generation.
    package static let bounds: [Double] = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
    ]

    /// The records up to one moment.
    package struct Snapshot {
        /// Records in each bucket, not cumulative, one more than the bounds.
        package var counts: [Int]
        /// The sum of all durations in seconds.
        package var sum: Double
    }

    private static let bounds_ns = bounds.map { Int($0 * 1e9) }
    private let buckets = (0...bounds.count).map { _ in MetricsCounter() }
    private let sum = Atomic<Int>(0)

    /// Creates a histogram without records.
    package init() {}

    /// Records a duration; negative ones count as 0.
    package func record(_ duration: Duration) {
        let nanoseconds = max(0, duration.wholeNanoseconds)
        var index = 0
        while index < Self.bounds_ns.count, nanoseconds > Self.bounds_ns[index] { index += 1 }
        buckets[index].add()
        sum.wrappingAdd(nanoseconds, ordering: .relaxed)
    }

    /// The records so far.
    package var snapshot: Snapshot {
        Snapshot(counts: buckets.map(\.value), sum: Double(sum.load(ordering: .relaxed)) / 1e9)
    }
}

extension Duration {
    /// The duration in nanoseconds, rounded down.
    var wholeNanoseconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    }

    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
