import NIOCore
import NIOWebSocket

/// Refuses frames that no client may send: those without a mask, and those of extensions, since none is agreed on.
final class WebSocketFrameCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame

    /// A frame that no client may send.
    struct Fault: Error {}

    private var isOver = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        let frame = unwrapInboundIn(data)
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            isOver = true
            return context.fireErrorCaught(Fault())
        }
        context.fireChannelRead(data)
    }
}
