/// An error of retrieval.
public struct RetrievalError: Error, Sendable, CustomStringConvertible {
    /// The kind of error. New kinds may be added; compare with the constants.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// A word for logs.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A vector has another length than the space's, or there is no space.
        public static let dimensions = Code(rawValue: "dimensions")
        /// A vector has a component that is not finite, or is zero.
        public static let unusableVector = Code(rawValue: "unusable_vector")
        /// A query lacks a required part, or exceeds a limit.
        public static let invalidQuery = Code(rawValue: "invalid_query")
        /// Too many searches are waiting.
        public static let overloaded = Code(rawValue: "overloaded")
        /// An index file cannot be read or written, or this version cannot interpret the file.
        public static let indexFile = Code(rawValue: "index_file")
        /// The mapped index file was cut or overwritten while in use. The index must be rebuilt.
        public static let damaged = Code(rawValue: "damaged")
    }

    /// The kind of error.
    public var code: Code
    /// A sentence for users.
    public var message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension RetrievalError {
    /// The error of every search after the index file was changed in place.
    static var damagedFile: RetrievalError {
        RetrievalError(.damaged, "the index file was cut or overwritten while it was in use")
    }
}
