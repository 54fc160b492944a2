/// How values scatter.
package struct Spread: Codable, Sendable, Hashable {
    /// The arithmetic mean.
    package var mean: Double
    /// The sample standard deviation; 0 for one value.
    package var deviation: Double
    /// The smallest value.
    package var low: Double
    /// The largest value.
    package var high: Double
    /// The number of values.
    package var count: Int

    /// Summarises values; nil when none is finite.
    package init?(_ values: [Double]) {
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
