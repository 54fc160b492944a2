import HTTPTypes
package import NIOCore
package import NIOHTTPTypes
import NIOTLS

/// Closes a connection whose request head or TLS handshake times out. A client that sends a byte now and then must not
/// keep a connection forever.
///
/// Sits before the HTTP decoder, where it sees bytes. ``HeadWatch`` behind the decoder reports heads to it.
package final class HeaderTimeoutHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private let limits: ConnectionLimits
    private let isEncrypted: Bool
    private var timer: Scheduled<Void>?
    private var expectsHead = true
    private var sawBytes = false
    private var openResponses = 0
    private var isOver = false

    package init(limits: ConnectionLimits, isEncrypted: Bool) {
        self.limits = limits
        self.isEncrypted = isEncrypted
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        if isEncrypted { start(context) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) { stop() }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isEncrypted, case .handshakeCompleted? = event as? TLSUserEvent { stop() }
        context.fireUserInboundEventTriggered(event)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        sawBytes = true
        if !isOver { context.fireChannelRead(data) }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // Most heads arrive whole in one read and need no timer. Some clients send an extra line end after a request,
        // so bytes during a response must not start the timer.
        if sawBytes, expectsHead, openResponses == 0, timer == nil, !isOver { start(context) }
        sawBytes = false
    }

    /// Records that a head is complete.
    func headCame() {
        expectsHead = false
        openResponses += 1
        stop()
    }

    /// Records that a request is complete, so that a head comes next.
    package func requestEnded() {
        expectsHead = true
        // Bytes that came with the end of this request are checked with the next read.
        sawBytes = false
    }

    /// Records that a response is complete.
    package func responseEnded() { openResponses -= 1 }

    private func start(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: limits.headerTimeout) {
            let (handler, context) = bound.value
            handler.expire(context)
        }
    }

    private func stop() {
        timer?.cancel()
        timer = nil
    }

    private func expire(_ context: ChannelHandlerContext) {
        timer = nil
        isOver = true
        limits.metrics.headerTimeouts.add()
        // An answer is not possible within a handshake.
        guard !isEncrypted else { return context.close(promise: nil) }
        let answer = RawAnswer.bytes(
            "408 Request Timeout",
            GatewayError(.requestTimeout, .headerTimeout, "the head of the request did not come in time"),
            retryAfterSeconds: nil, context.channel.allocator)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(answer)).whenComplete { _ in bound.value.close(promise: nil) }
    }
}

/// Reports the begin and end of requests and responses to a ``HeaderTimeoutHandler`` and a connection's
/// ``ConnectionRecord``.
package final class HeadWatch: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let timeout: HeaderTimeoutHandler
    private let gate: ConnectionGate

    package init(_ timeout: HeaderTimeoutHandler, _ gate: ConnectionGate) {
        self.timeout = timeout
        self.gate = gate
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            timeout.headCame()
            gate.record?.requestBegan()
        case .body: break
        case .end: timeout.requestEnded()
        }
        context.fireChannelRead(data)
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            timeout.responseEnded()
            gate.record?.responseEnded()
        }
        context.write(data, promise: promise)
    }
}
