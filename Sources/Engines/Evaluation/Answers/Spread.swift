/// How values scatter.
public struct Spread: Codable, Sendable, Hashable {
    /// The arithmetic mean.
    public var mean: Double
    /// The sample standard deviation; 0 for one value.
    public var deviation: Double
    /// The smallest value.
    public var low: Double
    /// The largest value.
    public var high: Double
    /// The number of values.
    public var count: Int

    /// Summarises values; nil when none is finite.
    public init?(_ values: [Double]) {
        let values = values.filter(\.isFinite)
        guard let low = values.min(), let high = values.max() else { return nil }
        let mean = values.reduce(0, +) / Double(values.count)
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        self.mean = mean
        deviation = values.count > 1 ? (squares / Double(values.count - 1)).squareRoot() : 0
        self.low = low
        self.high = high
        count = values.count
    }

    /// The mean, with the deviation when there is more than one value.
    func text(_ decimals: Int) -> String {
        fixed(mean, decimals) + (count > 1 ? " ± " + fixed(deviation, decimals) : "")
    }
}
