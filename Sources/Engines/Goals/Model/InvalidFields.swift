/// Why an entity was rejected: all of its fields that are wrong.
package struct InvalidFields: Error, Equatable, CustomStringConvertible {
    /// What is wrong with a field.
    package struct Fault: Equatable, Sendable, CustomStringConvertible {
        /// The column's name, such as `target_date`.
        package let field: String
        /// What the field may be.
        package let expected: String
        /// What it was, at most 64 characters of it.
        package let got: String

        /// For example `field "priority": expected 1 to 100, got 1000`.
        package var description: String { "field \"\(field)\": expected \(expected), got \(got)" }
    }

    /// The kind of entity, such as `goal`.
    package let entity: String
    /// At least one, in the order of the fields.
    package let faults: [Fault]

    /// Creates a refusal of one field.
    package init(entity: String = "request", _ field: String, expected: String, got: String) {
        self.init(
            entity: entity, faults: [Fault(field: field, expected: expected, got: String(got.prefix(64)))])
    }

    init(entity: String, faults: [Fault]) {
        self.entity = entity
        self.faults = faults
    }

    /// The faults in one line.
    package var description: String { "\(entity): \(faults.map(\.description).joined(separator: "; "))" }
}
