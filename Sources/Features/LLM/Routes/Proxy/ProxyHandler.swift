import Access
import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Server

/// Answers requests for Ollama's routes on the connection's event loop; passes all others to the application.
///
/// HTTP/1.1 responses must keep the order of their requests. So a request that is pipelined behind an open one waits
/// here, and the socket is not read meanwhile.
final class ProxyHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    enum Phase {
        case idle
        case application(requestEnded: Bool, responseBegan: Bool, responseEnded: Bool)
        case proxied(ProxyExchange)
    }

    let proxy: Proxy
    private(set) var phase = Phase.idle
    /// Parts of pipelined requests: at most the content of one socket read.
    private var waiting: CircularBuffer<HTTPRequestPart> = []
    private var isHeldBack = false
    private var readIsDue = false
    /// The mark of the request that was handed over last.
    private var mark: (handover: Handover, text: String)?
    /// Whether this handler answered the application's request. The application's later writes are dropped.
    private var isAnswered = false

    /// Watches the rest of a body that did not arrive with its head; see ProxyHandler+Pace.
    var pace: BodyPace?
    var bodyTimer: Scheduled<Void>?

    init(proxy: Proxy) { self.proxy = proxy }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if !waiting.isEmpty || mustWait(part) { waiting.append(part) } else { route(part, data, context) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Must run before the next read starts.
        watchBody(context)
        context.fireChannelReadComplete()
    }

    private func mustWait(_ part: HTTPRequestPart) -> Bool {
        guard case .head = part else { return false }
        if case .idle = phase { return false }
        return true
    }

    private func route(_ part: HTTPRequestPart, _ data: NIOAny, _ context: ChannelHandlerContext) {
        switch part {
        case .head: break
        case .body(let bytes): pace?.receive(bytes.readableBytes)
        case .end: stopWatchingBody()
        }
        switch (part, phase) {
        case (.head(var head), _):
            var data = data
            if let plain = RequestPath.received(head) {
                head = plain
                data = wrapInboundOut(.head(head))
            }
            guard let path = head.path, let kind = ProxyPolicy.kind(of: path, method: head.method),
                !CORSHeaders.isPreflight(head), !(proxy.servesPages && WebPageRequest.isForPage(head))
            else {
                phase = .application(requestEnded: false, responseBegan: false, responseEnded: false)
                return context.fireChannelRead(data)
            }
            let exchange = ProxyExchange(head, kind: kind, proxy: proxy, context: context, handler: self)
            phase = .proxied(exchange)
            exchange.start()
        case (.body(let bytes), .proxied(let exchange)): exchange.receive(bytes)
        case (.end, .proxied(let exchange)):
            exchange.receiveEnd()
            continueIfDone(context)
        case (.end, .application(_, let responseBegan, let responseEnded)):
            phase = .application(requestEnded: true, responseBegan: responseBegan, responseEnded: responseEnded)
            context.fireChannelRead(data)
            continueIfDone(context)
        default: context.fireChannelRead(data)
        }
    }

    /// Continues with the next request after both sides of this one are complete.
    private func continueIfDone(_ context: ChannelHandlerContext) {
        switch phase {
        case .application(requestEnded: true, _, responseEnded: true): phase = .idle
        case .proxied(let exchange) where exchange.isOver: phase = .idle
        default: return
        }
        guard !waiting.isEmpty else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (handler, context) = bound.value
            handler.routeWaiting(context)
        }
    }

    private func routeWaiting(_ context: ChannelHandlerContext) {
        while let part = waiting.first, !mustWait(part) {
            waiting.removeFirst()
            route(part, wrapInboundOut(part), context)
        }
        context.fireChannelReadComplete()
        readIfDue(context)
    }

    // MARK: The application's responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isAnswered else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.write(data, promise: promise)
        guard case .application(let requestEnded, _, _) = phase else { return }
        switch unwrapOutboundIn(data) {
        case .head(let head):
            // An interim response is no begin.
            guard head.status.kind != .informational else { return }
            phase = .application(requestEnded: requestEnded, responseBegan: true, responseEnded: false)
        case .body: break
        case .end:
            phase = .application(requestEnded: requestEnded, responseBegan: true, responseEnded: true)
            stopWatchingBody()
            continueIfDone(context)
        }
    }

    /// Passes a request on to the application, with the identity that it has.
    func handOver(
        _ head: HTTPRequest, _ body: ByteBuffer, by handover: Handover, of identity: Identity,
        _ context: ChannelHandlerContext
    ) {
        var head = head
        // The body is here.
        head.headerFields[.expect] = nil
        mark = (handover, handover.mark(&head, of: identity))
        phase = .application(requestEnded: true, responseBegan: false, responseEnded: false)
        stopWatchingBody()
        context.fireChannelRead(wrapInboundOut(.head(head)))
        if body.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(.body(body))) }
        context.fireChannelRead(wrapInboundOut(.end(nil)))
        context.fireChannelReadComplete()
        isHeldBack = false
        readIfDue(context)
    }

    /// Answers in place of the application and closes the connection.
    func refuse(_ error: GatewayError, _ context: ChannelHandlerContext) {
        phase = .application(requestEnded: false, responseBegan: true, responseEnded: true)
        isAnswered = true
        let json = ErrorBody(path: "/").json(error)
        let head = HTTPResponse(
            status: error.status,
            headerFields: [
                .contentType: "application/json; charset=utf-8", .contentLength: String(json.readableBytes),
                .connection: "close", .requestID: RequestIDMiddleware.fresh(),
            ])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(json)), promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in bound.value.close(promise: nil) }
    }

    // MARK: Reading

    func read(context: ChannelHandlerContext) {
        if isHeldBack || !waiting.isEmpty {
            readIsDue = true
        } else {
            pace?.resume(at: .now)
            context.read()
        }
    }

    private func readIfDue(_ context: ChannelHandlerContext) {
        guard readIsDue, !isHeldBack, waiting.isEmpty else { return }
        readIsDue = false
        pace?.resume(at: .now)
        context.read()
    }

    /// Carries out a signal of the exchange.
    func exchange(_ signal: ProxyExchange.Signal, _ context: ChannelHandlerContext) {
        switch signal {
        case .holdBack: isHeldBack = true
        case .resume:
            isHeldBack = false
            readIfDue(context)
        case .ended:
            stopWatchingBody()
            continueIfDone(context)
        case .closing:
            stopWatchingBody()
            context.close(promise: nil)
        }
    }

    // MARK: The connection

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if case .proxied(let exchange) = phase { exchange.writabilityChanged() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .proxied(let exchange) = phase, let event = event as? ChannelEvent, event == .inputClosed {
            // A half-closed client counts as gone, as with other reverse proxies.
            exchange.clientLeft()
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard case .proxied(let exchange) = phase else { return context.fireErrorCaught(error) }
        let hasBegun = exchange.machine.responseBegan
        exchange.clientLeft()
        if hasBegun { return context.close(promise: nil) }
        // The server answers input that is not HTTP.
        phase = .application(requestEnded: true, responseBegan: false, responseEnded: false)
        context.fireErrorCaught(error)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if case .proxied(let exchange) = phase { exchange.clientLeft() }
        mark?.handover.forget(mark?.text ?? "")
        phase = .idle
        waiting = []
        stopWatchingBody()
    }
}
