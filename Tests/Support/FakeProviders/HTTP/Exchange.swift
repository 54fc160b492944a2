import FakeOllama
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization

/// An error reply, in the words of the API.
struct ProviderError: Error {
    var status: Int
    var type: String
    var message: String
    var headers: [(String, String)] = []

    init(_ status: Int, _ type: String, _ message: String, headers: [(String, String)] = []) {
        self.status = status
        self.type = type
        self.message = message
        self.headers = headers
    }
}

/// One request and the means to answer it.
final class Exchange: Sendable {
    let server: FakeProvider
    let head: HTTPRequestHead
    let body: String
    let bytes: ByteBuffer
    private let channel: any Channel

    /// The client left, or a fault ended the connection.
    struct Ended: Error {
        var isFault = false
    }

    init(_ server: FakeProvider, _ channel: any Channel, _ head: HTTPRequestHead, _ body: ByteBuffer) {
        self.server = server
        self.channel = channel
        self.head = head
        self.body = String(buffer: body)
        bytes = body
    }

    var path: String { String(head.uri.prefix { $0 != "?" }) }
    private var isControl: Bool { path.hasPrefix("/_") }

    /// Counts the request.
    func count() {
        guard !isControl else { return }
        let headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { $1 }
        server.state.withLock { state in
            state.statistics.requests[path, default: 0] += 1
            state.statistics.inFlight += 1
            state.last = .init(target: head.uri, headers: headers, body: body)
            if state.received.count < 1000, let last = state.last { state.received.append(last) }
        }
    }

    func run() async {
        var isWhole = true
        do {
            try await Service(exchange: self).answer()
        } catch let error as Ended {
            isWhole = error.isFault
        } catch {
            isWhole = false
        }
        guard !isControl else { return }
        server.state.withLock { [isWhole] state in
            state.statistics.inFlight -= 1
            if isWhole { state.statistics.completed += 1 } else { state.statistics.cancelled += 1 }
        }
    }

    /// Sends a whole reply.
    func send(
        status: Int = 200, type: String = "application/json", headers: [(String, String)] = [], _ text: String
    ) async throws {
        begin(status: status, type: type, headers: headers + [("Content-Length", "\(text.utf8.count)")])
        try await write(text)
        try await end()
    }

    func begin(status: Int = 200, type: String, headers: [(String, String)] = []) {
        let fields = HTTPHeaders([("Content-Type", type), ("request-id", "req_fake")] + headers)
        let reply = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: fields)
        channel.write(HTTPServerResponsePart.head(reply), promise: nil)
    }

    func send(type: String, _ bytes: [UInt8]) async throws {
        begin(type: type, headers: [("Content-Length", "\(bytes.count)")])
        try await put(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
        try await end()
    }

    func write(_ text: String) async throws { try await put(.body(.byteBuffer(ByteBuffer(string: text)))) }

    func end() async throws { try await put(.end(nil)) }

    func pause(_ seconds: Double) async throws {
        guard seconds > 0 else { return }
        channel.flush()
        do { try await Task.sleep(for: .seconds(seconds)) } catch { throw Ended() }
    }

    /// Closes the connection, normally or with a reset.
    func hangUp(reset: Bool = false) async throws -> Never {
        channel.flush()
        if reset, let option = channel as? any SocketOptionProvider {
            try? await option.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try? await channel.close()
        throw Ended(isFault: true)
    }

    private func put(_ part: HTTPServerResponsePart) async throws {
        guard !Task.isCancelled, channel.isActive else { throw Ended() }
        do { try await channel.writeAndFlush(part).get() } catch { throw Ended() }
    }
}
