package import NIOCore
package import NIOHTTP1

/// Keeps the rules of HTTP/1 that the shared HTTP types no longer know: which version a request has, and how often it names
/// its host.
///
/// HTTP/1.1 wants exactly one `Host`, and nobody may send two (RFC 9112, 3.2): servers along the way could take different
/// ones. A client of HTTP/1.0 does not know chunks, and learns of a body's end by the connection's.
package final class RequestFramingHandler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    /// Whether the request is one of HTTP/1.0; it is the connection's last.
    private var isFormer = false
    private var isHead = false
    /// Whether the response has no end of its own: see ``HeadResponseHandler``.
    private var lacksEnd = false
    private var isOver = false

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            // Nothing is read behind the only request of an HTTP/1.0 connection.
            guard !isFormer else {
                isOver = true
                return
            }
            isFormer = head.version.major < 1 || (head.version.major == 1 && head.version.minor == 0)
            isHead = head.method == .HEAD
            let hosts = head.headers[canonicalForm: "host"].count
            guard hosts == 1 || (isFormer && hosts == 0) else {
                isOver = true
                return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
            }
            context.fireChannelRead(data)
        case .body, .end: context.fireChannelRead(data)
        }
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isFormer else { return context.write(data, promise: promise) }
        switch unwrapOutboundIn(data) {
        case .head(var head):
            // The encoder writes no chunks for this version.
            head.version = .http1_0
            lacksEnd = isHead && head.headers.contains(name: "transfer-encoding")
            head.headers.remove(name: "transfer-encoding")
            head.headers.replaceOrAdd(name: "connection", value: "close")
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body where lacksEnd: end(data, promise, context)
        case .body: context.write(data, promise: promise)
        case .end: end(data, promise, context)
        }
    }

    /// A close drops what still waits to be sent, so it comes after the last byte.
    private func end(_ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        sent.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        context.writeAndFlush(data, promise: sent)
    }
}
