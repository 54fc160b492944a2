package import GatewayAPI
package import HTTPTypes
package import Hummingbird
import NIOCore

/// An error that the client sees: a status, a stable code and a sentence.
///
/// Every route throws only this error. ``ErrorMiddleware`` gives all other errors the same shape.
package struct GatewayError: HTTPResponseError, CustomStringConvertible {
    package var status: HTTPResponse.Status
    /// A stable word for programs. New codes may be added; existing ones keep their meaning.
    package struct Code: RawRepresentable, Hashable, Sendable {
        /// The word on the wire.
        package var rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The body is not JSON.
        package static let invalidJSON = Code(rawValue: "invalid_json")
        /// A field is missing, has the wrong type or is out of range.
        package static let invalidField = Code(rawValue: "invalid_field")
        /// The request has no bearer token.
        package static let unauthorized = Code(rawValue: "unauthorized")
        /// The bearer token is not valid.
        package static let forbidden = Code(rawValue: "forbidden")
        /// No such route, note or model.
        package static let notFound = Code(rawValue: "not_found")
        /// The path exists, but not for this method.
        package static let methodNotAllowed = Code(rawValue: "method_not_allowed")
        /// The body or one of its parts is too large.
        package static let tooLarge = Code(rawValue: "too_large")
        /// The body is not `application/json`.
        package static let unsupportedMediaType = Code(rawValue: "unsupported_media_type")
        /// Too many requests are waiting already.
        package static let overloaded = Code(rawValue: "overloaded")
        /// The client left.
        package static let clientClosed = Code(rawValue: "client_closed_request")
        /// The gateway is shutting down.
        package static let shuttingDown = Code(rawValue: "shutting_down")
        /// The database failed.
        package static let storage = Code(rawValue: "storage_failed")
        /// The disk is full; nothing was changed.
        package static let diskFull = Code(rawValue: "disk_full")
        /// A bug in the gateway.
        package static let `internal` = Code(rawValue: "internal_error")
    }
    /// The stable word.
    package var code: Code
    /// The sentence for people.
    package var message: String
    /// Extra headers, such as `Retry-After`, `Allow` or `WWW-Authenticate`.
    package var headers: HTTPFields

    package init(_ status: HTTPResponse.Status, _ code: Code, _ message: String, headers: HTTPFields = [:]) {
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers
    }

    /// A field of the request is invalid.
    package static func field(_ name: String, _ reason: String) -> GatewayError {
        GatewayError(.badRequest, .invalidField, "field \"\(name)\": \(reason)")
    }

    /// An administrator stopped the request. Clients do not repeat a request after this status.
    package static let stopped = GatewayError(
        .forbidden, .init(rawValue: "request_cancelled"), "an administrator cancelled this request")

    /// The status, code and message, for logs.
    package var description: String { "\(status.code) \(code.rawValue): \(message)" }

    /// The body of every error reply.
    package var body: APIErrorBody { APIErrorBody(error: message, code: code.rawValue) }

    /// Renders the error in the one JSON shape.
    package func response(from request: Request, context: some RequestContext) throws -> Response {
        var response = JSONReply.response(body, status: status)
        response.headers.replace(with: headers)
        return response
    }
}

extension HTTPFields {
    /// Sets each field of others, with all its values, in place of those of its name.
    package mutating func replace(with others: HTTPFields) {
        for field in others { self[fields: field.name] = others[fields: field.name] }
    }
}

extension HTTPResponse.Status {
    /// The status of nginx and Ollama for a client that left before the answer.
    package static let clientClosedRequest = HTTPResponse.Status(code: 499, reasonPhrase: "Client Closed Request")
    /// WebDAV's status for a full disk.
    package static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}
