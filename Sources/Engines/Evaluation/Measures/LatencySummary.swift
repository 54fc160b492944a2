/// How long searches took, in milliseconds.
///
/// Percentiles are nearest-rank: the smallest measured value that at least that share of all values does not exceed.
public struct LatencySummary: Codable, Sendable, Hashable {
    /// The median.
    public var p50: Double
    /// Nine of ten searches took no longer.
    public var p90: Double
    /// Nineteen of twenty searches took no longer.
    public var p95: Double
    /// Ninety-nine of a hundred searches took no longer.
    public var p99: Double
    /// The arithmetic mean.
    public var mean: Double
    /// The longest.
    public var max: Double

    /// Summarises measured times; nil when there are none that are finite.
    ///
    /// - Parameter milliseconds: In any order.
    public init?(_ milliseconds: [Double]) {
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
