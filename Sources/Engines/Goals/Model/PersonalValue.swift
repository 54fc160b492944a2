/// What matters to a person.
package struct PersonalValue: Hashable, Sendable {
    /// How far a value reaches.
    package enum Kind: String, CaseIterable, Sendable {
        /// Any value.
        case general
        /// A value to act upon.
        case major
        /// A value behind other values.
        case highestOrder = "highest_order"
        /// A part of life, such as health.
        case lifeArea = "life_area"
    }

    /// Title, description, notes.
    package let heading: Heading
    /// How far it reaches.
    package let kind: Kind
    /// 1 (first) to 100.
    package let priority: Int
    /// The part of life that it belongs to.
    package let lifeDomain: String?
    /// How actions show that they serve it.
    package let alignmentGuidance: String?

    /// Creates a value. Throws ``InvalidFields`` for an empty title or a priority outside of 1 to 100.
    package init(
        _ heading: Heading, kind: Kind = .general, priority: Int = 50, lifeDomain: String? = nil,
        alignmentGuidance: String? = nil
    ) throws(InvalidFields) {
        self.heading = heading
        self.kind = kind
        self.priority = priority
        self.lifeDomain = lifeDomain
        self.alignmentGuidance = alignmentGuidance
        var check = GoalFieldCheck("value")
        heading.check(&check)
        check.range("priority", priority, 1...100)
        check.text("life_domain", lifeDomain, limit: GoalFieldCheck.maxTitle)
        check.text("alignment_guidance", alignmentGuidance)
        try check.finish()
    }
}
