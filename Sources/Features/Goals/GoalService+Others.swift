package import Database
package import GatewayAPI
package import GoalRoom
package import Goals

/// Values, terms and measures.
extension GoalService {
    package func add(_ body: ValueBody, _ context: GoalContext) async throws -> (value: ValueRecord, isNew: Bool) {
        var record = ValueRecord(
            id: try body.id.value.map { try EntityID(checking: $0).description } ?? newID(), kind: "general",
            title: "", logTime: logTime, priority: 50, version: 0)
        body.apply(to: &record)
        try record.check()
        return try await store.values.add(record, context)
    }

    package func change(value id: String, _ body: ValueBody, _ context: GoalContext) async throws -> ValueRecord {
        try await store.values.change(id, context) { stored in
            var record = stored
            body.apply(to: &record)
            try record.check()
            return record
        }
    }

    // MARK: Terms

    /// Returns a page of terms, latest first.
    package func terms(on day: LocalDay?, after cursor: PageCursor?, limit: Int) async throws -> Page<TermRecord> {
        let page = try await store.terms.list(on: day, after: cursor, limit: limit)
        return Page(items: page.items.map(present), next: page.next)
    }

    package func term(_ id: String) async throws -> TermRecord { present(try await store.terms.find(id)) }

    /// Returns the term of a number; without one that which runs, else the latest. Nil if there is none.
    package func term(number: Int?) async throws -> TermRecord? {
        if number == nil, let running = try await terms(on: today(), after: nil, limit: 1).items.first {
            return running
        }
        return try await store.terms.find(number: number).map(present)
    }

    /// Adds the status that follows from the days where none was set, and the week.
    package func present(_ term: TermRecord) -> TermRecord {
        var term = term
        let today = today()
        guard let first = LocalDay(parsing: term.startDate), let last = LocalDay(parsing: term.targetDate) else {
            if term.status.isEmpty { term.status = Goals.Term.Status.planned.rawValue }
            return term
        }
        if term.status.isEmpty {
            let status: Goals.Term.Status = today < first ? .planned : today > last ? .completed : .active
            term.status = status.rawValue
        }
        term.week = first <= today && today <= last ? first.days(until: today) / 7 + 1 : nil
        return term
    }

    /// Adds a term: ten weeks from the day after the latest one, unless the body says otherwise.
    package func add(_ body: TermBody, _ context: GoalContext) async throws -> (term: TermRecord, isNew: Bool) {
        let added = try await store.terms.add(try await draft(body), context)
        return (present(added.term), added.isNew)
    }

    /// The term that a body describes.
    func draft(_ body: TermBody) async throws -> TermRecord {
        let latest = try await store.terms.latest()
        let today = today()
        let first = max(latest?.last.adding(1) ?? today, today)
        let start = try body.startDate.value.map { try LocalDay(checking: $0, "start_date") } ?? first
        var record = TermRecord(
            id: try body.id.value.map { try EntityID(checking: $0).description } ?? newID(),
            number: (latest?.number ?? 0) + 1, startDate: start.description,
            targetDate: TermSpan(first: start).last.description, status: "", weeks: TermSpan.defaultWeeks, version: 0)
        body.apply(to: &record)
        try record.check()
        for goal in record.goals { _ = try await store.goals.find(goal) }
        return record
    }

    package func change(term id: String, _ body: TermBody, _ context: GoalContext) async throws -> TermRecord {
        for goal in body.goals.value ?? [] { _ = try await store.goals.find(goal) }
        return present(
            try await store.terms.change(id, context) { stored in
                var record = stored
                body.apply(to: &record)
                try record.check()
                return record
            })
    }

    // MARK: Measures

    /// Adds a measure; what it measures and its factor follow from the unit.
    package func add(_ body: MeasureBody, _ context: GoalContext) async throws -> (measure: MeasureRecord, isNew: Bool)
    {
        let unit = body.unit.value ?? ""
        guard let known = Unit(parsing: unit, custom: true) else {
            throw InvalidFields(entity: "measure", "unit", expected: "a unit such as km or min/km", got: unit)
        }
        let canonical = known.canonical
        guard let factor = known.factor.divided(by: canonical.factor) else {
            throw InvalidFields(entity: "measure", "unit", expected: "a factor of less than 128 bits", got: unit)
        }
        var record = MeasureRecord(
            id: try body.id.value.map { try EntityID(checking: $0).description } ?? newID(), unit: unit,
            logTime: logTime, kind: known.dimension.kind, canonicalUnit: canonical.description,
            conversionFactor: factor.doubleValue, version: 0)
        body.apply(to: &record)
        try record.check()
        return try await store.measures.add(record, context)
    }

    /// Changes a measure's texts.
    package func change(measure id: String, _ body: MeasureBody, _ context: GoalContext) async throws -> MeasureRecord {
        try await store.measures.change(id, context) { stored in
            if let unit = body.unit.value, unit != stored.unit {
                throw InvalidFields(entity: "measure", "unit", expected: stored.unit, got: unit)
            }
            var record = stored
            body.apply(to: &record)
            try record.check()
            return record
        }
    }
}

extension Dimension {
    /// The word of the API for what a unit measures.
    fileprivate var kind: String {
        guard let power = powers.first else { return "number" }
        guard powers.count == 1, power.exponent == 1 else { return "other" }
        return switch power.base {
        case .length: "distance"
        case .mass: "mass"
        case .time: "time"
        case .money: "money"
        case .counted: "count"
        }
    }
}
