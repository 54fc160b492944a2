/// A field that breaks its rule.
package struct PushFieldError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The begin of the reason for a field that nobody reads.
    package static let unknown = "is not known"

    /// The path of the field, such as `actions[1].url`.
    package let field: String
    /// What was expected and what came instead.
    package let reason: String

    package init(_ field: String, _ reason: String) {
        self.field = field
        self.reason = reason
    }

    /// For example `field "badge": expected 0 to 99999, got -1`.
    package var description: String { "field \"\(field)\": \(reason)" }
}
