package import NIOCore
package import NIOHTTP1

/// Enforces the rules of HTTP/1 that the shared HTTP types cannot express: the version of a request, and the number of
/// its hosts.
///
/// HTTP/1.1 requires exactly one `Host`, and no request may have two (RFC 9112, 3.2), because servers on the way could
/// use different ones. An HTTP/1.0 client does not know chunks; for it the end of the connection ends a body.
package final class RequestFramingHandler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    /// Whether the request is HTTP/1.0, which makes it the connection's last.
    private var isFormer = false
    private var isHead = false
    /// Whether the response has no end: see ``HeadResponseHandler``.
    private var lacksEnd = false
    private var isOver = false

    package init() {}

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            // Nothing is read after the only request of an HTTP/1.0 connection.
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
            guard isFormer, head.headers.contains(name: "expect") else { return context.fireChannelRead(data) }
            // HTTP/1.0 has no interim responses; such a client sends its body anyway (RFC 9110, 10.1.1).
            var plain = head
            plain.headers.remove(name: "expect")
            context.fireChannelRead(wrapInboundOut(.head(plain)))
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

    /// A close drops unsent bytes, so it comes after the last byte. It takes the way through ``EarlyAnswerHandler``.
    private func end(_ data: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        sent.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(data, promise: sent)
    }
}
