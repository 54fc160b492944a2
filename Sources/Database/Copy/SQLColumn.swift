/// A column as its engine declares it.
package struct SQLColumn: Sendable, Hashable {
    package enum Kind: Sendable { case integer, real, bool, text, bytes, any }

    package let name: String
    package let kind: Kind
    /// Whether it takes no NULL.
    package let isRequired: Bool

    /// - Parameter type: The declared type; empty for a column of SQLite that takes any kind.
    package init(name: String, type: String, isRequired: Bool = false) {
        (self.name, self.isRequired) = (name, isRequired)
        let type = type.lowercased()
        kind =
            if type.isEmpty {
                .any
            } else if type.contains("int") {
                .integer
            } else if type.contains("bool") {
                .bool
            } else if type.contains("real") || type.contains("double") || type.contains("float") {
                .real
            } else if type.contains("blob") || type == "bytea" {
                .bytes
            } else {
                .text
            }
    }

    /// A cell as a value of the column; nil when it does not fit, as a text with a zero byte or in a column of integers.
    package func value(_ cell: SQLCell) -> SQLValue? {
        switch (kind, cell) {
        case (_, .null) where isRequired: nil
        case (.integer, .null): .integer(nil)
        case (.real, .null): .real(nil)
        case (.bool, .null): .bool(nil)
        case (.text, .null), (.any, .null): .text(nil)
        case (.bytes, .null): .bytes(nil)
        case (.integer, .integer(let number)), (.any, .integer(let number)): .integer(number)
        case (.real, .integer(let number)): .real(Double(number))
        case (.real, .real(let number)), (.any, .real(let number)): .real(number)
        case (.bool, .integer(let number)): .bool(number != 0)
        case (.text, .integer), (.text, .real): .text(cell.asText)
        case (.text, .text(let text)), (.any, .text(let text)): text.utf8.contains(0) ? nil : .text(text)
        case (.bytes, .bytes(let bytes)), (.any, .bytes(let bytes)): .bytes(bytes)
        default: nil
        }
    }
}
