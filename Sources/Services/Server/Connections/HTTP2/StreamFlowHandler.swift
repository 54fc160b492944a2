import NIOCore
import NIOHTTP2

/// The first handler of a stream's pipeline: ends a stream whose client takes nothing of its response or takes it
/// too slowly, and gives a closed stream its reset code.
///
/// A client of HTTP/2 can hold back a response by its windows while the socket has room, so the connection's
/// ``StallHandler`` would see nothing.
final class StreamFlowHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let connection: HTTP2ConnectionHandler
    private var id: HTTP2StreamID?
    /// Bytes of the response that wait for the client's window or the socket.
    private var waiting = 0
    private var pace: ReaderPace
    /// Whether the first look is over. What fits into the first window does not count as read.
    private var wasChecked = false
    private var endCame = false
    private var endWritten = false
    private var isReset = false
    private var timer: Scheduled<Void>?

    init(connection: HTTP2ConnectionHandler) {
        self.connection = connection
        pace = ReaderPace(connection.limits)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        id = try? context.channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
        if let id { connection.add(self, of: id) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        if let id { connection.remove(id) }
    }

    /// Notes what the connection wrote for the stream.
    func wrote(_ bytes: Int, isEnd: Bool) {
        waiting -= bytes
        if isEnd { endWritten = true }
        let now = ContinuousClock.now
        pace.take(max(1, bytes), counts: wasChecked, at: now)
        if !isHeldBack { pace.release(at: now) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .data(let part):
            waiting += part.data.readableBytes
            endCame = endCame || part.endStream
        case .headers(let block): endCame = endCame || block.endStream
        default: break
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard isHeldBack else { return }
        pace.hold(at: .now)
        if timer == nil { watch(context) }
    }

    /// A reset says whether the response was complete. Channels of streams know no half-closed state, so each way to
    /// close is a reset.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard !isReset else {
            promise?.succeed()
            return
        }
        isReset = true
        context.writeAndFlush(wrapOutboundOut(.rstStream(endWritten ? .noError : .internalError)), promise: promise)
    }

    private var isHeldBack: Bool { waiting > 0 || (endCame && !endWritten) }

    private func watch(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: connection.limits.paceInterval) {
            let (handler, context) = bound.value
            handler.check(context)
        }
    }

    private func check(_ context: ChannelHandlerContext) {
        timer = nil
        wasChecked = true
        guard isHeldBack, !isReset else { return }
        guard pace.isTooSlow(at: .now) else { return watch(context) }
        connection.limits.metrics.stalledClients.add()
        context.pipeline.close(promise: nil)
    }
}
