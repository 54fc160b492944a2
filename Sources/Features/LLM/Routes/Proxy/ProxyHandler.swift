import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Server

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
        case application(requestEnded: Bool, responseBegan: Bool, responseEnded: Bool)
        case proxied(ProxyExchange)
    }

    private let proxy: Proxy
    private var phase = Phase.idle
    /// Parts of pipelined requests, at most what one read of the socket held.
    private var waiting: CircularBuffer<HTTPRequestPart> = []
    private var uploadIsFull = false
    private var readIsDue = false
    /// Watches the rest of a body that did not come with its head.
    private var pace: BodyPace?
    private var swallowed: SwallowedBody?
    private var bodyTimer: Scheduled<Void>?
    private var closesAfterBody = false
    /// Whether the application's request was answered here: what the application writes comes too late.
    private var isAnswered = false

    init(proxy: Proxy) { self.proxy = proxy }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if !waiting.isEmpty || mustWait(part) { waiting.append(part) } else { route(part, data, context) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Before the next read is asked for.
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
        case .body(let bytes): guard mayGoOn(bytes, context) else { return }
        case .end:
            stopWatchingBody()
            if closesAfterBody { return context.close(promise: nil) }
        }
        switch (part, phase) {
        case (.head(let head), _):
            guard let path = head.path, let kind = ProxyPolicy.kind(of: path, method: head.method),
                !CORSHeaders.isPreflight(head)
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
            settle(context)
        case (.end, .application(_, let responseBegan, let responseEnded)):
            phase = .application(requestEnded: true, responseBegan: responseBegan, responseEnded: responseEnded)
            context.fireChannelRead(data)
            settle(context)
        default: context.fireChannelRead(data)
        }
    }

    /// Goes on to the next request when this one is over on both sides.
    private func settle(_ context: ChannelHandlerContext) {
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
        case .head: phase = .application(requestEnded: requestEnded, responseBegan: true, responseEnded: false)
        case .body: break
        case .end:
            phase = .application(requestEnded: requestEnded, responseBegan: true, responseEnded: true)
            responseEnded(context)
            settle(context)
        }
    }

    // MARK: Reading

    func read(context: ChannelHandlerContext) {
        if uploadIsFull || !waiting.isEmpty {
            readIsDue = true
        } else {
            pace?.resume(at: .now)
            context.read()
        }
    }

    private func readIfDue(_ context: ChannelHandlerContext) {
        guard readIsDue, !uploadIsFull, waiting.isEmpty else { return }
        readIsDue = false
        pace?.resume(at: .now)
        context.read()
    }

    /// Called by the exchange: stops reading while its upload has no room, so that TCP holds the client back.
    func setUploadIsFull(_ isFull: Bool, _ context: ChannelHandlerContext) {
        uploadIsFull = isFull
        readIfDue(context)
    }

    /// Called by the exchange: its response is over.
    func exchangeEnded(_ context: ChannelHandlerContext) {
        responseEnded(context)
        settle(context)
    }

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
        phase = .application(requestEnded: true, responseBegan: false, responseEnded: false)
        context.fireErrorCaught(error)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        if case .proxied(let exchange) = phase { exchange.abort() }
        phase = .idle
        waiting = []
        stopWatchingBody()
    }
}

/// Bodies that come too slowly, or behind the end of their response.
extension ProxyHandler {
    /// Whether a body is on its way, and its response has not ended.
    private var expectsBody: Bool {
        switch phase {
        case .idle: false
        case .application(let requestEnded, _, let responseEnded): !requestEnded && !responseEnded
        case .proxied(let exchange): !exchange.requestEnded && !exchange.responseEnded
        }
    }

    private func watchBody(_ context: ChannelHandlerContext) {
        guard expectsBody, swallowed == nil else { return }
        let now = ContinuousClock.now
        if pace == nil {
            pace = BodyPace(grace: proxy.bodies.grace, rate: proxy.bodies.rate, at: now)
            checkPace(context)
        }
        // The next read is asked for at once, unless somebody has to catch up first.
        pace?.pause(at: now)
    }

    private func stopWatchingBody() {
        guard pace != nil || swallowed != nil else { return }
        pace = nil
        swallowed = nil
        bodyTimer?.cancel()
        bodyTimer = nil
    }

    private func mayGoOn(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) -> Bool {
        pace?.receive(bytes.readableBytes)
        guard swallowed?.receive(bytes.readableBytes) == false else { return true }
        context.close(promise: nil)
        return false
    }

    private func schedule(
        in time: TimeAmount, _ context: ChannelHandlerContext, _ action: @escaping @Sendable () -> Void
    ) {
        bodyTimer?.cancel()
        bodyTimer = context.eventLoop.scheduleTask(in: time, action)
    }

    private func checkPace(_ context: ChannelHandlerContext) {
        guard expectsBody, proxy.bodies.rate > 0, let pace else { return }
        var wait = TimeAmount.seconds(1)
        if let deadline = pace.deadline {
            let left = deadline - .now
            guard left > .zero else { return refuseSlowBody(context) }
            wait = TimeAmount(left) + .milliseconds(1)
        }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        schedule(in: wait, context) {
            let (handler, context) = bound.value
            handler.checkPace(context)
        }
    }

    private func refuseSlowBody(_ context: ChannelHandlerContext) {
        proxy.bodies.tooSlow.add()
        let error = GatewayError.bodyTimeout(proxy.bodies)
        switch phase {
        case .proxied(let exchange): exchange.fail(error)
        case .application(_, responseBegan: false, _):
            phase = .application(requestEnded: false, responseBegan: true, responseEnded: true)
            isAnswered = true
            let json = (try? JSONReply.data(error.body)).map { ByteBuffer(bytes: $0) } ?? ByteBuffer()
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
        default: context.close(promise: nil)
        }
    }

    /// Closes the connection behind a response: at once when its request is whole, else when the client has had time to read
    /// it. A close with unread bytes would take the response back.
    func closeAfterBody(_ context: ChannelHandlerContext) {
        guard case .proxied(let exchange) = phase, !exchange.requestEnded else { return context.close(promise: nil) }
        closesAfterBody = true
        context.close(mode: .output, promise: nil)
        responseEnded(context)
    }

    /// A response is over: what still comes of its request is dropped, up to a point.
    private func responseEnded(_ context: ChannelHandlerContext) {
        let isUnfinished =
            switch phase {
            case .idle: false
            case .application(let requestEnded, _, _): !requestEnded
            case .proxied(let exchange): !exchange.requestEnded
            }
        guard isUnfinished, swallowed == nil else { return }
        pace = nil
        swallowed = SwallowedBody()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        schedule(in: TimeAmount(SwallowedBody.patience), context) { bound.value.close(promise: nil) }
    }
}
