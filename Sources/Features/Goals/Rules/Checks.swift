import GatewayAPI
import GoalRoom
import Goals
import Schedules

extension GoalRecord {
    private func heading() throws(InvalidFields) -> Expectation {
        Expectation(
            Heading(
                id: try EntityID(checking: id), title: title, details: description, notes: notes, logTime: .earliest),
            importance: importance, urgency: urgency)
    }

    /// Checks all fields by the rules of the goal's kind.
    ///
    /// - Throws: ``InvalidFields``.
    func check() throws(InvalidFields) {
        let heading = try heading()
        let start = try startDate.map { day throws(InvalidFields) in try LocalDay(checking: day, "start_date") }
        let end = try targetDate.map { day throws(InvalidFields) in try LocalDay(checking: day, "target_date") }
        let target = target.map { GoalTarget($0.amount, $0.unit) }
        switch kind {
        case "milestone": _ = try Milestone(heading, targetDate: end, start: start, target: target)
        case "obligation":
            _ = try Obligation(heading, deadline: end, requestedBy: requestedBy, consequence: consequence)
        case "goal", "smart":
            _ = try Goals.Goal(
                heading, kind: kind == "smart" ? .smart : .goal, target: target, start: start, targetDate: end,
                relevance: relevance, actionability: Goals.Goal.Actionability(units: units, keywords: keywords),
                expectedTermLength: expectedTermLength)
        default:
            throw InvalidFields(entity: "goal", "kind", expected: "goal, smart, milestone or obligation", got: kind)
        }
        guard kind == "obligation" || (requestedBy == nil && consequence == nil) else {
            throw InvalidFields(
                entity: kind, "requested_by", expected: "nothing, only obligations have it", got: "text")
        }
        _ = try rule.rule()
        _ = try schedule.schedule()
        if let reminder {
            guard reminder.minute != nil else {
                throw InvalidFields(
                    "reminder.at", expected: "a time such as 19:30", got: String(reminder.at.prefix(20)))
            }
            let days = reminder.weekdays ?? [0]
            guard (1...7).contains(days.count), Set(days).count == days.count, days.allSatisfy((0...6).contains) else {
                throw InvalidFields(
                    "reminder.weekdays", expected: "1 to 7 different numbers from 0 to 6", got: "others")
            }
        }
        guard values.count <= 100, Set(values.map(\.value)).count == values.count else {
            throw InvalidFields(entity: kind, "values", expected: "at most 100, each once", got: "\(values.count)")
        }
        for link in values {
            _ = try Relevance(
                goal: heading.heading.id, value: try EntityID(checking: link.value, "values"),
                alignment: link.alignment, notes: link.notes)
        }
    }
}

extension GoalRuleBody {
    /// The rule of the engine.
    ///
    /// - Throws: ``InvalidFields``.
    func rule() throws(InvalidFields) -> ProgressRule {
        let word = bound ?? "at_least"
        func side() throws(InvalidFields) -> ProgressRule.Bound {
            guard let side = ProgressRule.Bound(rawValue: word) else {
                throw InvalidFields("rule.bound", expected: "at_least or at_most", got: word)
            }
            return side
        }
        switch kind {
        case "sum": return .sum
        case "count": return .count
        case "average": return .average(try side())
        case "each":
            guard let window = ProgressRule.Window(rawValue: window ?? "day") else {
                throw InvalidFields("rule.window", expected: "day or week", got: window ?? "")
            }
            guard (1...100).contains(share ?? 100) else {
                throw InvalidFields("rule.share", expected: "1 to 100", got: "\(share ?? 0)")
            }
            return .each(window, try side(), share: share ?? 100)
        case "streak":
            guard let length, (1...ProgressQuestion.maxDays).contains(length) else {
                throw InvalidFields(
                    "rule.length", expected: "1 to \(ProgressQuestion.maxDays)",
                    got: length.map { "\($0)" } ?? "nothing")
            }
            guard (0...ProgressQuestion.maxDays).contains(freezes ?? 0) else {
                throw InvalidFields(
                    "rule.freezes", expected: "0 to \(ProgressQuestion.maxDays)", got: "\(freezes ?? 0)")
            }
            return .streak(length: length, freezes: freezes ?? 0)
        default:
            throw InvalidFields("rule.kind", expected: "sum, count, average, each or streak", got: kind)
        }
    }
}

extension GoalScheduleBody {
    /// The schedule of the engine.
    ///
    /// - Throws: ``InvalidFields``.
    func schedule() throws(InvalidFields) -> GoalSchedule {
        switch kind {
        case "daily": return .daily
        case "weekdays":
            guard let weekdays, !weekdays.isEmpty, weekdays.count <= 7, weekdays.allSatisfy((0...6).contains) else {
                throw InvalidFields("schedule.weekdays", expected: "1 to 7 numbers from 0 to 6", got: "others")
            }
            return .weekdays(Set(weekdays))
        case "every":
            guard let days, (1...ProgressQuestion.maxDays).contains(days) else {
                throw InvalidFields(
                    "schedule.days", expected: "1 to \(ProgressQuestion.maxDays)",
                    got: days.map { "\($0)" } ?? "nothing")
            }
            return .every(days: days, from: try LocalDay(checking: from ?? "", "schedule.from"))
        default: throw InvalidFields("schedule.kind", expected: "daily, weekdays or every", got: kind)
        }
    }
}

extension ValueRecord {
    /// Checks all fields.
    ///
    /// - Throws: ``InvalidFields``.
    func check() throws(InvalidFields) {
        guard let kind = PersonalValue.Kind(rawValue: kind) else {
            throw InvalidFields(
                entity: "value", "kind", expected: "general, major, highest_order or life_area", got: kind)
        }
        _ = try PersonalValue(
            Heading(
                id: try EntityID(checking: id), title: title, details: description, notes: notes, logTime: .earliest),
            kind: kind, priority: priority, lifeDomain: lifeDomain, alignmentGuidance: alignmentGuidance)
    }
}

extension TermRecord {
    /// Checks all fields, and counts the weeks.
    ///
    /// - Throws: ``InvalidFields``.
    mutating func check() throws(InvalidFields) {
        guard status.isEmpty || Goals.Term.Status(rawValue: status) != nil else {
            throw InvalidFields(
                entity: "term", "status", expected: "planned, active, completed, delayed, on_hold or cancelled",
                got: status)
        }
        var ids: [EntityID] = []
        for goal in goals { ids.append(try EntityID(checking: goal, "goals")) }
        let (start, end) = (
            try LocalDay(checking: startDate, "start_date"), try LocalDay(checking: targetDate, "target_date")
        )
        _ = try Goals.Term(
            Heading(
                id: try EntityID(checking: id), title: title, details: description, notes: notes, logTime: .earliest),
            number: number, start: start, target: end, theme: theme,
            status: Goals.Term.Status(rawValue: status) ?? .planned, goals: ids)
        if let reflection, !reflection.isEmpty {
            _ = try Reflection(
                Heading(id: try EntityID(checking: id), title: nil, details: reflection, logTime: .earliest),
                term: try EntityID(checking: id), day: end)
        }
        weeks = (start.days(until: end) + 7) / 7
    }
}

extension MeasureRecord {
    /// Checks all fields.
    ///
    /// - Throws: ``InvalidFields``.
    func check() throws(InvalidFields) {
        _ = try Measure(
            Heading(
                id: try EntityID(checking: id), title: title, details: description, notes: notes, logTime: .earliest),
            unit: unit, canonicalUnit: canonicalUnit, conversionFactor: conversionFactor)
    }
}
