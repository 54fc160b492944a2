package import NIOCore
import NIOTLS

/// Closes a connection that the server shuts down before its protocol is known.
final class HandshakeQuiesceHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    init() {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}

/// The protocol that client and server agreed on in their TLS handshake.
package enum HTTPNegotiation {
    /// The names in ALPN, the preferred one first.
    static func names(maxStreams: Int) -> [String] { maxStreams > 0 ? ["h2", "http/1.1"] : ["http/1.1"] }

    /// Waits for the handshake of a connection, then sets up its protocol.
    ///
    /// - Parameter setUp: Adds the handlers; gets whether the client speaks HTTP/2.
    /// - Returns: A future for the result, which fails when the connection ends before.
    package static func wait<Output: Sendable>(
        on channel: any Channel, setUp: @escaping @Sendable (_ isHTTP2: Bool) -> EventLoopFuture<Output>
    ) throws -> EventLoopFuture<Output> {
        let quiesce = HandshakeQuiesceHandler()
        let bound = NIOLoopBound(quiesce, eventLoop: channel.eventLoop)
        let handler = NIOTypedApplicationProtocolNegotiationHandler<Output> { result in
            let isHTTP2 = if case .negotiated("h2") = result { true } else { false }
            channel.pipeline.syncOperations.removeHandler(bound.value, promise: nil)
            return setUp(isHTTP2)
        }
        try channel.pipeline.syncOperations.addHandlers([quiesce, handler])
        return handler.protocolNegotiationResult
    }
}
