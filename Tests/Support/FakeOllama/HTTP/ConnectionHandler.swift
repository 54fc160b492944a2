import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Handles one client connection: collects each request and runs a task that answers it. When the client leaves, the
/// task is cancelled.
///
/// The body of a blob is not kept: it is hashed and counted as it arrives.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let router: FakeOllama.Router
    private let drip: Drip
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var upload: Upload?
    private var running: Task<Void, Never>?

    /// A blob that is being uploaded.
    private struct Upload {
        let exchange: Exchange
        var hash = SHA256()
    }

    init(router: FakeOllama.Router, drip: Drip) {
        self.router = router
        self.drip = drip
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = ByteBuffer()
            if head.method == .POST, head.uri.hasPrefix("/api/blobs/"), let exchange = exchange(context, head) {
                exchange.enter(.upload)
                exchange.begin()
                upload = Upload(exchange: exchange)
            }
            if head.headers[canonicalForm: "expect"].contains(where: { $0.lowercased() == "100-continue" }) {
                let reply = HTTPResponseHead(version: .http1_1, status: .continue)
                context.writeAndFlush(wrapOutboundOut(.head(reply)), promise: nil)
            }
        case .body(var part):
            guard upload != nil else {
                body.writeBuffer(&part)
                return
            }
            part.withUnsafeReadableBytes { upload?.hash.update($0) }
            upload?.exchange.server.state.withLock { $0.statistics.bytesUploaded += part.readableBytes }
        case .end:
            if var upload {
                self.upload = nil
                upload.exchange.setUploadDigest("sha256:" + upload.hash.finish())
                start(upload.exchange)
            } else if let head, let exchange = exchange(context, head) {
                exchange.begin()
                start(exchange)
            }
        }
    }

    private func exchange(_ context: ChannelHandlerContext, _ head: HTTPRequestHead) -> Exchange? {
        guard let server = router.server.withLock({ $0 }) else { return nil }
        return Exchange(
            server: server, channel: context.channel, drip: drip, head: head, body: Data(body.readableBytesView))
    }

    private func start(_ exchange: Exchange) {
        running = Task { await exchange.run() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        running?.cancel()
        upload?.exchange.abandon()
        upload = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
