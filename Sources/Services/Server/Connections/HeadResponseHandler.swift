import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Keeps the server's encoder from ending a body that a response to HEAD does not have.
///
/// Without a length the encoder believes in a chunked body and writes its last chunk, which a client of HEAD would take for
/// the beginning of the next response. Such a response is told by a `Transfer-Encoding` in its head, which nobody but
/// ``ProxyExchange`` writes, for this purpose.
package final class HeadResponseHandler: ChannelOutboundHandler, RemovableChannelHandler {
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private var hasNoEnd = false

    package init() {}

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head): hasNoEnd = head.headerFields[.transferEncoding] != nil
        case .end where hasNoEnd:
            hasNoEnd = false
            // An empty write keeps the order of promises.
            return context.write(wrapOutboundOut(.body(ByteBuffer())), promise: promise)
        default: break
        }
        context.write(data, promise: promise)
    }
}
