/// An error of evaluation: a malformed input file, or a comparison that has no result.
package struct EvaluationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for people. It begins with `file:line:` when a line is wrong, and with `file:` when a whole file is.
    package var message: String

    package init(_ message: String) { self.message = message }

    /// Creates an error about a place: `path` or `path:line`.
    init(at place: String, _ message: String) { self.message = "\(place): \(message)" }

    /// The message.
    package var description: String { message }
}
