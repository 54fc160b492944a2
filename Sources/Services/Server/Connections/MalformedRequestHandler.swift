import GatewayAPI
import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Gives the reply to invalid HTTP the one error shape.
///
/// Such a request never reaches the router: the server answers with an empty 400 and closes the connection. This
/// handler recognises that reply: unlike the router's replies it has no request id, and unlike an empty 400 of Ollama's
/// it ends the connection.
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
