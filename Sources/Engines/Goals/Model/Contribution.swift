package import Schedules

/// That an action counts for a goal; there is one of them for an action and a goal at most.
package struct Contribution: Hashable, Sendable {
    /// How it came about.
    package enum Method: String, CaseIterable, Sendable {
        /// By the rules, with enough confidence.
        case autoInferred = "auto_inferred"
        /// Suggested by the rules, confirmed by the person.
        case userConfirmed = "user_confirmed"
        /// By the person.
        case manual
    }

    /// What was done.
    package let action: EntityID
    /// What it counts for.
    package let goal: EntityID
    /// How much it adds, in the goal's unit.
    package let amount: Double
    /// How it came about.
    package let method: Method
    /// 0 to 1; 1 for what the person said.
    package let confidence: Double
    /// The parts that the confidence is made of, such as `period unit words`.
    package let matchedOn: String
    /// When it was decided.
    package let decidedAt: Instant?

    /// Creates a contribution. Throws ``InvalidFields`` for a negative amount or a confidence outside of 0 to 1.
    package init(
        action: EntityID, goal: EntityID, amount: Double, method: Method, confidence: Double, matchedOn: String,
        decidedAt: Instant? = nil
    ) throws(InvalidFields) {
        self.action = action
        self.goal = goal
        self.amount = amount
        self.method = method
        self.confidence = confidence
        self.matchedOn = matchedOn
        self.decidedAt = decidedAt
        var check = GoalFieldCheck("contribution")
        check.amount("contribution", amount)
        check.require((0...1).contains(confidence), "confidence", "0 to 1", got: "\(confidence)")
        check.text("matched_on", matchedOn, limit: GoalFieldCheck.maxTitle)
        try check.finish()
    }
}
