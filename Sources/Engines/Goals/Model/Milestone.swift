/// A point on the way: a date, and perhaps an amount that is reached by then.
package struct Milestone: Hashable, Sendable {
    /// Title, importance, urgency.
    package let expectation: Expectation
    /// The day by which it is reached.
    package let targetDate: LocalDay
    /// How much is reached by then.
    package let target: GoalTarget?

    /// Creates a milestone. Throws ``InvalidFields`` without a target date, and with a start.
    package init(
        _ expectation: Expectation, targetDate: LocalDay?, start: LocalDay? = nil, target: GoalTarget? = nil
    ) throws(InvalidFields) {
        var check = GoalFieldCheck("milestone")
        expectation.check(&check)
        target?.check(&check)
        check.present(targetDate, "target_date", "a date")
        check.require(start == nil, "start_date", "nothing, a milestone is one day", got: start?.description ?? "")
        try check.finish()
        self.expectation = expectation
        self.targetDate = targetDate ?? .latest
        self.target = target
    }
}
