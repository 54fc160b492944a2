package import Database
package import GatewayAPI
package import GoalRoom
import Goals
import Schedules

extension GoalService {
    /// The request's rule, and the day, the time and the stored start of an action.
    struct When {
        let stamp: DayStamp
        let at: Instant
    }

    /// Logs an action.
    package func add(_ body: ActionBody, _ context: GoalContext) async throws -> (action: ActionRecord, isNew: Bool) {
        let (record, at) = try draft(body)
        return try await store.actions.add(record, at: at, context)
    }

    /// The action that a body describes, and its time.
    func draft(_ body: ActionBody) throws -> (record: ActionRecord, at: Instant) {
        let rule = try rule(zone: body.zone.value, dayStart: body.dayStart.value)
        let when = try when(day: body.day.value, start: body.startTime.value, rule)
        var record = ActionRecord(
            id: try body.id.value.map { try EntityID(checking: $0).description } ?? newID(), logTime: logTime,
            day: when.stamp.day.description, zone: when.stamp.zone, dayStart: when.stamp.startMinute, version: 0)
        body.apply(to: &record)
        _ = try record.checked()
        return (record, when.at)
    }

    /// The day of an action: as it is given, or that of its start, or today. A day that has not come is refused.
    func when(day: String?, start: String?, _ rule: DayRule) throws(InvalidFields) -> When {
        let today = today(rule)
        var at: Instant?
        if let start {
            at = GoalTime.instant(start, in: rule.zone)
            guard at != nil, start.utf8.count > 10 else {
                throw InvalidFields("start_time", expected: "a time such as 2026-11-22T07:30:00+01:00", got: start)
            }
        }
        let started = at.map { rule.day(of: $0) }
        let wanted = try day.map { day throws(InvalidFields) in try LocalDay(checking: day, "day") }
        if let started, let wanted, started != wanted {
            throw InvalidFields("day", expected: "\(started), the day of start_time", got: "\(wanted)")
        }
        let found = wanted ?? started ?? today
        guard found <= today else {
            throw InvalidFields(
                wanted == nil ? "start_time" : "day", expected: "today (\(today)) or earlier", got: "\(found)")
        }
        let time = at ?? (found == today ? now() : rule.instant(of: found, minute: 720))
        return When(
            stamp: DayStamp(day: found, zone: rule.zone.name, startMinute: rule.startMinute), at: time)
    }

    /// Changes an action. Its day stays unless the body names a day or a start.
    package func change(action id: String, _ body: ActionBody, _ context: GoalContext) async throws -> ActionRecord {
        try await store.actions.change(id, context) { stored in
            var record = stored
            body.apply(to: &record)
            var at: Instant?
            let movesDay = body.day.value != nil || body.startTime.value != nil
            if movesDay {
                let rule = try rule(
                    zone: body.zone.value ?? stored.zone, dayStart: body.dayStart.value ?? stored.dayStart)
                let when = try when(day: body.day.value, start: body.startTime.value, rule)
                (record.day, record.zone) = (when.stamp.day.description, when.stamp.zone)
                (record.dayStart, at) = (when.stamp.startMinute, when.at)
            } else if body.zone.value != nil || body.dayStart.value != nil {
                throw InvalidFields("zone", expected: "day or start_time beside it", got: "neither")
            }
            _ = try record.checked()
            return (record, at)
        }
    }

    /// Returns a page of open questions, with the reasons of each match.
    package func questions(
        goal: String?, after cursor: PageCursor?, limit: Int
    ) async throws -> Page<GoalQuestion> {
        let page = try await store.matches.questions(forGoal: goal, after: cursor, limit: limit)
        let meanings = try await store.meanings.similarities(of: page.items)
        let questions = zip(page.items, meanings).compactMap { pair, meaning -> GoalQuestion? in
            guard let match = match(pair.action, pair.goal, meaning: meaning) else { return nil }
            return GoalQuestion(action: pair.action, match: match)
        }
        return Page(items: questions, next: page.next)
    }

    /// Why an action counts for a goal, or does not; nil if one of them makes no sense.
    func match(_ action: ActionRecord, _ goal: GoalRecord, meaning: Double?) -> GoalMatch? {
        guard let facts = action.facts, let rule = goal.matchingRule else { return nil }
        let match = Match(facts, rule, meaning: meaning)
        return GoalMatch(
            goal: goal.id, title: goal.title, verdict: match.verdict.rawValue, confidence: match.confidence,
            amount: match.amount?.doubleValue, unit: goal.target?.unit,
            shares: match.shares.map {
                GoalShare(component: $0.component.rawValue, points: $0.points, reason: $0.reason)
            })
    }

    /// The goals that an action counts for or may count for, best first.
    func matches(of action: ActionRecord) async throws -> [GoalMatch] {
        guard let day = LocalDay(parsing: action.day) else { return [] }
        var filter = GoalFilter()
        filter.on = day
        let goals = try await store.goals.list(filter, after: nil, limit: 200)
        let meanings = try await store.meanings.similarities(of: goals.items.map { (action, $0.record) })
        return zip(goals.items, meanings).compactMap { match(action, $0.record, meaning: $1) }
            .filter { $0.verdict != "no" }.sorted { $0.confidence > $1.confidence }
    }

    /// Stores a person's decision about an action and a goal.
    package func decide(_ decision: GoalDecision, _ context: GoalContext) async throws -> ActionRecord {
        let isCounted = decision.answer == "counted"
        guard isCounted == (decision.amount != nil) else {
            throw InvalidFields(
                "amount", expected: isCounted ? "a number" : "nothing with \(decision.answer)",
                got: decision.amount.map { "\($0)" } ?? "nothing")
        }
        if let amount = decision.amount {
            guard amount >= 0, amount <= 1e12 else {
                throw InvalidFields("amount", expected: "0 to 1e12", got: "\(amount)")
            }
        }
        guard ["confirmed", "rejected", "counted", "open"].contains(decision.answer) else {
            throw InvalidFields("answer", expected: "confirmed, rejected, counted or open", got: decision.answer)
        }
        return try await store.matches.decide(
            decision.answer == "open" ? nil : decision.answer, amount: decision.amount, action: decision.action,
            goal: decision.goal, context)
    }
}
