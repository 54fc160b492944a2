package import NIOCore
package import NIOWebSocket
import Synchronization

/// The last handler of frames of a WebSocket: pings, closes, and runs the task that talks with the client.
///
/// The client is pinged every ``heartbeat`` and counts as gone when no frame of it came for ``silence``.
package final class WebSocketHandler: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = WebSocketFrame
    package typealias OutboundOut = WebSocketFrame

    static let heartbeat = TimeAmount.seconds(30)
    static let silence = TimeAmount.seconds(60)
    /// How long a client has to answer a close.
    static let farewell = TimeAmount.seconds(2)

    private let serve: @Sendable (WebSocketConnection) async -> Void
    private var connection: WebSocketConnection?
    private var task: Task<Void, Never>?
    private var beat: RepeatedTask?
    private var heard = NIODeadline.uptimeNanoseconds(0)
    private var isClosing = false

    init(serve: @escaping @Sendable (WebSocketConnection) async -> Void) { self.serve = serve }

    package func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let connection = WebSocketConnection(
            eventLoop: context.eventLoop,
            write: { text in
                let (handler, context) = bound.value
                return handler.write(text, context)
            },
            close: { code, reason in
                let (handler, context) = bound.value
                handler.close(context, code, reason)
            })
        self.connection = connection
        heard = context.eventLoop.now
        task = Task { [serve] in
            await serve(connection)
            connection.close(.normalClosure, "")
        }
        beat = context.eventLoop.scheduleRepeatedTask(initialDelay: Self.heartbeat, delay: Self.heartbeat) { _ in
            let (handler, context) = bound.value
            handler.ping(context)
        }
    }

    package func handlerRemoved(context: ChannelHandlerContext) { leave() }

    package func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        heard = context.eventLoop.now
        switch frame.opcode {
        case .text:
            guard !isClosing else { return }
            var bytes = frame.unmaskedData
            guard let text = try? bytes.readUTF8ValidatedString(length: bytes.readableBytes) else {
                return close(context, .dataInconsistentWithMessage, "a text is not UTF-8")
            }
            guard connection?.receive(text) == true else {
                return close(context, .policyViolation, "too many messages at once")
            }
        case .binary: close(context, .unacceptableData, "expected text")
        case .ping:
            // Only the latest ping needs an answer, so a client that reads none costs no memory.
            guard context.channel.isWritable else { return }
            let answer = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        case .connectionClose:
            if isClosing { return context.close(promise: nil) }
            close(context, .normalClosure, "")
            context.close(promise: nil)
        default: break
        }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength, NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge:
            close(context, .messageTooLarge, "at most \(WebSocketUpgradeHandler.maxMessage) bytes")
        case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error, is WebSocketFrameCheck.Fault:
            close(context, .protocolError, "")
        // Bytes behind a frame that could not be read: its close is on the way, and the connection ends soon.
        case is ByteToMessageDecoderError where isClosing: break
        default: context.close(promise: nil)
        }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: close(context, .goingAway, "the gateway stops")
        case ChannelEvent.inputClosed: context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    private func write(_ text: String, _ context: ChannelHandlerContext) -> EventLoopFuture<Void> {
        guard !isClosing else { return context.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
        let frame = WebSocketFrame(fin: true, opcode: .text, data: context.channel.allocator.buffer(string: text))
        let promise = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(frame), promise: promise)
        return promise.futureResult
    }

    private func ping(_ context: ChannelHandlerContext) {
        guard heard + Self.silence > context.eventLoop.now else { return context.close(promise: nil) }
        let frame = WebSocketFrame(fin: true, opcode: .ping, data: context.channel.allocator.buffer(capacity: 0))
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    /// Sends a close and gives the client time for its own.
    private func close(_ context: ChannelHandlerContext, _ code: WebSocketErrorCode, _ reason: String) {
        guard !isClosing else { return }
        isClosing = true
        leave()
        // A control frame has 125 bytes at most, two of them for the code.
        var reason = reason
        while reason.utf8.count > 123 { reason.removeLast() }
        var data = context.channel.allocator.buffer(capacity: 2 + reason.utf8.count)
        data.write(webSocketErrorCode: code)
        data.writeString(reason)
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.farewell) { bound.value.close(promise: nil) }
    }

    private func leave() {
        beat?.cancel()
        beat = nil
        connection?.end()
        task?.cancel()
        task = nil
    }
}

/// A WebSocket as a task sees it.
package final class WebSocketConnection: Sendable {
    /// Messages of the client that may wait for the task; a client that sends more is disconnected.
    static let maxWaiting = 64

    /// The texts that the client sends; ends when the connection closes.
    package let messages: AsyncStream<String>
    private let source: AsyncStream<String>.Continuation
    private let eventLoop: any EventLoop
    private let writeText: @Sendable (String) -> EventLoopFuture<Void>
    private let closeSocket: @Sendable (WebSocketErrorCode, String) -> Void

    init(
        eventLoop: any EventLoop, write: @escaping @Sendable (String) -> EventLoopFuture<Void>,
        close: @escaping @Sendable (WebSocketErrorCode, String) -> Void
    ) {
        self.eventLoop = eventLoop
        writeText = write
        closeSocket = close
        (messages, source) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maxWaiting))
    }

    /// Sends a text. Returns when the socket took it, so a task that waits for each text keeps one in memory.
    ///
    /// - Throws: When the connection is closed.
    package func send(_ text: String) async throws {
        try await eventLoop.flatSubmit { [writeText] in writeText(text) }.get()
    }

    /// Closes the connection because of what the client did.
    package func refuse(_ reason: String) { close(.policyViolation, reason) }

    func close(_ code: WebSocketErrorCode, _ reason: String) {
        eventLoop.execute { [closeSocket] in closeSocket(code, reason) }
    }

    /// Hands a text to the task; false when too many wait.
    func receive(_ text: String) -> Bool {
        if case .dropped = source.yield(text) { return false }
        return true
    }

    func end() { source.finish() }
}
