package import NIOCore

/// Closes a connection whose client stops reading its response, because the client would hold a place at the upstream
/// forever. A slow reader may continue.
package final class StallHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer

    private let limits: ConnectionLimits
    private var timer: Scheduled<Void>?
    private var waiting = 0

    package init(limits: ConnectionLimits) { self.limits = limits }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            timer?.cancel()
            timer = nil
        } else if timer == nil {
            waiting = Self.buffered(context)
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
        timer = context.eventLoop.scheduleTask(in: limits.stallTimeout) {
            let (handler, context) = bound.value
            handler.check(context)
        }
    }

    private func check(_ context: ChannelHandlerContext) {
        timer = nil
        let now = Self.buffered(context)
        // Nothing is written while the socket is full, so the buffer shrinks if the client reads anything.
        guard now >= waiting else {
            waiting = now
            return schedule(context)
        }
        limits.metrics.stalledClients.add()
        context.close(promise: nil)
    }

    /// Bytes that wait for the socket.
    private static func buffered(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
