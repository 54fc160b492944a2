import HTTPTypes
import Hummingbird
import Retrieval
import Storage
import Upstream

/// The one place where errors of other modules become HTTP.
extension GatewayError {
    /// Describes any error for the client; what is unknown becomes a 500 that says nothing of the inside.
    ///
    /// - Parameter path: The path of the request, for the text of a 404.
    init(describing error: any Error, path: String) {
        switch error {
        case let error as GatewayError: self = error
        case let error as UpstreamError: self.init(upstream: error)
        case let error as StorageError: self.init(storage: error)
        case let error as RetrievalError: self.init(retrieval: error)
        case is CancellationError:
            self.init(.clientClosedRequest, .clientClosed, "the request was cancelled")
        case let error as any HTTPResponseError where error.status == .notFound:
            self.init(.notFound, .notFound, "there is no \(path)")
        case let error as any HTTPResponseError where error.status == .contentTooLarge:
            self.init(.contentTooLarge, .tooLarge, "the body is too large")
        case let error as any HTTPResponseError:
            self.init(error.status, Code(rawValue: "http_\(error.status.code)"), error.status.reasonPhrase)
        default:
            self.init(.internalServerError, .internal, "the gateway failed; its log has the details")
        }
    }

    /// 502 when Ollama refused or broke, 504 when it took too long, and its own status when it gave one.
    init(upstream error: UpstreamError) {
        switch error.code {
        case .status:
            self.init(upstreamStatus: error.status ?? 502, message: error.message)
        case .connectTimeout, .firstByteTimeout, .idleTimeout:
            self.init(.gatewayTimeout, Code(rawValue: "upstream_\(error.code.rawValue)"), error.message)
        case .cancelled:
            self.init(.clientClosedRequest, .clientClosed, "the request was cancelled")
        case .shuttingDown:
            self.init(.serviceUnavailable, .shuttingDown, "the gateway is shutting down")
        case .overloaded:
            self.init(
                .tooManyRequests, .overloaded, error.message,
                headers: [.retryAfter: String(error.retryAfterSeconds ?? 1)])
        default:
            self.init(.badGateway, Code(rawValue: "upstream_\(error.code.rawValue)"), error.message)
        }
    }

    private init(upstreamStatus status: Int, message: String) {
        switch status {
        case 400: self.init(.badRequest, Code(rawValue: "upstream_rejected"), message)
        case 404: self.init(.notFound, Code(rawValue: "model_not_found"), message)
        case 413: self.init(.contentTooLarge, .tooLarge, message)
        case 429: self.init(.tooManyRequests, .overloaded, message)
        case 503: self.init(.serviceUnavailable, Code(rawValue: "upstream_busy"), message)
        default:
            self.init(.badGateway, Code(rawValue: "upstream_error"), "Ollama answered \(status): \(message)")
        }
    }

    private init(retrieval error: RetrievalError) {
        switch error.code {
        case .overloaded: self.init(.tooManyRequests, .overloaded, error.message, headers: [.retryAfter: "1"])
        case .invalidQuery: self.init(.badRequest, .invalidField, error.message)
        case .damaged:
            self.init(.serviceUnavailable, .storage, error.message + "; try again", headers: [.retryAfter: "1"])
        default: self.init(.internalServerError, .internal, "the index failed; the log has the details")
        }
    }

    private init(storage error: StorageError) {
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
        case .conflict: self.init(.conflict, Code(rawValue: "conflict"), error.message)
        case .invalid: self.init(.badRequest, .invalidField, error.message)
        default: self.init(.internalServerError, .storage, "the database failed; the log has the details")
        }
    }
}
