/// What evaluation refuses: a file that is not what it should be, or a question that has no answer.
public struct EvaluationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence for people; it begins with `file:line:` where a line is to blame, and with `file:` where a file is.
    public var message: String

    /// Creates an error.
    public init(_ message: String) { self.message = message }

    /// Creates an error about a place: `path` or `path:line`.
    init(at place: String, _ message: String) { self.message = "\(place): \(message)" }

    /// The message.
    public var description: String { message }
}
