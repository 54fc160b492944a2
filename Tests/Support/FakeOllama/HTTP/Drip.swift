import NIOCore
import Synchronization

/// The rate at which a connection's bytes are sent; set by a fault.
final class Drip: Sendable {
    struct Rate: Sendable {
        var bytes: Int
        var seconds: Double
    }
    private let value = Mutex<Rate?>(nil)

    var rate: Rate? {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// Sends data, including heads and chunk sizes, in small pieces with pauses while the connection drips.
final class DripHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let drip: Drip
    private var queue: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
    private var isRunning = false

    init(drip: Drip) { self.drip = drip }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard drip.rate != nil || !queue.isEmpty else { return context.write(data, promise: promise) }
        queue.append((unwrapOutboundIn(data), promise))
        if !isRunning { step(context) }
    }

    private func step(_ context: ChannelHandlerContext) {
        isRunning = false
        guard !queue.isEmpty, context.channel.isActive else { return }
        let rate = drip.rate ?? .init(bytes: .max, seconds: 0)
        let piece = queue[0].bytes.readSlice(length: min(rate.bytes, queue[0].bytes.readableBytes)) ?? ByteBuffer()
        var promise: EventLoopPromise<Void>?
        if queue[0].bytes.readableBytes == 0 { promise = queue.removeFirst().promise }
        context.writeAndFlush(wrapOutboundOut(piece), promise: promise)
        isRunning = true
        context.eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(rate.seconds * 1e9))) {
            self.step(context)
        }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        abandon()
        context.close(mode: mode, promise: promise)
    }

    func handlerRemoved(context: ChannelHandlerContext) { abandon() }

    private func abandon() {
        let left = queue
        queue = []
        for entry in left { entry.promise?.fail(ChannelError.ioOnClosedChannel) }
    }
}
