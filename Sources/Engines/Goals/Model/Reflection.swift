/// What a person makes of a term, or of a day within one.
package struct Reflection: Hashable, Sendable {
    /// Title and text: the text is the description.
    package let heading: Heading
    package let term: EntityID
    /// The day that it was written for.
    package let day: LocalDay

    /// Creates a reflection. Throws ``InvalidFields`` without a text.
    package init(_ heading: Heading, term: EntityID, day: LocalDay) throws(InvalidFields) {
        self.heading = heading
        self.term = term
        self.day = day
        var check = GoalFieldCheck("reflection")
        heading.check(&check, requiresTitle: false)
        check.text("description", heading.details, required: true)
        try check.finish()
    }
}
