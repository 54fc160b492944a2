/// How much of a unit is wanted.
package struct GoalTarget: Hashable, Sendable {
    /// The amount, in the unit.
    package let amount: Double
    /// The unit as the person wrote it, such as `km`.
    package let unit: String

    /// Creates a target; the goal checks it.
    package init(_ amount: Double, _ unit: String) {
        self.amount = amount
        self.unit = unit
    }

    /// The exact amount; nil for a target that no goal accepts.
    package var quantity: Quantity? {
        guard let amount = Rational(amount), let unit = Unit(parsing: unit, custom: true) else { return nil }
        return Quantity(amount, unit)
    }

    func check(_ check: inout GoalFieldCheck) {
        check.amount("measurement_target", amount, positive: true)
        check.unit("measurement_unit", unit)
    }
}
