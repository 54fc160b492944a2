/// A value that changes on certain days, such as a target: each day has the value that was in force then.
package struct Timeline<Value: Sendable & Hashable>: Sendable, Hashable {
    /// A value and its first day.
    package struct Change: Sendable, Hashable {
        /// The first day that has the value.
        package let from: LocalDay
        /// In force until the next change.
        package let value: Value

        package init(from: LocalDay, value: Value) {
            self.from = from
            self.value = value
        }
    }

    /// Changes at most.
    package static var maxChanges: Int { 1000 }

    /// The value before the first change.
    package let initial: Value
    /// In ascending order, one a day at most.
    package private(set) var changes: [Change] = []

    /// Creates a value that has never changed.
    package init(_ initial: Value) { self.initial = initial }

    /// Creates a value from stored changes in any order; of two on one day the later in the array counts. Only the
    /// first ``maxChanges`` days are kept.
    package init(_ initial: Value, changes: [Change]) {
        self.init(initial)
        var latest: [LocalDay: Change] = [:]
        for change in changes { latest[change.from] = change }
        self.changes = Array(latest.values.sorted { $0.from < $1.from }.prefix(Self.maxChanges))
    }

    /// The value in force on a day.
    package func value(on day: LocalDay) -> Value {
        var low = 0
        var high = changes.count
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].from <= day { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? initial : changes[low - 1].value
    }

    /// Sets the value from a day on, until the next change that is already planned.
    ///
    /// Throws ``InvalidFields`` for a day before `today`: a change never rewrites the past.
    package mutating func set(_ value: Value, from day: LocalDay, today: LocalDay) throws(InvalidFields) {
        var check = GoalFieldCheck("change")
        check.require(day >= today, "from", "today (\(today)) or later", got: "\(day)")
        check.require(changes.count < Self.maxChanges, "changes", "at most \(Self.maxChanges)", got: "more")
        try check.finish()
        changes = Timeline(initial, changes: changes + [Change(from: day, value: value)]).changes
    }
}
