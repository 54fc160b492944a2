package import GatewayAPI
import HTTPTypes
package import Hummingbird
import NIOCore

/// Reads bounded JSON bodies and reports which field is wrong and why.
///
/// The whole body is checked before decoding: bytes, depth and the number of values are limited. Both steps take time
/// in proportion to the bytes.
package enum JSONRequest {
    /// Decodes the body of a request.
    ///
    /// - Parameter unknown: What happens to fields that the type does not know.
    /// - Throws: ``GatewayError`` with 413 (more bytes than `limit`, or too many values), 415 (not JSON by its content
    ///   type), 503 (other bodies use up the memory limit) or 400.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from request: Request, limit: Int, in context: GatewayRequestContext,
        unknown: UnknownFields = .refused
    ) async throws -> Value {
        try checkContentType(of: request)
        let bytes = try await body(of: request, limit: limit, in: context)
        return try decode(type, from: bytes, unknown: unknown)
    }

    /// Decodes the body of a request, which may have none.
    ///
    /// - Throws: The same errors as ``decode(_:from:limit:in:)``.
    package static func decodeIfPresent<Value: Decodable>(
        _ type: Value.Type, from request: Request, limit: Int, in context: GatewayRequestContext,
        unknown: UnknownFields = .refused
    ) async throws -> Value? {
        let bytes = try await body(of: request, limit: limit, in: context)
        guard !bytes.isEmpty else { return nil }
        try checkContentType(of: request)
        return try decode(type, from: bytes, unknown: unknown)
    }

    /// Refuses fields at a route that has none, and takes an empty object and no body.
    ///
    /// - Throws: The same errors as ``decode(_:from:limit:in:unknown:)``.
    package static func refuseFields(of request: Request, in context: GatewayRequestContext) async throws {
        let bytes = try await body(of: request, limit: 1 << 20, in: context)
        guard !bytes.isEmpty, let name = try decode([String: JSONValue].self, from: bytes).keys.min() else { return }
        throw GatewayError(
            .badRequest, .unknownField, "field \"\(name.prefix(200))\": is not known; this route has no fields")
    }

    /// Collects the body of a request that is JSON by its content type, unchecked.
    ///
    /// - Throws: ``GatewayError`` with 413, 415 or 503.
    package static func bytes(
        of request: Request, limit: Int, in context: GatewayRequestContext
    ) async throws -> [UInt8] {
        try checkContentType(of: request)
        return try await body(of: request, limit: limit, in: context)
    }

    /// Decodes a body that was collected before.
    ///
    /// - Throws: ``GatewayError`` with 400 or 413.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], unknown: UnknownFields = .refused
    ) throws -> Value {
        guard !bytes.isEmpty else {
            throw GatewayError(.badRequest, .invalidJSON, "the body is empty; expected a JSON object")
        }
        do {
            let document = try JSONDocument(parsing: bytes)
            switch unknown {
            case .ignored: return try document.decode(type)
            case .refused: return try document.decode(type, refusingUnknownBut: ToleratedFields.of(type))
            }
        } catch let refusal as JSONRefusal {
            throw error(for: refusal)
        } catch let unknown as UnknownMember {
            throw UnknownFields.error(for: unknown, name: name(unknown.path))
        } catch let error as DecodingError {
            throw Self.error(for: error)
        }
    }

    /// Checks a body that was collected before, for a reader of its own.
    ///
    /// - Throws: ``GatewayError`` with 400 or 413.
    package static func document(parsing bytes: [UInt8]) throws(GatewayError) -> JSONDocument {
        guard !bytes.isEmpty else {
            throw GatewayError(.badRequest, .invalidJSON, "the body is empty; expected a JSON object")
        }
        do throws(JSONRefusal) {
            return try JSONDocument(parsing: bytes)
        } catch {
            throw Self.error(for: error)
        }
    }

    /// The text of a member of a body that was decoded before; nil for strings and absent members.
    package static func source(of name: String, in bytes: [UInt8]) -> ArraySlice<UInt8>? {
        (try? JSONDocument(parsing: bytes))?.source(of: name)
    }

    /// Collects the body and rejects one that is too large before it is read whole.
    private static func body(
        of request: Request, limit: Int, in context: GatewayRequestContext
    ) async throws -> [UInt8] {
        let tooLarge = GatewayError(
            .contentTooLarge, .tooLarge, "the body is larger than \(limit) bytes", headers: [.connection: "close"])
        if let length = request.headers[.contentLength].flatMap(Int.init), length > limit { throw tooLarge }
        var bytes: [UInt8] = []
        for try await chunk in request.body {
            guard chunk.readableBytes <= limit - bytes.count else { throw tooLarge }
            try context.body?.grow(by: chunk.readableBytes)
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        return bytes
    }

    private static func error(for refusal: JSONRefusal) -> GatewayError {
        switch refusal {
        case .malformed(let place):
            GatewayError(.badRequest, .invalidJSON, "the body is not valid JSON (at byte \(place))")
        case .tooDeep(let limit):
            GatewayError(
                .badRequest, .invalidJSON, "the body is nested deeper than \(limit) levels, which is the limit")
        case .tooManyValues(let limit):
            GatewayError(
                .contentTooLarge, .tooLarge, "the body has more than \(limit) values and names, which is the limit")
        }
    }

    /// Accepts JSON, no content type, and the types that common clients send with JSON. Rejects all others.
    private static func checkContentType(of request: Request) throws {
        // Some proxies write the header twice.
        guard let type = request.headers[values: .contentType].first, type != "application/json" else { return }
        let essence = type.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        // `curl -d` sends the form type by default, but the body is JSON.
        let accepted = ["application/json", "text/json", "text/plain", "application/x-www-form-urlencoded"]
        guard accepted.contains(essence) || essence.hasSuffix("+json") else {
            throw GatewayError(
                .unsupportedMediaType, .unsupportedMediaType,
                "content type \"\(essence)\" is not supported; send application/json")
        }
    }

    private static func error(for error: DecodingError) -> GatewayError {
        switch error {
        case .keyNotFound(let key, let context):
            return .field(name(context.codingPath + [key]), "is required")
        case .valueNotFound(_, let context):
            return .field(name(context.codingPath), "must not be null")
        case .typeMismatch(let type, let context):
            if context.codingPath.isEmpty {
                return GatewayError(.badRequest, .invalidJSON, "the body must be a JSON object")
            }
            return .field(name(context.codingPath), "expected \(describe(type, context))")
        case .dataCorrupted(let context):
            guard !context.codingPath.isEmpty else {
                return GatewayError(.badRequest, .invalidJSON, "the body is not valid JSON")
            }
            return .field(name(context.codingPath), context.debugDescription)
        @unknown default:
            return GatewayError(.badRequest, .invalidJSON, "the body is not valid JSON")
        }
    }

    private static func name(_ path: [any CodingKey]) -> String {
        path.reduce(into: "") { name, key in
            if let index = key.intValue {
                name += "[\(index)]"
            } else {
                name += (name.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }

    private static func describe(_ type: any Any.Type, _ context: DecodingError.Context) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is Int.Type, is Int64.Type: "a whole number"
        case is Double.Type, is Float.Type: "a number"
        case is [String].Type:
            context.debugDescription.hasPrefix("expected ")
                ? String(context.debugDescription.dropFirst("expected ".count)) : "a list of strings"
        case is [Any].Type: "a list"
        case is [String: Any].Type: "an object"
        default: "another type"
        }
    }
}
