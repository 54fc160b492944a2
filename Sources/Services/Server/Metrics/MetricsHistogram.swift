import Synchronization

/// Durations in fixed buckets; recording one is two atomic additions.
package final class MetricsHistogram: Sendable {
    /// The upper bounds in seconds that fit everything from a lookup to a long generation.
    package static let bounds: [Double] = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
    ]

    /// What was recorded up to one moment.
    package struct Snapshot {
        /// Records in each bucket by itself, one more than the bounds.
        package var counts: [Int]
        /// All durations together, in seconds.
        package var sum: Double
    }

    private static let bounds_ns = bounds.map { Int($0 * 1e9) }
    private let buckets = (0...bounds.count).map { _ in MetricsCounter() }
    private let sum = Atomic<Int>(0)

    /// Records a duration; one below 0 counts as 0.
    package func record(_ duration: Duration) {
        let nanoseconds = max(0, duration.wholeNanoseconds)
        var index = 0
        while index < Self.bounds_ns.count, nanoseconds > Self.bounds_ns[index] { index += 1 }
        buckets[index].add()
        sum.wrappingAdd(nanoseconds, ordering: .relaxed)
    }

    /// What was recorded so far.
    package var snapshot: Snapshot {
        Snapshot(counts: buckets.map(\.value), sum: Double(sum.load(ordering: .relaxed)) / 1e9)
    }
}

extension Duration {
    /// Nanoseconds, without what is smaller.
    var wholeNanoseconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    }

    /// Seconds as a number.
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
