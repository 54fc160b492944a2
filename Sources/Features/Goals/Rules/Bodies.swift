import GatewayAPI
import Goals

extension FieldUpdate {
    /// Writes the update to an optional field.
    func apply(to field: inout Value?) {
        switch self {
        case .keep: break
        case .clear: field = nil
        case .set(let value): field = value
        }
    }

    /// Writes the update to a field; null gives the default.
    func apply(to field: inout Value, default fallback: @autoclosure () -> Value) {
        switch self {
        case .keep: break
        case .clear: field = fallback()
        case .set(let value): field = value
        }
    }
}

extension GoalBody {
    /// Writes the fields that the body has, except the id.
    func apply(to record: inout GoalRecord) throws(InvalidFields) {
        kind.apply(to: &record.kind, default: "goal")
        title.apply(to: &record.title, default: "")
        description.apply(to: &record.description)
        notes.apply(to: &record.notes)
        importance.apply(to: &record.importance, default: 5)
        urgency.apply(to: &record.urgency, default: 5)
        target.apply(to: &record.target)
        startDate.apply(to: &record.startDate)
        targetDate.apply(to: &record.targetDate)
        relevance.apply(to: &record.relevance)
        units.apply(to: &record.units, default: [])
        keywords.apply(to: &record.keywords, default: [])
        expectedTermLength.apply(to: &record.expectedTermLength)
        requestedBy.apply(to: &record.requestedBy)
        consequence.apply(to: &record.consequence)
        rule.apply(to: &record.rule, default: GoalRuleBody(kind: "sum"))
        schedule.apply(to: &record.schedule, default: GoalScheduleBody(kind: "daily"))
        reminder.apply(to: &record.reminder)
        if let days = record.reminder?.weekdays { record.reminder?.weekdays = days.sorted() }
        values.apply(to: &record.values, default: [])
        record.values.sort { $0.value < $1.value }
    }
}

extension ActionBody {
    /// Writes the fields that the body has, except the id and the day.
    func apply(to record: inout ActionRecord) {
        title.apply(to: &record.title)
        description.apply(to: &record.description)
        notes.apply(to: &record.notes)
        amounts.apply(to: &record.amounts, default: [])
        durationMinutes.apply(to: &record.durationMinutes)
        startTime.apply(to: &record.startTime)
    }
}

extension ValueBody {
    /// Writes the fields that the body has, except the id.
    func apply(to record: inout ValueRecord) {
        kind.apply(to: &record.kind, default: "general")
        title.apply(to: &record.title, default: "")
        description.apply(to: &record.description)
        notes.apply(to: &record.notes)
        priority.apply(to: &record.priority, default: 50)
        lifeDomain.apply(to: &record.lifeDomain)
        alignmentGuidance.apply(to: &record.alignmentGuidance)
    }
}

extension TermBody {
    /// Writes the fields that the body has, except the id.
    func apply(to record: inout TermRecord) {
        if let number = number.value { record.number = number }
        title.apply(to: &record.title)
        description.apply(to: &record.description)
        notes.apply(to: &record.notes)
        if let day = startDate.value { record.startDate = day }
        if let day = targetDate.value { record.targetDate = day }
        theme.apply(to: &record.theme)
        reflection.apply(to: &record.reflection)
        status.apply(to: &record.status, default: "")
        goals.apply(to: &record.goals, default: [])
    }
}

extension MeasureBody {
    /// Writes the texts that the body has.
    func apply(to record: inout MeasureRecord) {
        title.apply(to: &record.title)
        description.apply(to: &record.description)
        notes.apply(to: &record.notes)
    }
}
