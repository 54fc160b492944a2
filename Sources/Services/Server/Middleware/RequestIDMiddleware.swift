package import HTTPTypes
package import Hummingbird
import Logging
import Synchronization

/// Gives every request an id, for the logs and the `X-Request-Id` header of the reply.
///
/// A client's own id is kept when it is short and plain, so that a trace can cross the gateway.
package struct RequestIDMiddleware: RouterMiddleware {
    package typealias Context = GatewayRequestContext

    package func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        let id = Self.id(of: request.head)
        context.requestID = id
        context.logger[metadataKey: "hb.request.id"] = nil
        context.logger[metadataKey: "request_id"] = "\(id)"
        var response = try await next(request, context)
        response.headers[.requestID] = id
        return response
    }

    /// Returns the client's id, or a new one.
    package static func id(of head: HTTPRequest) -> String {
        head.headerFields[.requestID].flatMap(Self.accepted) ?? Self.fresh()
    }

    private static let seed = UInt64.random(in: 0 ... .max)
    private static let number = Atomic<UInt64>(0)

    /// Returns an id of 16 hexadecimal digits. It is unique in this process, and almost certainly among processes.
    ///
    /// It is a mixed count (SplitMix64 maps no two counts to one id), because a random number takes a system call.
    package static func fresh() -> String {
        var bits = seed &+ number.wrappingAdd(1, ordering: .relaxed).newValue &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return unsafe String(unsafeUninitializedCapacity: 16) { buffer in
            for index in 0..<16 {
                let digit = UInt8(truncatingIfNeeded: bits >> (60 - 4 * index)) & 0xF
                unsafe buffer.initializeElement(
                    at: index, to: digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
            return 16
        }
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
