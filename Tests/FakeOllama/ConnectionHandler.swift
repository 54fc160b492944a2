import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// One client connection: collects each request and runs a task that answers it; the client's leaving cancels the task.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let router: FakeOllama.Router
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var running: Task<Void, Never>?

    init(router: FakeOllama.Router) { self.router = router }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = ByteBuffer()
        case .body(var part): body.writeBuffer(&part)
        case .end:
            guard let head, let server = router.server.withLock({ $0 }) else { return }
            let exchange = Exchange(
                server: server, channel: context.channel, head: head, body: Data(body.readableBytesView))
            exchange.begin()
            running = Task { await exchange.run() }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        running?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// One request with the means to answer it.
final class Exchange: Sendable {
    let server: FakeOllama
    let channel: any Channel
    let head: HTTPRequestHead
    let body: Data
    private let isFinished = Flag()

    /// Set once.
    private final class Flag: Sendable {
        private let value = Mutex(false)

        /// Sets the flag and returns what it was.
        func exchange(_ new: Bool) -> Bool {
            value.withLock { value in
                defer { value = new }
                return value
            }
        }
    }

    /// The client left.
    struct ClientGone: Error {}
    /// The fault ended the connection.
    struct Ended: Error {}

    init(server: FakeOllama, channel: any Channel, head: HTTPRequestHead, body: Data) {
        self.server = server
        self.channel = channel
        self.head = head
        self.body = body
    }

    var path: String { String(head.uri.prefix { $0 != "?" }) }

    func begin() {
        guard !path.hasPrefix("/_") else { return }
        server.state.withLock { state in
            state.statistics.requests[path, default: 0] += 1
            state.statistics.inFlight += 1
            state.statistics.maxInFlight = max(state.statistics.maxInFlight, state.statistics.inFlight)
            state.statistics.lastHeaders = Dictionary(
                head.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
            state.statistics.lastBody = String(decoding: body.prefix(64 << 10), as: UTF8.self)
        }
    }

    func run() async {
        var isComplete = false
        do {
            try await API(exchange: self).answer()
            isComplete = true
        } catch is Ended {
            isComplete = true
        } catch {
            isComplete = false
        }
        finish(isComplete: isComplete)
    }

    // MARK: Writing

    func send(status: Int = 200, type: String = "application/json; charset=utf-8", _ text: String) async throws {
        let bytes = ByteBuffer(string: text)
        try await startReply(
            status: status, headers: [("Content-Type", type), ("Content-Length", "\(bytes.readableBytes)")])
        if head.method != .HEAD { try await write(bytes) }
        try await endReply()
    }

    func startReply(status: Int, headers: [(String, String)]) async throws {
        var fields = HTTPHeaders(headers)
        fields.add(name: "Date", value: "Thu, 01 Jan 2026 00:00:00 GMT")
        let reply = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: fields)
        try await put(.head(reply))
    }

    /// Writes bytes and waits until the socket took them: a slow client slows the server.
    func write(_ bytes: ByteBuffer) async throws {
        try await put(.body(.byteBuffer(bytes)))
        server.state.withLock { $0.statistics.bytesWritten += bytes.readableBytes }
    }

    /// Ends the reply. It counts as completed before its last bytes leave, so that whoever got it finds it counted.
    func endReply() async throws {
        finish(isComplete: true)
        try await put(.end(nil))
    }

    private func finish(isComplete: Bool) {
        guard !path.hasPrefix("/_"), !isFinished.exchange(true) else { return }
        server.state.withLock { state in
            state.statistics.inFlight -= 1
            if isComplete { state.statistics.completed += 1 } else { state.statistics.cancelled += 1 }
        }
    }

    func pause(_ seconds: Double) async throws {
        if seconds > 0 { try await Task.sleep(for: .seconds(seconds)) }
        try Task.checkCancellation()
    }

    /// Closes the connection, politely or with a reset.
    func hangUp(reset: Bool) async throws -> Never {
        if reset, let option = channel as? any SocketOptionProvider {
            try? await option.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try? await channel.close()
        throw Ended()
    }

    private func put(_ part: HTTPServerResponsePart) async throws {
        try Task.checkCancellation()
        guard channel.isActive else { throw ClientGone() }
        try await channel.writeAndFlush(part).get()
    }
}
