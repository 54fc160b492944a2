/// Why a file gives no document.
package struct DocumentError: Error, Sendable, Hashable, Codable {
    package enum Code: String, Sendable, Hashable, Codable {
        /// The format is none that the gateway reads.
        case unknownFormat = "unknown_format"
        /// The file is damaged beyond repair, or is not of its format.
        case damaged
        /// A password is needed.
        case encrypted
        /// Digital rights management.
        case protected
        /// There is no text in it.
        case empty
        /// A size or a number in it is larger than a limit.
        case tooLarge = "too_large"
        /// It took too long, or too much memory.
        case tooCostly = "too_costly"
    }

    package var code: Code
    /// One sentence for the reader: what is wrong and what helps.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
