/// The parameters of a statement that is put together from parts.
package struct SQLParameters {
    package private(set) var values: [SQLValue] = []

    package init() {}

    /// Adds a value; returns its place in the statement.
    package mutating func add(_ value: SQLValue) -> String {
        values.append(value)
        return "$\(values.count)"
    }

    package mutating func add(_ text: String) -> String { add(.text(text)) }
}
