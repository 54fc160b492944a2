import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Server

/// Answers that end before their requests, without a network, with a clock of their own.
@Suite struct EarlyAnswers {
    /// Notes what reaches the socket. A test channel does not know half-closed connections.
    private final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = HTTPResponsePart

        private(set) var closes: [String] = []
        private(set) var reads = 0

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            closes.append("\(mode)")
            guard mode == .all else {
                promise?.succeed()
                return
            }
            context.close(promise: promise)
        }

        func read(context: ChannelHandlerContext) {
            reads += 1
            context.read()
        }
    }

    private let socket = Socket()
    private let channel = EmbeddedChannel()
    private let post = HTTPRequest(method: .post, scheme: nil, authority: "localhost", path: "/")

    private init() throws {
        try channel.pipeline.syncOperations.addHandlers([socket, EarlyAnswerHandler()])
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    private func send(_ parts: HTTPRequestPart...) throws {
        for part in parts { try channel.writeInbound(part) }
    }

    private func answer(_ status: HTTPResponse.Status, closes: Bool) throws {
        let fields: HTTPFields = closes ? [.connection: "close"] : [:]
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: status, headerFields: fields)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    /// The parts that the application got.
    private func parts() throws -> [HTTPRequestPart] {
        var parts: [HTTPRequestPart] = []
        while let part = try channel.readInbound(as: HTTPRequestPart.self) { parts.append(part) }
        return parts
    }

    private func megabytes(_ count: Int) -> HTTPRequestPart {
        .body(ByteBuffer(repeating: 0, count: count << 20))
    }

    @Test func `an answer that ends the connection ends its output, and the rest is read until it is whole`() throws {
        try send(.head(post), megabytes(1))
        try answer(.contentTooLarge, closes: true)
        #expect(socket.closes == ["output"])
        let reads = socket.reads
        try send(megabytes(8), megabytes(7))
        #expect(socket.reads >= reads + 2)
        channel.close(promise: nil)
        #expect(socket.closes == ["output"] && channel.isActive)
        #expect(try parts() == [.head(post), megabytes(1)])
        try send(.end(nil))
        #expect(socket.closes == ["output", "all"] && !channel.isActive)
    }

    @Test func `a rest without end is cut after 16 MB`() throws {
        try send(.head(post))
        try answer(.contentTooLarge, closes: true)
        for _ in 0..<16 { try send(megabytes(1)) }
        #expect(channel.isActive)
        try send(.body(ByteBuffer(bytes: [0])))
        #expect(!channel.isActive)
    }

    @Test(arguments: [true, false]) func `a rest is cut after five seconds`(closes: Bool) throws {
        try send(.head(post))
        try answer(.unauthorized, closes: closes)
        #expect(socket.closes == (closes ? ["output"] : []))
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(4999))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test func `without a close the rest is dropped and the next request is read`() throws {
        try send(.head(post), megabytes(1))
        try answer(.unauthorized, closes: false)
        try send(megabytes(1), .end(nil), .head(post), megabytes(1), .end(nil))
        #expect(try parts() == [.head(post), megabytes(1), .end(nil), .head(post), megabytes(1), .end(nil)])
        channel.embeddedEventLoop.advanceTime(by: .seconds(6))
        #expect(channel.isActive && socket.closes.isEmpty)
        try answer(.ok, closes: true)
        channel.close(promise: nil)
        #expect(socket.closes == ["all"])
    }

    @Test func `a request that came before its turn keeps its body`() throws {
        try send(.head(post), .end(nil), .head(post))
        try answer(.ok, closes: false)
        try send(megabytes(1))
        channel.embeddedEventLoop.advanceTime(by: .seconds(6))
        #expect(try parts() == [.head(post), .end(nil), .head(post), megabytes(1)])
        #expect(channel.isActive)
    }

    @Test func `an interim answer ends nothing`() throws {
        try send(.head(post))
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .continue)))
        try send(megabytes(1))
        #expect(try parts() == [.head(post), megabytes(1)])
        channel.close(promise: nil)
        #expect(socket.closes == ["all"])
    }

    @Test func `a client that ends its side is not waited for`() throws {
        try send(.head(post))
        try answer(.contentTooLarge, closes: true)
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!channel.isActive)
    }

    @Test func `a rest that is no valid HTTP is dropped like any other`() throws {
        try send(.head(post))
        try answer(.contentTooLarge, closes: true)
        let bytes = ByteBuffer(repeating: 0, count: 9 << 20)
        let error = ByteToMessageDecoderError.dataReceivedInErrorState(ChannelError.eof, bytes)
        channel.pipeline.fireErrorCaught(error)
        #expect(channel.isActive)
        channel.pipeline.fireErrorCaught(error)
        #expect(!channel.isActive)
        try channel.throwIfErrorCaught()
    }
}
