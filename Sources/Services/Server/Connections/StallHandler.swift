package import NIOCore

/// Closes a connection whose client stops reading its response, or reads too slowly, because the client would hold
/// memory and a place at the upstream: ``ReaderPace``.
package final class StallHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer

    private let limits: ConnectionLimits
    private var timer: Scheduled<Void>?
    private var pace: ReaderPace?
    /// Bytes that waited at the last check.
    private var waiting = 0
    /// Whether what is taken counts as read. What the system's buffers take at once does not.
    private var counts = false

    package init(limits: ConnectionLimits) { self.limits = limits }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            timer?.cancel()
            timer = nil
            // What was read fast earns no time for what is left unread later.
            (pace, waiting, counts) = (nil, 0, false)
        } else if timer == nil {
            waiting = Self.buffered(context)
            if pace == nil { pace = ReaderPace(limits) }
            pace?.hold(at: .now)
            schedule(context)
        }
        context.fireChannelWritabilityChanged()
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    private func schedule(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: limits.paceInterval) {
            let (handler, context) = bound.value
            handler.check(context)
        }
    }

    private func check(_ context: ChannelHandlerContext) {
        timer = nil
        measure(context)
        counts = true
        guard pace?.isTooSlow(at: .now) == true else { return schedule(context) }
        limits.metrics.stalledClients.add()
        context.close(promise: nil)
    }

    /// Counts what the client took. Nothing is written while the socket is full, so the buffer shrinks only by that.
    private func measure(_ context: ChannelHandlerContext) {
        let now = Self.buffered(context)
        pace?.take(waiting - now, counts: counts, at: .now)
        waiting = now
    }

    /// Bytes that wait for the socket.
    private static func buffered(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
