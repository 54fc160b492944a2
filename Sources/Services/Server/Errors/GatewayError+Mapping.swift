import Access
import HTTPTypes
import Hummingbird

/// Maps errors to HTTP: the server knows its own errors, a feature registers those of its services.
package struct ErrorShapes: Sendable {
    /// Returns the error for the client; nil for an error of another kind.
    package typealias Shape = @Sendable (any Error) -> GatewayError?

    private let shapes: [Shape]
    private let retryAfterSeconds: @Sendable () -> Int

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - shapes: Tried in order; the first one that returns an error decides. The server's own errors come last.
    ///   - retryAfterSeconds: When a retry is likely to succeed, for temporary errors that do not say so themselves.
    package init(_ shapes: [Shape], retryAfterSeconds: @escaping @Sendable () -> Int) {
        self.shapes = shapes
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// Describes any error for the client.
    ///
    /// - Parameter path: The path of the request, for the text of a 404.
    package func describe(_ error: any Error, path: String) -> GatewayError {
        for shape in shapes {
            if let shaped = shape(error) { return shaped.retriable(after: retryAfterSeconds()) }
        }
        return GatewayError(describing: error, path: path).retriable(after: retryAfterSeconds())
    }

    /// The log text of an error that escaped a route; see ``ErrorSummary``.
    package func summary(of error: any Error) -> String {
        // A registered error is one of ours, so its text is safe to log.
        shapes.contains { $0(error) != nil } ? "\(type(of: error)) \(error)" : ErrorSummary.text(of: error)
    }
}

extension GatewayError {
    /// Describes any error for the client. Unknown errors become a 500 without internal details.
    ///
    /// - Parameter path: The path of the request, for the text of a 404.
    package init(describing error: any Error, path: String) {
        switch error {
        case let error as GatewayError: self = error
        case let error as AccessRefusal: self.init(error)
        case is CancellationError:
            self.init(.clientClosedRequest, .clientClosed, "the request was cancelled")
        case let error where ClientDisconnectErrors.isMeant(by: error):
            self.init(.clientClosedRequest, .clientClosed, "the client closed the connection")
        case let error as any HTTPResponseError where error.status == .notFound:
            self.init(.notFound, .notFound, PathSuggestion.missing(path))
        case let error as any HTTPResponseError where error.status == .contentTooLarge:
            self.init(.contentTooLarge, .tooLarge, "the body is too large")
        case let error as any HTTPResponseError:
            self.init(error.status, Code(rawValue: "http_\(error.status.code)"), error.status.reasonPhrase)
        default:
            self.init(.internalServerError, .internal, "the gateway failed; its log has the details")
        }
    }
}
