/// What of an action is compared with goals.
package struct ActionFacts: Sendable {
    package let id: EntityID
    /// The day that is stored with the action.
    package let day: LocalDay
    let quantities: [Quantity]
    let minutes: Quantity?
    /// The words of the title in order, activities by their keys.
    let words: [String]

    /// Prepares an action.
    package init(_ action: Action) {
        id = action.heading.id
        day = action.stamp.day
        quantities = action.amounts.compactMap(\.quantity)
        minutes = action.durationMinutes.flatMap { GoalTarget($0, "min").quantity }
        words = ComparisonWords.canonical(action.heading.title ?? "")
    }

    /// The sum of the amounts that convert to a unit; the duration if none does; nil if that does not convert either.
    func amount(in unit: Unit) -> Rational? {
        let converted = quantities.compactMap { $0.converted(to: unit)?.amount }
        guard let first = converted.first else { return minutes?.converted(to: unit)?.amount }
        return converted.dropFirst().reduce(first) { sum, next in sum.flatMap { $0.adding(next) } }
    }
}
