import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers requests for Ollama's routes on the connection's event loop; everything else goes on to the application.
///
/// HTTP/1.1 answers in order, whoever answers. So a request that is pipelined behind an open one waits here, and the
/// socket is not read meanwhile.
final class ProxyHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum Phase {
        case idle
        case application(requestEnded: Bool, responseEnded: Bool)
        case proxied(ProxyExchange)
    }

    private let proxy: Proxy
    private var phase = Phase.idle
    /// Parts of pipelined requests, at most what one read of the socket held.
    private var waiting: CircularBuffer<HTTPRequestPart> = []
    private var uploadIsFull = false
    private var readIsDue = false

    init(proxy: Proxy) { self.proxy = proxy }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if !waiting.isEmpty || mustWait(part) { waiting.append(part) } else { route(part, data, context) }
    }

    private func mustWait(_ part: HTTPRequestPart) -> Bool {
        guard case .head = part else { return false }
        if case .idle = phase { return false }
        return true
    }

    private func route(_ part: HTTPRequestPart, _ data: NIOAny, _ context: ChannelHandlerContext) {
        switch (part, phase) {
        case (.head(let head), _):
            guard let path = head.path, let kind = ProxyPolicy.kind(of: path, method: head.method),
                !CORSHeaders.isPreflight(head)
            else {
                phase = .application(requestEnded: false, responseEnded: false)
                return context.fireChannelRead(data)
            }
            let exchange = ProxyExchange(head, kind: kind, proxy: proxy, context: context, handler: self)
            phase = .proxied(exchange)
            exchange.start()
        case (.body(let bytes), .proxied(let exchange)): exchange.receive(bytes)
        case (.end, .proxied(let exchange)):
            exchange.receiveEnd()
            settle(context)
        case (.end, .application(_, let responseEnded)):
            phase = .application(requestEnded: true, responseEnded: responseEnded)
            context.fireChannelRead(data)
            settle(context)
        default: context.fireChannelRead(data)
        }
    }

    /// Goes on to the next request when this one is over on both sides.
    private func settle(_ context: ChannelHandlerContext) {
        switch phase {
        case .application(requestEnded: true, responseEnded: true): phase = .idle
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
        context.write(data, promise: promise)
        guard case .application(let requestEnded, _) = phase, case .end = unwrapOutboundIn(data) else { return }
        phase = .application(requestEnded: requestEnded, responseEnded: true)
        settle(context)
    }

    // MARK: Reading

    func read(context: ChannelHandlerContext) {
        if uploadIsFull || !waiting.isEmpty { readIsDue = true } else { context.read() }
    }

    private func readIfDue(_ context: ChannelHandlerContext) {
        guard readIsDue, !uploadIsFull, waiting.isEmpty else { return }
        readIsDue = false
        context.read()
    }

    /// Called by the exchange: stops reading while its upload has no room, so that TCP holds the client back.
    func setUploadIsFull(_ isFull: Bool, _ context: ChannelHandlerContext) {
        uploadIsFull = isFull
        readIfDue(context)
    }

    /// Called by the exchange: its response is over.
    func exchangeEnded(_ context: ChannelHandlerContext) { settle(context) }

    // MARK: The connection

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if case .proxied(let exchange) = phase { exchange.writabilityChanged() }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .proxied(let exchange) = phase, let event = event as? ChannelEvent, event == .inputClosed {
            // A half-closed client counts as gone, as it does for other reverse proxies.
            exchange.abort()
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard case .proxied(let exchange) = phase else { return context.fireErrorCaught(error) }
        let hasBegun = exchange.hasBegunResponse
        exchange.abort()
        if hasBegun { return context.close(promise: nil) }
        // The server answers what is not HTTP.
        phase = .application(requestEnded: true, responseEnded: false)
        context.fireErrorCaught(error)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if case .proxied(let exchange) = phase { exchange.abort() }
        phase = .idle
        waiting = []
    }
}
