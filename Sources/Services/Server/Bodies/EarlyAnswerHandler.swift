import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Swallows what still comes of a request whose answer has ended, as far as ``DiscardedBody`` allows.
///
/// A close over unread bytes makes the system reset the connection, and a client that still sends may then never see
/// its answer. So from the end of the answer on, each close ends the output only. The connection itself closes when the
/// request is complete, the client has ended its side, or the limits are reached. When nothing closes the connection and
/// the request becomes complete, another one may follow.
///
/// The handler sits between the codec and all handlers that close connections after an answer. On a stream of HTTP/2 each
/// close is a reset without an error, which tells the client to stop, so nothing needs to be swallowed.
package final class EarlyAnswerHandler: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    /// Whether the head of a request came, and its end did not.
    private var isIncomplete = false
    /// Requests whose answer has not ended, with those that came before their turn.
    private var unanswered = 0
    /// Whether the connection ends with the request.
    private var isLast = false
    /// The rest of an answered request; nil while a request may be read.
    private var rest: DiscardedBody?
    private var isOutputClosed = false
    private var timer: Scheduled<Void>?

    package init() {}

    package func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    // MARK: The request

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            isIncomplete = true
            unanswered += 1
        case .body(let bytes):
            guard rest != nil else { break }
            return drop(bytes, context)
        case .end:
            isIncomplete = false
            guard rest != nil else { break }
            if isLast { return context.close(promise: nil) }
            rest = nil
            timer?.cancel()
        }
        context.fireChannelRead(data)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // Nobody else may want to read any more.
        if rest != nil { context.read() }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if rest != nil, let event = event as? ChannelEvent, event == .inputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard rest != nil else { return context.fireErrorCaught(error) }
        // The rest is no valid HTTP, but the request was answered. The decoder passes on what comes behind it.
        if case .dataReceivedInErrorState(_, let bytes)? = error as? ByteToMessageDecoderError { drop(bytes, context) }
    }

    private func drop(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        if rest?.receive(bytes.readableBytes) == false { context.close(promise: nil) }
    }

    // MARK: The answer

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            if head.status.kind != .informational { isLast = head.headerFields[.connection] == "close" }
        case .body: break
        case .end:
            unanswered = max(0, unanswered - 1)
            if isIncomplete, unanswered == 0, rest == nil { return swallow(context, endingWith: data, promise) }
        }
        context.write(data, promise: promise)
    }

    private func swallow(
        _ context: ChannelHandlerContext, endingWith end: NIOAny, _ promise: EventLoopPromise<Void>?
    ) {
        rest = DiscardedBody()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: DiscardedBody.time) { bound.value.1.close(promise: nil) }
        let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
        if isLast {
            // Its client waits for the end of the connection.
            sent.futureResult.whenSuccess {
                let (handler, context) = bound.value
                handler.closeOutput(context, nil)
            }
        }
        context.write(end, promise: sent)
        context.read()
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard rest != nil, mode != .input else { return context.close(mode: mode, promise: promise) }
        isLast = true
        guard mode == .all else { return closeOutput(context, promise) }
        context.channel.closeFuture.cascade(to: promise)
        closeOutput(context, nil)
    }

    private func closeOutput(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        guard !isOutputClosed else {
            promise?.succeed()
            return
        }
        isOutputClosed = true
        context.close(mode: .output, promise: promise)
    }
}

/// The rest of a request after the end of its answer.
private struct DiscardedBody {
    /// Bytes that are read and dropped before the connection is closed.
    private static let limit = 16 << 20
    /// How long they may come.
    static let time = TimeAmount.seconds(5)

    private var bytes = 0

    /// Records bytes. Returns whether more may come.
    mutating func receive(_ count: Int) -> Bool {
        bytes += count
        return bytes <= Self.limit
    }
}
