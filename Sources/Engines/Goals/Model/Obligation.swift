/// Something that a person owes to somebody.
package struct Obligation: Hashable, Sendable {
    /// Title, importance, urgency.
    package let expectation: Expectation
    /// The last day.
    package let deadline: LocalDay
    /// Who asked.
    package let requestedBy: String?
    /// What happens otherwise.
    package let consequence: String?

    /// Creates an obligation. Throws ``InvalidFields`` without a deadline.
    package init(
        _ expectation: Expectation, deadline: LocalDay?, requestedBy: String? = nil, consequence: String? = nil
    ) throws(InvalidFields) {
        var check = GoalFieldCheck("obligation")
        expectation.check(&check)
        check.present(deadline, "deadline", "a date")
        check.text("requested_by", requestedBy, limit: GoalFieldCheck.maxTitle)
        check.text("consequence", consequence)
        try check.finish()
        self.expectation = expectation
        self.deadline = deadline ?? .latest
        self.requestedBy = requestedBy
        self.consequence = consequence
    }
}
