/// The goal's days: what was done on each, which are due, which were skipped.
struct DayLedger {
    let question: ProgressQuestion
    /// The sum of each day's entries. A day without an entry is absent.
    let totals: [LocalDay: Rational]
    /// The number of each day's actions.
    let counts: [LocalDay: Int]

    /// Sums up the entries of the goal's days up to `today`. Exact, so their order does not matter.
    init(_ question: ProgressQuestion) throws(InvalidFields) {
        self.question = question
        var totals: [LocalDay: Rational] = [:]
        var counts: [LocalDay: Int] = [:]
        let last = min(question.end, question.today)
        for entry in question.entries where question.start <= entry.day && entry.day <= last {
            totals[entry.day] = try (totals[entry.day] ?? .zero).adding(entry.amount).orOverflow()
            counts[entry.day, default: 0] += entry.count
        }
        self.totals = totals
        self.counts = counts
    }

    /// The goal's days in order.
    var days: [LocalDay] { (question.start.number...question.end.number).map { LocalDay(number: $0) } }

    func isDue(_ day: LocalDay) -> Bool { question.schedule.value(on: day).isDue(on: day) }

    /// Due and not skipped.
    func isActive(_ day: LocalDay) -> Bool { isDue(day) && !question.skips.contains(day) }

    /// The judged windows, in order.
    func windows(_ window: ProgressRule.Window, _ bound: ProgressRule.Bound) throws(InvalidFields) -> [WindowOutcome] {
        let length = window == .day ? 1 : 7
        let count = (question.start.days(until: question.end) + 1) / length
        var outcomes: [WindowOutcome] = []
        for index in 0..<count {
            let first = question.start.adding(index * length)
            let days = (0..<length).map { first.adding($0) }
            guard window == .week || isDue(first) else { continue }
            var total: Rational?
            for day in days { if let own = totals[day] { total = try (total ?? .zero).adding(own).orOverflow() } }
            let last = first.adding(length - 1)
            outcomes.append(
                .judge(
                    first: first, last: last, total: total, bound: bound, target: question.target.value(on: last),
                    isSkipped: days.allSatisfy(question.skips.contains), today: question.today))
        }
        return outcomes
    }
}

extension Rational? {
    /// The result of exact arithmetic. Throws ``InvalidFields`` if it needs more than 128 bits.
    func orOverflow() throws(InvalidFields) -> Rational {
        if let self { return self }
        var check = FieldCheck("progress")
        check.present(self, "entries", "amounts whose sums fit into 128 bits")
        try check.finish()
        return .zero
    }
}
