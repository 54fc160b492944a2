import HTTPTypes
package import PostgresStorage
package import Retrieval
package import Server

extension GatewayError {
    /// Maps an index error to HTTP.
    package init(retrieval error: RetrievalError) {
        switch error.code {
        case .overloaded: self.init(.tooManyRequests, .overloaded, error.message, headers: [.retryAfter: "1"])
        case .invalidQuery: self.init(.badRequest, .invalidField, error.message)
        case .damaged:
            self.init(.serviceUnavailable, .storage, error.message + "; try again", headers: [.retryAfter: "1"])
        default: self.init(.internalServerError, .internal, "the index failed; the log has the details")
        }
    }
}

extension GatewayError {
    /// Maps an error of PostgreSQL to HTTP.
    package init(postgres error: PostgresError) {
        switch error.code {
        case .invalid: self.init(.badRequest, .invalidField, error.message)
        case .notFound: self.init(.notFound, .notFound, error.message)
        case .conflict: self.init(.conflict, Code(rawValue: "conflict"), error.message)
        case .diskFull: self.init(.init(code: 507), .diskFull, "the disk of the PostgreSQL server is full")
        case .serialization, .readOnly:
            self.init(.serviceUnavailable, .storage, error.message, headers: [.retryAfter: "1"])
        case _ where error.isOutage:
            self.init(.serviceUnavailable, .storage, error.message, headers: [.retryAfter: "5"])
        default: self.init(.internalServerError, .storage, "PostgreSQL failed; the log has the details")
        }
    }
}

extension GatewayError {
    package static let ofSearch: [ErrorShapes.Shape] = [
        { ($0 as? RetrievalError).map { GatewayError(retrieval: $0) } },
        { ($0 as? PostgresError).map { GatewayError(postgres: $0) } },
    ]
}
