package import Schedules

/// Something that a person did.
package struct Action: Hashable, Sendable {
    /// An amount with the unit as the person wrote it.
    package struct Amount: Hashable, Sendable {
        /// At least 0.
        package let value: Double
        /// For example `km`.
        package let unit: String

        /// Creates an amount; the action checks it.
        package init(_ value: Double, _ unit: String) {
            self.value = value
            self.unit = unit
        }

        /// The exact amount; nil for one that no action accepts.
        package var quantity: Quantity? { GoalTarget(value, unit).quantity }
    }

    /// Amounts of one action at most.
    package static let maxAmounts = 20

    /// Title, description, notes.
    package let heading: Heading
    /// What was measured, each unit once.
    package let amounts: [Amount]
    /// How long it took, in minutes.
    package let durationMinutes: Double?
    /// When it began.
    package let startTime: Instant?
    /// The day that it counts for, fixed when it was logged.
    package let stamp: DayStamp

    /// Creates an action.
    ///
    /// Throws ``InvalidFields`` for negative or endless amounts, a unit named twice, more than ten days of duration, and
    /// an action that says nothing: neither title nor amount nor duration.
    package init(
        _ heading: Heading, amounts: [Amount] = [], durationMinutes: Double? = nil, startTime: Instant? = nil,
        stamp: DayStamp
    ) throws(InvalidFields) {
        self.heading = heading
        self.amounts = amounts
        self.durationMinutes = durationMinutes
        self.startTime = startTime
        self.stamp = stamp
        var check = GoalFieldCheck("action")
        heading.check(&check, requiresTitle: amounts.isEmpty && durationMinutes == nil)
        let field = "measurement_units_by_amount"
        check.require(amounts.count <= Self.maxAmounts, field, "at most \(Self.maxAmounts)", got: "\(amounts.count)")
        for amount in amounts.prefix(Self.maxAmounts) {
            check.amount(field, amount.value)
            check.unit(field, amount.unit)
        }
        check.require(Set(amounts.map(\.unit)).count == amounts.count, field, "each unit once", got: "a unit twice")
        check.amount("duration_minutes", durationMinutes)
        check.range("duration_minutes", durationMinutes, 0...14_400)
        check.range("day_start", stamp.startMinute, 0...1439)
        check.text("zone", stamp.zone, required: true, limit: 64)
        try check.finish()
    }
}
