/// A term: usually ten weeks, with the goals that the person committed to.
package struct Term: Hashable, Sendable {
    /// Where a term stands.
    package enum Status: String, CaseIterable, Sendable {
        /// Not begun.
        case planned
        /// Running.
        case active
        /// Over.
        case completed
        /// To begin later than planned.
        case delayed
        /// Paused.
        case onHold = "on_hold"
        /// Given up.
        case cancelled
    }

    /// Goals of one term at most.
    package static let maxGoals = 100

    /// Title, description, notes.
    package let heading: Heading
    /// Counts a person's terms, from 1.
    package let number: Int
    /// The first day.
    package let start: LocalDay
    /// The last day.
    package let target: LocalDay
    /// What it is about.
    package let theme: String?
    /// Where it stands.
    package let status: Status
    /// Committed goals, in the person's order. Goals that merely overlap the term are not listed.
    package let goals: [EntityID]

    /// Creates a term. Throws ``InvalidFields`` for a number below 1, an end before the start, or a goal named twice.
    package init(
        _ heading: Heading, number: Int, start: LocalDay, target: LocalDay, theme: String? = nil,
        status: Status = .planned, goals: [EntityID] = []
    ) throws(InvalidFields) {
        self.heading = heading
        self.number = number
        self.start = start
        self.target = target
        self.theme = theme
        self.status = status
        self.goals = goals
        var check = GoalFieldCheck("term")
        heading.check(&check, requiresTitle: false)
        check.range("term_number", number, 1...10_000)
        check.order("target_date", target, notBefore: start)
        check.text("theme", theme)
        check.require(goals.count <= Self.maxGoals, "goals", "at most \(Self.maxGoals)", got: "\(goals.count)")
        check.require(Set(goals).count == goals.count, "goals", "each goal once", got: "a goal twice")
        try check.finish()
    }
}
