/// What retrieval refuses.
public struct RetrievalError: Error, Sendable, CustomStringConvertible {
    /// The kind of refusal. New kinds may be added; compare with the constants.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// A word for logs.
        public let rawValue: String
        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A vector has another length than the space, or there is no space.
        public static let dimensions = Code(rawValue: "dimensions")
        /// A vector has a component that is not finite, or is zero.
        public static let unusableVector = Code(rawValue: "unusable_vector")
        /// A query asks for something that it does not give, or for too much.
        public static let invalidQuery = Code(rawValue: "invalid_query")
        /// Too many searches wait already.
        public static let overloaded = Code(rawValue: "overloaded")
        /// An index file cannot be read or written, or is not one that this version understands.
        public static let indexFile = Code(rawValue: "index_file")
        /// The mapped index file was cut or overwritten while the index used it. The index has to be built anew.
        public static let damaged = Code(rawValue: "damaged")
    }

    /// The kind of refusal.
    public var code: Code
    /// A sentence for people.
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
    /// The error of every search of an index whose file was changed.
    static var damagedFile: RetrievalError {
        RetrievalError(.damaged, "the index file was cut or overwritten while it was in use")
    }
}
