/// That a goal serves a value.
package struct Relevance: Hashable, Sendable {
    package let goal: EntityID
    /// The value that it serves.
    package let value: EntityID
    /// How well it does: 1 to 10.
    package let alignment: Int
    /// Why.
    package let notes: String?

    /// Creates a relevance. Throws ``InvalidFields`` for an alignment outside of 1 to 10.
    package init(goal: EntityID, value: EntityID, alignment: Int, notes: String? = nil) throws(InvalidFields) {
        self.goal = goal
        self.value = value
        self.alignment = alignment
        self.notes = notes
        var check = GoalFieldCheck("relevance")
        check.range("alignment_strength", alignment, 1...10)
        check.text("relevance_notes", notes)
        try check.finish()
    }
}
