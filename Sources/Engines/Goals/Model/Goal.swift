/// Something that a person wants to reach.
package struct Goal: Hashable, Sendable {
    /// How strict the goal is.
    package enum Kind: String, CaseIterable, Sendable {
        /// Everything but the title is optional.
        case goal = "Goal"
        /// Specific, measurable, actionable, relevant, with dates: nothing of it may be missing.
        case smart = "SmartGoal"
    }

    /// What makes actions count for the goal.
    package struct Actionability: Hashable, Sendable {
        /// Units as the person wrote them.
        package let units: [String]
        /// Words of which an action's title has one.
        package let keywords: [String]

        /// Creates the rule; the goal checks it.
        package init(units: [String] = [], keywords: [String] = []) {
            self.units = units
            self.keywords = keywords
        }
    }

    /// Units and keywords at most, each.
    package static let maxHints = 50

    /// Title, importance, urgency.
    package let expectation: Expectation
    /// How strict it is.
    package let kind: Kind
    /// How much is wanted.
    package let target: GoalTarget?
    /// The first day that counts.
    package let start: LocalDay?
    /// The last day that counts.
    package let targetDate: LocalDay?
    /// Why it matters to the person.
    package let relevance: String?
    /// Which actions count.
    package let actionability: Actionability?
    /// In weeks.
    package let expectedTermLength: Int?

    /// Creates a goal.
    ///
    /// Throws ``InvalidFields``, which names all faults: for a SMART goal each missing part, and for any goal a target
    /// that is not above 0, an unreadable unit, an end before the start.
    package init(
        _ expectation: Expectation, kind: Kind = .goal, target: GoalTarget? = nil, start: LocalDay? = nil,
        targetDate: LocalDay? = nil, relevance: String? = nil, actionability: Actionability? = nil,
        expectedTermLength: Int? = nil
    ) throws(InvalidFields) {
        self.expectation = expectation
        self.kind = kind
        self.target = target
        self.start = start
        self.targetDate = targetDate
        self.relevance = relevance
        self.actionability = actionability
        self.expectedTermLength = expectedTermLength
        var check = GoalFieldCheck("goal")
        expectation.check(&check)
        target?.check(&check)
        check.order("target_date", targetDate, notBefore: start)
        check.text("how_goal_is_relevant", relevance, required: kind == .smart)
        check.range("expected_term_length", expectedTermLength, 1...520)
        checkActionability(&check)
        if kind == .smart { checkSmart(&check) }
        try check.finish()
    }

    private func checkActionability(_ check: inout GoalFieldCheck) {
        let units = actionability?.units ?? []
        let keywords = actionability?.keywords ?? []
        let field = "how_goal_is_actionable"
        check.require(
            max(units.count, keywords.count) <= Self.maxHints, field, "at most \(Self.maxHints) units and keywords",
            got: "more")
        for unit in units.prefix(Self.maxHints) { check.unit(field, unit) }
        for keyword in keywords.prefix(Self.maxHints) {
            check.text(field, keyword, required: true, limit: GoalFieldCheck.maxTitle)
        }
    }

    private func checkSmart(_ check: inout GoalFieldCheck) {
        check.present(target, "measurement_target", "a number and its unit")
        check.present(start, "start_date", "a date")
        check.present(targetDate, "target_date", "a date")
        let hints = (actionability?.units ?? []) + (actionability?.keywords ?? [])
        check.require(!hints.isEmpty, "how_goal_is_actionable", "units or keywords", got: "nothing")
        if let start, let targetDate {
            check.require(targetDate > start, "target_date", "a day after \(start)", got: "\(targetDate)")
        }
    }
}
