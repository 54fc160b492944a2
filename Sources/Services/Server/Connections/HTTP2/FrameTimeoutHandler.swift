import NIOCore

/// Closes an HTTP/2 connection whose preface, frame or header block does not arrive whole within the header timeout, and
/// one that sends too many frames that carry nothing.
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

    private var idle = IdleFrames(
        limit: HTTP2Limits.idleFrames, window: .nanoseconds(HTTP2Limits.window.nanoseconds), at: .now)
    private var isFlooded = false
    /// Ends the connection when the client sends too many frames that carry nothing.
    var onFlood: (() -> Void)?

    init(limits: ConnectionLimits) { self.limits = limits }

    /// Records a frame of a response, which the client may answer by updates of its window.
    func wrote(_ bytes: Int) { idle.wrote(bytes) }

    func handlerAdded(context: ChannelHandlerContext) { watch(context) }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        onFlood = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isFlooded else { return }
        reads &+= 1
        let (frames, requests) = (progress.idle, progress.requests)
        progress.take(unwrapInboundIn(data).readableBytesView)
        let may = idle.receive(progress.idle &- frames, requests: progress.requests &- requests, at: .now)
        guard may else {
            isFlooded = true
            onFlood?()
            return
        }
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
