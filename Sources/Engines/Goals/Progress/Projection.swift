/// Where a goal will end if the days to come are like the days so far.
package struct Projection: Equatable, Sendable {
    /// The expected figure at the goal's end.
    package let estimate: Double
    /// The lower end of the 80 % interval; nil with fewer than two observed days.
    package let lower: Double?
    /// The upper end.
    package let upper: Double?
    /// The day on which the target was or will be reached at this pace; nil if it is beyond ten years, and for averages.
    package let reachedOn: LocalDay?

    /// Days that ``reachedOn`` looks ahead at most.
    static let maxDaysAhead = 3653

    /// Half the width of the interval for the sum of `future` more values like the observed ones.
    ///
    /// t · s · √(m + m²/n) for m future and n observed values with standard deviation s: the prediction interval for the
    /// mean of m future values of a normal distribution, times m (Hahn and Meeker, Statistical Intervals, 4.8). Nil for
    /// fewer than two values.
    static func halfWidth(_ values: [Double], future: Int) -> Double? {
        guard values.count >= 2 else { return nil }
        let (n, m) = (Double(values.count), Double(future))
        return StudentT.quantile90(degrees: values.count - 1) * deviation(values) * (m + m * m / n).squareRoot()
    }

    /// The sample's standard deviation, with n - 1 degrees of freedom.
    static func deviation(_ values: [Double]) -> Double {
        let mean = values.reduce(0, +) / Double(values.count)
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / Double(max(values.count - 1, 1))).squareRoot()
    }
}
