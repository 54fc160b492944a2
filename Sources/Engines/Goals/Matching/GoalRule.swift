/// What makes actions count for one goal, prepared for many comparisons.
package struct GoalRule: Sendable {
    package let id: EntityID
    /// The first day that counts.
    package let start: LocalDay
    /// The last day that counts.
    package let end: LocalDay
    /// The unit in which the goal counts; nil for a goal that counts actions.
    let unit: Unit?
    /// Units of which an action needs one, if the goal counts actions; empty if any will do.
    let hints: [Unit]
    /// The words of each keyword.
    let keywords: [[String]]
    /// The words of the goal's title that mean something.
    let titleWords: Set<String>

    /// Prepares a goal.
    package init(_ goal: Goal) {
        id = goal.expectation.heading.id
        start = goal.start ?? .earliest
        end = goal.targetDate ?? .latest
        unit = goal.target.flatMap { Unit(parsing: $0.unit, custom: true) }
        let hints = (goal.actionability?.units ?? []).compactMap { Unit(parsing: $0, custom: true) }
        self.hints = unit == nil ? hints : []
        keywords = (goal.actionability?.keywords ?? []).map(ComparisonWords.canonical).filter { !$0.isEmpty }
        let words = ComparisonWords.canonical(goal.expectation.heading.title ?? "")
        titleWords = Set(words.filter { $0.count > 2 && !Self.fillers.contains($0) && !$0.allSatisfy(\.isNumber) })
    }

    /// Whether a day is one of the goal's.
    func isOpen(on day: LocalDay) -> Bool { start <= day && day <= end }

    private static let fillers = Set(
        ComparisonWords.split(
            """
            the and for with from each every per week day month year more less than times goal a an to in of on my der die das \
            und für mit von jede jeden jedes pro woche tag monat jahr mehr weniger als mal ziel ein eine im in am zu
            """))
}
