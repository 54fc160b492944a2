/// The goal's days: what was done on each, which are due, which were skipped.
struct DayLedger {
    let question: ProgressQuestion
    /// Whether any day has an entry.
    private(set) var hasEntries = false
    /// The sum of each day's entries, from the goal's first day on; nil for days without an entry.
    private var totals: [Rational?]
    /// The number of each day's actions.
    private var counts: [Int]

    /// Sums up the entries of the goal's days up to `today`. Exact, so their order does not matter.
    init(_ question: ProgressQuestion) throws(InvalidFields) {
        self.question = question
        let days = max(0, question.start.days(until: min(question.end, question.today)) + 1)
        totals = Array(repeating: nil, count: days)
        counts = Array(repeating: 0, count: days)
        for entry in question.entries {
            guard let place = place(of: entry.day) else { continue }
            totals[place] =
                try totals[place].map { total throws(InvalidFields) in try total.adding(entry.amount).orOverflow() }
                ?? entry.amount
            counts[place] += entry.count
            hasEntries = true
        }
    }

    private func place(of day: LocalDay) -> Int? {
        let place = question.start.days(until: day)
        return totals.indices.contains(place) ? place : nil
    }

    /// The sum of a day's entries; nil without any.
    func total(_ day: LocalDay) -> Rational? { place(of: day).flatMap { totals[$0] } }

    /// The number of a day's actions; nil without an entry.
    func count(_ day: LocalDay) -> Int? { place(of: day).flatMap { totals[$0] == nil ? nil : counts[$0] } }

    /// The days that have an entry, in order, with their sums.
    var entries: [(day: LocalDay, total: Rational)] {
        totals.enumerated().compactMap { place, total in total.map { (question.start.adding(place), $0) } }
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
            for day in days { if let own = self.total(day) { total = try (total ?? .zero).adding(own).orOverflow() } }
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
        var check = GoalFieldCheck("progress")
        check.present(self, "entries", "amounts whose sums fit into 128 bits")
        try check.finish()
        return .zero
    }
}
