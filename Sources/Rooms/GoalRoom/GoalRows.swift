package import GatewayAPI
import Goals

/// Reads rows into the records of the API. Values that make no sense become absent; no row is an error.
package enum GoalRows {
    /// A rule or a schedule as JSON; nil for other text.
    static func json<Value: Decodable>(_ text: String?, as type: Value.Type) -> Value? {
        text.flatMap { try? JSONDocument(parsing: Array($0.utf8)).decode(type) }
    }

    /// Writes a rule or a schedule as JSON with sorted names.
    static func text(_ value: JSONValue) -> String { String(decoding: value.json, as: UTF8.self) }

    // MARK: Actions

    /// Reads a row of `actions` with the columns `day`, `zone` and `day_start` of its day.
    static func action(_ row: GoalRow) -> ActionRecord {
        ActionRecord(
            id: row.text("uuid_id") ?? "", title: row.text("title"), description: row.text("description"),
            notes: row.text("notes"), logTime: row.date("log_time") ?? "",
            amounts: amounts(row.text("measurement_units_by_amount")), durationMinutes: row.real("duration_minutes"),
            startTime: row.date("start_time"), day: row.text("day") ?? "", zone: row.text("zone") ?? "",
            dayStart: row.count("day_start"), version: row.integer("version") ?? 0)
    }

    /// The amounts of a JSON object `{"km": 5.0}`, by unit; values that are no numbers are left out.
    static func amounts(_ text: String?) -> [GoalAmount] {
        guard case .object(let members)? = json(text, as: JSONValue.self) else { return [] }
        return members.sorted { $0.key < $1.key }.prefix(Goals.Action.maxAmounts).compactMap { unit, value in
            switch value {
            case .integer(let number): GoalAmount(amount: Double(number), unit: unit)
            case .number(let number): GoalAmount(amount: number, unit: unit)
            default: nil
            }
        }
    }

    /// The JSON object of amounts, as the original app writes it; nil for none.
    package static func text(_ amounts: [GoalAmount]) -> String? {
        guard !amounts.isEmpty else { return nil }
        let members = amounts.sorted { $0.unit < $1.unit }.map { amount in
            var name: [UInt8] = []
            JSONBytes.append(amount.unit, to: &name)
            return "\(String(decoding: name, as: UTF8.self)): \(amount.amount)"
        }
        return "{" + members.joined(separator: ", ") + "}"
    }

    // MARK: Goals

    /// The kinds of the API and the class names of the original app.
    private static let kinds = [
        ("Goal", "goal"), ("SmartGoal", "smart"), ("Milestone", "milestone"), ("Obligation", "obligation"),
    ]

    static func kind(ofType type: String?) -> String { kinds.first { $0.0 == type }?.1 ?? "goal" }

    static func type(ofKind kind: String) -> String { kinds.first { $0.1 == kind }?.0 ?? "Goal" }

    /// Reads a row of `goals`, without what lies in other tables.
    static func goal(_ row: GoalRow) -> GoalRecord {
        let actionable = hints(row.text("how_goal_is_actionable"))
        var target: GoalAmount?
        if let amount = row.real("measurement_target"), let unit = row.text("measurement_unit") {
            target = GoalAmount(amount: amount, unit: unit)
        }
        return GoalRecord(
            id: row.text("uuid_id") ?? "", kind: kind(ofType: row.text("goal_type")), title: row.text("title") ?? "",
            description: row.text("description"), notes: row.text("notes"), logTime: row.date("log_time") ?? "",
            importance: 5, urgency: 5, target: target, startDate: day(row.date("start_date")),
            targetDate: day(row.date("target_date")), relevance: row.text("how_goal_is_relevant"),
            units: actionable.units, keywords: actionable.keywords,
            expectedTermLength: row.integer("expected_term_length").map { Int(clamping: $0) },
            rule: GoalRuleBody(kind: "sum"), schedule: GoalScheduleBody(kind: "daily"), version: 0)
    }

    /// The day of a stored date; nil for none.
    static func day(_ text: String?) -> String? { GoalTime.day(text)?.description }

    /// Units and keywords of `{"units": [...], "keywords": [...]}`; of other text none.
    static func hints(_ text: String?) -> (units: [String], keywords: [String]) {
        guard case .object(let members)? = json(text, as: JSONValue.self) else { return ([], []) }
        func list(_ name: String) -> [String] {
            guard case .array(let elements)? = members[name] else { return [] }
            return elements.prefix(Goals.Goal.maxHints).compactMap {
                if case .string(let text) = $0 { text } else { nil }
            }
        }
        return (list("units"), list("keywords"))
    }

    package static func text(units: [String], keywords: [String]) -> String? {
        guard !(units.isEmpty && keywords.isEmpty) else { return nil }
        return text(
            .object(["units": .array(units.map(JSONValue.string)), "keywords": .array(keywords.map(JSONValue.string))]))
    }

    /// A reminder; nil for a time that no clock shows, and without days that do not exist.
    static func reminder(_ row: GoalRow?) -> GoalReminder? {
        guard let at = row?.text("at") else { return nil }
        let days = json(row?.text("weekdays"), as: [Int].self).map { Set($0).filter((0...6).contains).sorted() }
        let reminder = GoalReminder(at: at, weekdays: days)
        return reminder.minute == nil ? nil : reminder
    }

    // MARK: Values, terms, measures

    static func value(_ row: GoalRow) -> ValueRecord {
        ValueRecord(
            id: row.text("uuid_id") ?? "", kind: row.text("incentive_type") ?? "general",
            title: row.text("title") ?? "", description: row.text("description"), notes: row.text("notes"),
            logTime: row.date("log_time") ?? "", priority: row.integer("priority").map { Int(clamping: $0) } ?? 50,
            lifeDomain: row.text("life_domain"), alignmentGuidance: row.text("alignment_guidance"),
            version: row.integer("version") ?? 0)
    }

    static func term(_ row: GoalRow) -> TermRecord {
        let (start, end) = (GoalTime.day(row.date("start_date")), GoalTime.day(row.date("target_date")))
        let days = start.flatMap { start in end.map { start.days(until: $0) + 1 } } ?? 0
        return TermRecord(
            id: row.text("uuid_id") ?? "", number: row.count("term_number"), title: row.text("title"),
            description: row.text("description"), notes: row.text("notes"), startDate: start?.description ?? "",
            targetDate: end?.description ?? "", theme: row.text("theme"), reflection: row.text("reflection"),
            status: "", weeks: max(0, (days + 6) / 7), version: row.integer("version") ?? 0)
    }

    static func measure(_ row: GoalRow) -> MeasureRecord {
        MeasureRecord(
            id: row.text("id") ?? "", unit: row.text("unit") ?? "", title: row.text("title"),
            description: row.text("description"), notes: row.text("notes"), logTime: row.date("log_time") ?? "",
            kind: row.text("kind") ?? "other", canonicalUnit: row.text("canonical_unit") ?? "",
            conversionFactor: row.real("conversion_factor") ?? 1, version: row.integer("version") ?? 0)
    }
}

extension GoalRuleBody {
    /// The rule as JSON for a column; nil for the total.
    var stored: String? {
        var members: [String: JSONValue] = ["kind": .string(kind)]
        members["bound"] = bound.map(JSONValue.string)
        members["window"] = window.map(JSONValue.string)
        members["share"] = share.map { .integer(Int64($0)) }
        members["length"] = length.map { .integer(Int64($0)) }
        members["freezes"] = freezes.map { .integer(Int64($0)) }
        return self == GoalRuleBody(kind: "sum") ? nil : GoalRows.text(.object(members))
    }
}

extension GoalScheduleBody {
    /// The schedule as JSON for a column.
    var stored: String {
        var members: [String: JSONValue] = ["kind": .string(kind)]
        members["weekdays"] = weekdays.map { .array($0.map { .integer(Int64($0)) }) }
        members["days"] = days.map { .integer(Int64($0)) }
        members["from"] = from.map(JSONValue.string)
        return GoalRows.text(.object(members))
    }
}

/// The columns that are read.
extension GoalColumns {
    static let action = GoalColumns(
        [
            "uuid_id", "title", "description", "notes", "log_time", "measurement_units_by_amount", "start_time",
            "duration_minutes",
        ], of: "a"
    ).and(["day", "zone", "day_start", "at"], of: "d")
    static let goal = GoalColumns(
        [
            "uuid_id", "title", "description", "notes", "log_time", "goal_type", "measurement_target",
            "measurement_unit", "start_date", "target_date", "how_goal_is_relevant", "how_goal_is_actionable",
            "expected_term_length",
        ], of: "g")
    static let value = GoalColumns([
        "uuid_id", "title", "description", "notes", "log_time", "incentive_type", "priority", "life_domain",
        "alignment_guidance",
    ])
    static let term = GoalColumns([
        "uuid_id", "title", "description", "notes", "term_number", "start_date", "target_date", "theme", "reflection",
    ])
    static let measure = GoalColumns([
        "id", "unit", "title", "description", "notes", "log_time", "kind", "canonical_unit", "conversion_factor",
    ])
    static let details = GoalColumns([
        "goal_id", "importance", "urgency", "requested_by", "consequence", "rule", "schedule",
    ])
    static let relevance = GoalColumns(["goal_id", "value_id", "alignment", "notes"])
    static let match = GoalColumns(
        ["goal_id", "action_id", "day", "state", "amount", "method", "confidence", "matched_on"], of: "m")
    static let decision = GoalColumns(["action_id", "goal_id", "answer", "amount", "decided_at"])
}
