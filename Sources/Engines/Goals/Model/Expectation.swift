/// What goals, milestones and obligations have in common.
package struct Expectation: Hashable, Sendable {
    /// Title, description, notes.
    package let heading: Heading
    /// 1 to 10.
    package let importance: Int
    /// 1 to 10.
    package let urgency: Int

    /// Creates an expectation; goal, milestone or obligation check it.
    package init(_ heading: Heading, importance: Int = 5, urgency: Int = 5) {
        self.heading = heading
        self.importance = importance
        self.urgency = urgency
    }

    func check(_ check: inout GoalFieldCheck) {
        heading.check(&check)
        check.range("importance", importance, 1...10)
        check.range("urgency", urgency, 1...10)
    }
}
