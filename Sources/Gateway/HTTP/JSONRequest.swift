import GatewayAPI
import HTTPTypes
import Hummingbird
import NIOCore
import NIOFoundationEssentialsCompat

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads bounded JSON bodies and says which field is wrong and why.
enum JSONRequest {
    /// Decodes the body of a request.
    ///
    /// - Throws: ``GatewayError`` with 413 (larger than `limit`), 415 (not JSON by its content type) or 400.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from request: Request, limit: Int
    ) async throws -> Value {
        try checkContentType(of: request)
        let buffer = try await body(of: request, limit: limit)
        guard buffer.readableBytes > 0 else {
            throw GatewayError(.badRequest, .invalidJSON, "the body is empty; a JSON object is expected")
        }
        return try decode(type, from: buffer, of: request)
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, from buffer: ByteBuffer, of request: Request
    ) throws -> Value {
        try checkContentType(of: request)
        do {
            return try JSONDecoder().decode(Value.self, from: buffer)
        } catch let error as DecodingError {
            if case .dataCorrupted(let context) = error, context.codingPath.isEmpty, isJSON(buffer) {
                throw GatewayError(
                    .badRequest, .invalidField, "a number in the body does not fit; a whole number is expected there")
            }
            throw Self.error(for: error)
        } catch {
            throw GatewayError(.badRequest, .invalidJSON, "the body is not valid JSON")
        }
    }

    /// Decodes the body of a request that may come without one.
    ///
    /// - Throws: As ``decode(_:from:limit:)`` does.
    static func decodeIfPresent<Value: Decodable>(
        _ type: Value.Type, from request: Request, limit: Int
    ) async throws -> Value? {
        let buffer = try await body(of: request, limit: limit)
        return buffer.readableBytes == 0 ? nil : try decode(type, from: buffer, of: request)
    }

    /// Collects the body, refusing one that is too large before it is read whole.
    static func body(of request: Request, limit: Int) async throws -> ByteBuffer {
        let tooLarge = GatewayError(
            .contentTooLarge, .tooLarge, "the body is larger than \(limit) bytes", headers: [.connection: "close"])
        if let length = request.headers[.contentLength].flatMap(Int.init), length > limit { throw tooLarge }
        do {
            return try await request.body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw tooLarge
        }
    }

    private static func isJSON(_ buffer: ByteBuffer) -> Bool {
        (try? JSONDecoder().decode(JSONValue.self, from: buffer)) != nil
    }

    /// Clients that send no content type are taken at their word; another type is refused.
    private static func checkContentType(of request: Request) throws {
        guard let type = request.headers[.contentType], type != "application/json" else { return }
        let essence = type.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        // `curl -d` sends the form type when none is given; its body is JSON all the same.
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
