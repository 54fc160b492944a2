/// The values of the days or windows so far, with what follows from them.
struct ObservedSeries {
    /// The total that is wanted.
    let needed: Rational
    /// In order.
    private(set) var values: [Rational] = []
    /// Their exact sum.
    private(set) var total = Rational.zero
    /// The day on which the sum reached ``needed``.
    private var reached: LocalDay?

    init(needed: Rational) { self.needed = needed }

    mutating func append(_ value: Rational, on day: LocalDay) throws(InvalidFields) {
        values.append(value)
        total = try total.adding(value).orOverflow()
        if reached == nil, total >= needed { reached = day }
    }

    /// The mean so far, and what each of `remaining` more values has to be; nil without a value.
    func pace(remaining: Int) throws(InvalidFields) -> Progress.Pace? {
        guard !values.isEmpty else { return nil }
        let missing = max(.zero, try needed.subtracting(total).orOverflow())
        return Progress.Pace(
            actual: try total.divided(by: Rational(values.count)).orOverflow(),
            required: remaining > 0 ? try missing.divided(by: Rational(remaining)).orOverflow() : nil)
    }

    /// The sum after `remaining` more values like those so far, within the sum so far and `limit`.
    func projection(
        remaining: Int, limit: Rational?, reachedOn: LocalDay?
    ) throws(InvalidFields) -> Projection? {
        guard let pace = try pace(remaining: remaining) else { return nil }
        let future = try pace.actual.multiplied(by: Rational(remaining)).orOverflow()
        let estimate = try total.adding(future).orOverflow().doubleValue
        let half = Projection.halfWidth(values.map(\.doubleValue), future: remaining)
        return Projection(
            estimate: estimate, lower: half.map { max(total.doubleValue, estimate - $0) },
            upper: half.map { min(limit?.doubleValue ?? .infinity, estimate + $0) }, reachedOn: reachedOn)
    }

    /// The day on which the sum reached the target, or will reach it at the mean so far: first over the `remaining` days,
    /// then over the days after `end` for which `isActive` is true, ten years at most.
    func reachedOn(
        remaining: [LocalDay], end: LocalDay, _ isActive: (LocalDay) -> Bool
    ) throws(InvalidFields) -> LocalDay? {
        if let reached { return reached }
        guard let pace = try pace(remaining: 0), pace.actual > .zero,
            let steps = try needed.subtracting(total).orOverflow().divided(by: pace.actual).orOverflow().roundedUp,
            steps <= Projection.maxDaysAhead
        else { return nil }
        if steps <= remaining.count { return remaining[max(steps, 1) - 1] }
        var missing = steps - remaining.count
        for ahead in 1...Projection.maxDaysAhead where isActive(end.adding(ahead)) {
            missing -= 1
            if missing == 0 { return end.adding(ahead) }
        }
        return nil
    }

    /// Half the 80 % confidence interval of the mean, t · s / √n; nil for fewer than two values.
    var halfWidthOfMean: Double? {
        guard values.count >= 2 else { return nil }
        let values = values.map(\.doubleValue)
        return StudentT.quantile90(degrees: values.count - 1) * Projection.deviation(values)
            / Double(values.count).squareRoot()
    }
}
