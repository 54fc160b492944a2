/// Search latency, in milliseconds.
///
/// Percentiles are nearest-rank: the smallest measured value that at least that share of the values does not exceed.
package struct LatencySummary: Codable, Sendable, Hashable {
    /// The median.
    package var p50: Double
    /// The 90th percentile.
    package var p90: Double
    /// The 95th percentile.
    package var p95: Double
    /// The 99th percentile.
    package var p99: Double
    /// The arithmetic mean.
    package var mean: Double
    /// The maximum.
    package var max: Double

    /// Summarises measured times; nil when none is finite.
    ///
    /// - Parameter milliseconds: In any order.
    package init?(_ milliseconds: [Double]) {
        let sorted = milliseconds.filter(\.isFinite).sorted()
        guard let longest = sorted.last else { return nil }
        func percentile(_ percent: Int) -> Double { sorted[(sorted.count * percent + 99) / 100 - 1] }
        p50 = percentile(50)
        p90 = percentile(90)
        p95 = percentile(95)
        p99 = percentile(99)
        mean = sorted.reduce(0, +) / Double(sorted.count)
        max = longest
    }
}
