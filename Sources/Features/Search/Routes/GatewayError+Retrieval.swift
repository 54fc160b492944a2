import HTTPTypes
package import Retrieval
import Server

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
