import GatewayAPI
import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Gives the reply to bytes that are no HTTP the one error shape.
///
/// Such a request never reaches the router: the server answers it with an empty 400 and closes the connection. That
/// reply is told by its lack of the request id that every reply of the router has, and by the end of the connection,
/// which an empty 400 of Ollama's is not.
package final class MalformedRequestHandler: ChannelOutboundHandler, RemovableChannelHandler {
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    package init() {}

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status == .badRequest,
            head.headerFields[.requestID] == nil, head.headerFields[.contentLength] == "0",
            head.headerFields[.connection] == "close"
        else {
            context.write(data, promise: promise)
            return
        }
        let body = GatewayError(
            .badRequest, .init(rawValue: "malformed_request"),
            "the request is not valid HTTP, or its headers are too large"
        ).body
        let json = (try? JSONReply.data(body)).map { ByteBuffer(bytes: $0) } ?? ByteBuffer()
        head.headerFields[.contentLength] = String(json.readableBytes)
        head.headerFields[.contentType] = "application/json; charset=utf-8"
        head.headerFields[.requestID] = RequestIDMiddleware.fresh()
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(json)), promise: promise)
    }
}
