extension Progress {
    /// The mean of the days that have an entry. It is judged as it is, not against the time that has passed, and complete
    /// only when the goal is over.
    static func average(_ ledger: DayLedger, _ bound: ProgressRule.Bound) throws(InvalidFields) -> Progress {
        let question = ledger.question
        let isOver = question.today > question.end
        let target = question.target.value(on: question.today)
        let active = ledger.days.filter(ledger.isActive)
        let elapsed = elapsed(active.count { $0 < question.today }, of: active.count, isOver: isOver)
        var series = ObservedSeries(needed: target)
        for (day, total) in ledger.entries { try series.append(total, on: day) }
        guard let mean = try series.pace(remaining: 0)?.actual else {
            return Progress(
                achieved: .zero, needed: target, fraction: .zero, elapsed: elapsed,
                status: isOver ? .overdue : .notStarted, pace: nil, projection: nil, windows: [], currentStreak: nil,
                score: nil)
        }
        let fraction = bound == .atLeast ? try fraction(mean, of: target) : try fraction(target, of: mean)
        let running: Status = fraction >= .one ? .onTrack : .behind
        let estimate = mean.doubleValue
        let half = series.halfWidthOfMean
        return Progress(
            achieved: mean, needed: target, fraction: fraction, elapsed: elapsed,
            status: isOver ? status(fraction, expected: .one, hasEntries: true, isOver: true) : running, pace: nil,
            projection: Projection(
                estimate: estimate, lower: half.map { max(0, estimate - $0) }, upper: half.map { estimate + $0 },
                reachedOn: nil),
            windows: [], currentStreak: nil, score: nil)
    }
}
