/// An error of evaluation: a malformed input file, or a comparison that has no result.
public struct EvaluationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for people. It begins with `file:line:` when a line is wrong, and with `file:` when a whole file is.
    public var message: String

    /// Creates an error.
    public init(_ message: String) { self.message = message }

    /// Creates an error about a place: `path` or `path:line`.
    init(at place: String, _ message: String) { self.message = "\(place): \(message)" }

    /// The message.
    public var description: String { message }
}
