import HTTPTypes
import Hummingbird
import Logging

/// Gives every request an id, in the logs and in the `X-Request-Id` header of the reply.
///
/// A client's own id is kept when it is short and plain, so that a trace can cross the gateway.
struct RequestIDMiddleware: RouterMiddleware {
    typealias Context = GatewayRequestContext

    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        let id = Self.id(of: request.head)
        context.logger[metadataKey: "hb.request.id"] = nil
        context.logger[metadataKey: "request_id"] = "\(id)"
        var response = try await next(request, context)
        response.headers[.requestID] = id
        return response
    }

    /// The id that the client gave, or a new one.
    static func id(of head: HTTPRequest) -> String {
        head.headerFields[.requestID].flatMap(Self.accepted) ?? Self.fresh()
    }

    /// An id that no other request has.
    static func fresh() -> String {
        let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func accepted(_ id: String) -> String? {
        let plain = id.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        return plain && (1...128).contains(id.utf8.count) ? id : nil
    }
}
