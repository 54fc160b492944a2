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
        case .sum: self = try .amounts(ledger, ledger.total)
        case .count: self = try .amounts(ledger) { ledger.count($0).map { Rational($0) } }
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

    /// The share of `count` days or windows that are over; without any, whether the goal is over.
    static func elapsed(_ over: Int, of count: Int, isOver: Bool) -> Rational {
        Rational(Int128(over), over: Int128(count)) ?? (isOver ? .one : .zero)
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
        let elapsed = elapsed(over, of: active, isOver: isOver)
        let fraction = try fraction(series.total, of: needed)
        let reached = try series.reachedOn(
            remaining: remaining, end: max(question.end, question.today.adding(-1)), ledger.isActive)
        let hasEntries = ledger.hasEntries
        return Progress(
            achieved: series.total, needed: needed, fraction: fraction, elapsed: elapsed,
            status: status(fraction, expected: elapsed, hasEntries: hasEntries, isOver: isOver),
            pace: try series.pace(remaining: remaining.count),
            projection: hasEntries
                ? try series.projection(remaining: remaining.count, limit: nil, reachedOn: reached) : nil,
            windows: [], currentStreak: nil, score: nil)
    }
}
