import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Keeps the server's encoder from ending the body of a response to HEAD, which has none.
///
/// Without a length the encoder assumes a chunked body and writes its last chunk. A HEAD client would read that as the
/// start of the next response. `Transfer-Encoding` in the head marks such a response; only ``ProxyExchange`` sets it,
/// for this purpose.
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
