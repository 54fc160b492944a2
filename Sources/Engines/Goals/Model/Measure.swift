/// A unit that a person measures in.
package struct Measure: Hashable, Sendable {
    /// Title, description, notes.
    package let heading: Heading
    /// The unit's text, such as `km`.
    package let unit: String
    /// The unit that amounts convert to, such as `m`.
    package let canonicalUnit: String
    /// How many of the canonical unit one unit is.
    package let conversionFactor: Double

    /// Creates a measure. Throws ``InvalidFields`` if the units do not fit each other or the factor is not the exact one.
    package init(
        _ heading: Heading, unit: String, canonicalUnit: String, conversionFactor: Double
    ) throws(InvalidFields) {
        self.heading = heading
        self.unit = unit
        self.canonicalUnit = canonicalUnit
        self.conversionFactor = conversionFactor
        var check = GoalFieldCheck("measure")
        heading.check(&check, requiresTitle: false)
        check.unit("unit", unit)
        check.unit("canonical_unit", canonicalUnit)
        if let own = Unit(parsing: unit, custom: true), let canonical = Unit(parsing: canonicalUnit, custom: true) {
            let exact = own.fits(canonical) ? own.factor.divided(by: canonical.factor) : nil
            check.require(
                exact != nil, "canonical_unit", "a unit that \(unit) converts to", got: "\"\(canonicalUnit)\"")
            if let exact {
                check.require(
                    exact.doubleValue == conversionFactor, "conversion_factor", "\(exact)", got: "\(conversionFactor)")
            }
        }
        try check.finish()
    }
}
