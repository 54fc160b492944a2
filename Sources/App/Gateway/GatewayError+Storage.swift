import HTTPTypes
import Server
import Storage

extension GatewayError {
    /// Creates the HTTP error of a failure of the database. A client learns what it can change or wait for, and no detail of
    /// other failures.
    init(storage error: StorageError) {
        switch error.code {
        case .diskFull: self.init(.insufficientStorage, .diskFull, error.message)
        case .busy, .readOnly:
            self.init(.serviceUnavailable, .storage, error.message, headers: [.retryAfter: "1"])
        case .schema:
            self.init(
                .serviceUnavailable, .storage,
                "the tables of the notes are being changed by another program; try again",
                headers: [.retryAfter: "1"])
        case .notFound: self.init(.notFound, .notFound, error.message)
        case .conflict, .duplicate, .reused:
            self.init(.conflict, Code(rawValue: error.code.rawValue), error.message)
        case .invalid: self.init(.badRequest, .invalidField, error.message)
        default: self.init(.internalServerError, .storage, "the database failed; the log has the details")
        }
    }
}
