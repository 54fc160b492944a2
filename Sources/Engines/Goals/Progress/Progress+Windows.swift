extension Progress {
    static func windows(
        _ ledger: DayLedger, _ window: ProgressRule.Window, _ bound: ProgressRule.Bound, share: Int
    ) throws(InvalidFields) -> Progress {
        let question = ledger.question
        let outcomes = try ledger.windows(window, bound)
        let judged = outcomes.filter { $0.result != .skipped }
        let needed = Rational((share * judged.count + 99) / 100)
        var series = ObservedSeries(needed: needed)
        for outcome in judged where outcome.result != .open {
            try series.append(outcome.result == .kept ? .one : .zero, on: outcome.last)
        }
        let open = judged.filter { $0.result == .open }.map(\.last)
        let isOver = question.today > question.end
        let over = judged.count { $0.last < question.today }
        let elapsed = elapsed(over, of: judged.count, isOver: isOver)
        // With all windows skipped nothing is needed; that counts as reached only when the goal is over.
        let fraction = judged.isEmpty && !isOver ? .zero : try fraction(series.total, of: needed)
        let hasEntries = ledger.hasEntries
        let reached = try series.reachedOn(remaining: open, end: question.end) { _ in false }
        return Progress(
            achieved: series.total, needed: needed, fraction: fraction, elapsed: elapsed,
            status: status(fraction, expected: elapsed, hasEntries: hasEntries, isOver: isOver),
            pace: try series.pace(remaining: open.count),
            projection: hasEntries
                ? try series.projection(remaining: open.count, limit: Rational(judged.count), reachedOn: reached) : nil,
            windows: outcomes, currentStreak: nil,
            score: window == .day ? score(ledger, bound) : nil)
    }

    static func streak(_ ledger: DayLedger, length: Int, freezes: Int) throws(InvalidFields) -> Progress {
        let question = ledger.question
        let outcomes = try ledger.windows(.day, .atLeast)
        let count = StreakCount(outcomes, freezes: freezes)
        let isOver = question.today > question.end
        let judged = outcomes.filter { $0.result != .skipped }
        let over = judged.count { $0.last < question.today }
        let open = outcomes.count { $0.result == .open }
        let fraction = try Rational(Int128(count.longest), over: Int128(length)).orOverflow()
        let canReach = count.current + open >= length
        return Progress(
            achieved: Rational(count.longest), needed: Rational(length), fraction: fraction,
            elapsed: elapsed(over, of: judged.count, isOver: isOver),
            status: status(
                fraction, expected: canReach ? .zero : .one, hasEntries: ledger.hasEntries, isOver: isOver),
            pace: nil, projection: nil, windows: outcomes, currentStreak: count.current,
            score: score(ledger, .atLeast))
    }

    /// The habit's score on the last day that is over or has an entry; nil if the schedule is not daily throughout, or no
    /// such day exists.
    private static func score(_ ledger: DayLedger, _ bound: ProgressRule.Bound) -> Double? {
        let question = ledger.question
        let schedule = question.schedule
        guard schedule.initial == .daily, schedule.changes.allSatisfy({ $0.value == .daily }) else { return nil }
        let values = ledger.days.filter { $0 < question.today || ledger.total($0) != nil }.map { day -> Double? in
            question.skips.contains(day)
                ? nil
                : HabitScore.value(total: ledger.total(day), bound: bound, target: question.target.value(on: day))
        }
        return HabitScore.scores(values).last
    }
}
