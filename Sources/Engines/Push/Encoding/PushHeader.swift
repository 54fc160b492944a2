/// A header field of a request.
package struct PushHeader: Sendable, Hashable {
    /// The name in lower case.
    package let name: String
    /// The value, without control characters.
    package let value: String

    /// Creates a field.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
