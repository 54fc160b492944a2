package import Logging
package import NIOCore

/// Keeps the server alive when it cannot accept a connection, for example without free descriptors. Accepting pauses,
/// and new connections wait in the system's queue.
package final class AcceptErrorHandler: ChannelInboundHandler, Sendable {
    package typealias InboundIn = any Channel

    /// How long accepting pauses.
    package static let pause = TimeAmount.milliseconds(100)

    private let logger: Logger

    package init(logger: Logger) { self.logger = logger }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.error("a connection could not be accepted", metadata: ["error": "\(error)"])
        let channel = context.channel
        channel.setOption(.autoRead, value: false).whenSuccess {
            channel.eventLoop.scheduleTask(in: Self.pause) { channel.setOption(.autoRead, value: true) }
        }
    }
}
