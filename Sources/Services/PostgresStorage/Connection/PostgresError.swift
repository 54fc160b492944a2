import Database

/// An error of the PostgreSQL store. Its message never holds a password.
package struct PostgresError: TransientError, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: String, Sendable, Hashable {
        /// The address cannot be read.
        case address
        /// No server answers at the address, or it does not accept connections now.
        case refused
        /// The server refused the name, the password or the certificate.
        case authentication
        /// The connection broke. A write that it interrupted was rolled back.
        case lost
        /// The connection broke while a transaction was committed, and the server cannot say whether it was.
        case unknownOutcome = "unknown_outcome"
        /// The server did not answer in time; the statement was cancelled.
        case timeout
        /// All connections were in use for too long, or too many callers waited for one.
        case busy
        /// Transactions disturbed each other; a retry may succeed.
        case serialization
        /// The server lacks an extension.
        case missingExtension = "missing_extension"
        /// The server or the role may only read.
        case readOnly = "read_only"
        /// The disk of the server is full.
        case diskFull = "disk_full"
        /// A row does not exist.
        case notFound = "not_found"
        /// A row that must be unique exists already, or the state forbids the change.
        case conflict
        /// A value cannot be stored.
        case invalid
        /// A newer version of the gateway wrote the schema.
        case newerVersion = "newer_version"
        /// Any other error that the server reports.
        case failed
    }

    /// The kind of failure.
    package var code: Code
    /// A readable sentence.
    package var message: String
    /// The server's five-character code; nil when the error is not the server's.
    package var state: String?

    package init(_ code: Code, _ message: String, state: String? = nil) {
        self.code = code
        self.message = message
        self.state = state
    }

    /// The code and the message.
    package var description: String { "\(code.rawValue): \(message)" }

    /// Whether the server cannot be used now, whatever is asked.
    package var isOutage: Bool {
        switch code {
        case .refused, .lost, .authentication, .timeout, .busy, .unknownOutcome: true
        default: false
        }
    }

    /// Whether the same call may succeed later. During a failover a server may only read.
    package var isTransient: Bool { isOutage || code == .serialization || code == .readOnly }

    package var isRefusal: Bool { code == .invalid || state?.hasPrefix("23") == true }

    /// Creates the error of a server's answer.
    ///
    /// - Parameters:
    ///   - state: The SQLSTATE of the answer.
    ///   - text: The answer's message.
    init(state: String?, _ text: String) {
        let code: Code =
            switch state ?? "" {
            case "40001", "40P01": .serialization
            case "57014": .timeout
            case "57P01", "57P02", "57P05": .lost
            case "57P03", "53300": .refused
            case "28000", "28P01": .authentication
            case "23505", "23503": .conflict
            case "25006", "42501": .readOnly
            case "53100": .diskFull
            case let state where state.hasPrefix("08"): .lost
            case let state where state.hasPrefix("22"): .invalid
            default: .failed
            }
        self.init(code, "PostgreSQL: \(text)", state: state)
    }
}
