import GatewayAPI
package import HTTPTypes
package import Hummingbird
package import NIOCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Encodes replies as JSON: keys in a stable order, slashes unescaped.
package enum JSONReply {
    /// Returns a response with a JSON body.
    package static func response(_ value: some Encodable, status: HTTPResponse.Status = .ok) -> Response {
        do {
            return response(json: ByteBuffer(bytes: try data(value)), status: status)
        } catch {
            // Only a number that JSON cannot represent gets here. The client gets an error instead of nothing.
            let body = #"{"error":"the reply could not be encoded as JSON","code":"internal_error"}"#
            return response(json: ByteBuffer(string: body), status: .internalServerError)
        }
    }

    /// Returns a response with a body that is JSON already.
    package static func response(json: ByteBuffer, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json; charset=utf-8", .contentLength: String(json.readableBytes)],
            body: ResponseBody(byteBuffer: json))
    }

    /// Encodes a value.
    package static func data(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }
}
