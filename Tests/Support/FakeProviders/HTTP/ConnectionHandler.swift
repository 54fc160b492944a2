import NIOCore
import NIOHTTP1

/// Handles one client connection: collects each request and runs a task that answers it. When the client leaves, the
/// task is cancelled.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: FakeProvider
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var running: Task<Void, Never>?

    init(_ server: FakeProvider) { self.server = server }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, body) = (head, ByteBuffer())
        case .body(var part): body.writeBuffer(&part)
        case .end:
            guard let head else { return }
            let exchange = Exchange(server, context.channel, head, body)
            exchange.count()
            running = Task { await exchange.run() }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        running?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
