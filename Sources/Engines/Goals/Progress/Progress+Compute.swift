extension Progress {
    /// Computes the progress of a goal on a day.
    ///
    /// A pure function: exact sums, so entries in any order give the same result to the last bit. Time is linear in the
    /// goal's days and entries. Throws ``InvalidFields`` for a goal that ends before it starts or lasts more than a
    /// hundred years, for negative amounts, and for sums beyond 128 bits.
    package init(of question: ProgressQuestion) throws(InvalidFields) {
        try question.check()
        let ledger = try DayLedger(question)
        switch question.rule {
        case .sum: self = try .amounts(ledger) { ledger.totals[$0] }
        case .count: self = try .amounts(ledger) { ledger.counts[$0].map { Rational($0) } }
        case .average(let bound): self = try .average(ledger, bound)
        case .each(let window, let bound, let share): self = try .windows(ledger, window, bound, share: share)
        case .streak(let length, let freezes): self = try .streak(ledger, length: length, freezes: freezes)
        }
    }

    /// The share of `needed`; 1 if nothing is needed.
    static func fraction(_ achieved: Rational, of needed: Rational) throws(InvalidFields) -> Rational {
        needed > .zero ? try achieved.divided(by: needed).orOverflow() : .one
    }

    /// The status of what grows towards a target. `expected` is the share of the target that should be done by now.
    static func status(_ fraction: Rational, expected: Rational, hasEntries: Bool, isOver: Bool) -> Status {
        if let limit = Rational(11, over: 10), fraction > limit { return .overachieved }
        if fraction >= .one { return .complete }
        if isOver { return .overdue }
        if !hasEntries { return .notStarted }
        return fraction < expected ? .behind : .onTrack
    }

    private static func amounts(
        _ ledger: DayLedger, _ value: (LocalDay) -> Rational?
    ) throws(InvalidFields) -> Progress {
        let question = ledger.question
        let needed = question.target.value(on: question.today)
        var series = ObservedSeries(needed: needed)
        var active = 0
        var over = 0
        var remaining: [LocalDay] = []
        for day in ledger.days {
            let isActive = ledger.isActive(day)
            if isActive { active += 1 }
            if isActive, day < question.today { over += 1 }
            if let value = value(day) {
                try series.append(value, on: day)
            } else if isActive {
                if day < question.today { try series.append(.zero, on: day) } else { remaining.append(day) }
            }
        }
        let isOver = question.today > question.end
        let elapsed = active > 0 ? Rational(Int128(over), over: Int128(active)) : isOver ? .one : .zero
        let fraction = try fraction(series.total, of: needed)
        let reached = try series.reachedOn(
            remaining: remaining, end: max(question.end, question.today.adding(-1)), ledger.isActive)
        return Progress(
            achieved: series.total, needed: needed, fraction: fraction, elapsed: try elapsed.orOverflow(),
            status: status(
                fraction, expected: try elapsed.orOverflow(), hasEntries: !ledger.counts.isEmpty, isOver: isOver),
            pace: try series.pace(remaining: remaining.count),
            projection: ledger.counts.isEmpty
                ? nil : try series.projection(remaining: remaining.count, limit: nil, reachedOn: reached),
            windows: [], currentStreak: nil, score: nil)
    }

    private static func average(
        _ ledger: DayLedger, _ bound: ProgressRule.Bound
    ) throws(InvalidFields) -> Progress {
        let question = ledger.question
        let target = question.target.value(on: question.today)
        var series = ObservedSeries(needed: target)
        for day in ledger.totals.keys.sorted() { try series.append(ledger.totals[day] ?? .zero, on: day) }
        let count = series.values.count
        let mean = count == 0 ? .zero : try series.total.divided(by: Rational(count)).orOverflow()
        let share = bound == .atLeast ? try fraction(mean, of: target) : try fraction(target, of: mean)
        let isOver = question.today > question.end
        let status: Status
        if count == 0 {
            status = isOver ? .overdue : .notStarted
        } else if isOver {
            status = Self.status(share, expected: .one, hasEntries: true, isOver: true)
        } else {
            status = share >= .one ? .onTrack : .behind
        }
        let half = series.values.count < 2 ? nil : series.halfWidthOfMean
        let active = ledger.days.filter(ledger.isActive)
        let over = active.count { $0 < question.today }
        return Progress(
            achieved: mean, needed: target, fraction: count == 0 ? .zero : share,
            elapsed: active.isEmpty
                ? (isOver ? .one : .zero)
                : try Rational(Int128(over), over: Int128(active.count)).orOverflow(),
            status: status, pace: nil,
            projection: count == 0
                ? nil
                : Projection(
                    estimate: mean.doubleValue, lower: half.map { max(0, mean.doubleValue - $0) },
                    upper: half.map { mean.doubleValue + $0 }, reachedOn: nil),
            windows: [], currentStreak: nil, score: nil)
    }
}
