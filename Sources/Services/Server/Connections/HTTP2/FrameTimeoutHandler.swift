import NIOCore

/// Closes an HTTP/2 connection whose preface, frame or header block does not arrive whole within the header timeout.
///
/// Sits before the codec, where it sees bytes. A frame that arrives whole in one read costs no timer.
final class FrameTimeoutHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let limits: ConnectionLimits
    private var progress = FrameProgress()
    private var timer: Scheduled<Void>?
    /// Counts the reads, which shows that the client is there.
    private(set) var reads = 0

    init(limits: ConnectionLimits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) { watch(context) }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reads &+= 1
        progress.take(unwrapInboundIn(data).readableBytesView)
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if timer == nil, progress.isWaiting { watch(context) }
    }

    private func watch(_ context: ChannelHandlerContext) {
        let item = progress.completed
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: limits.headerTimeout) {
            let (handler, context) = bound.value
            handler.check(item, context)
        }
    }

    /// Closes the connection if the client owes the same thing as when the timer began.
    private func check(_ item: Int, _ context: ChannelHandlerContext) {
        timer = nil
        guard progress.isWaiting else { return }
        guard progress.completed == item else { return watch(context) }
        limits.metrics.headerTimeouts.add()
        context.close(promise: nil)
    }
}
