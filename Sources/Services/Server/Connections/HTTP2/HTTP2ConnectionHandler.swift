import NIOCore
import NIOHTTP2
import NIOHTTPTypesHTTP2

/// Manages one HTTP/2 connection behind the codec: idle time, PINGs, the end after an error, and graceful shutdown.
///
/// It ends a connection in two steps (RFC 9113, 6.8): a GOAWAY that allows the requests that are already on their way,
/// then one that allows no more. The connection closes after its last stream.
final class HTTP2ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler, NIOHTTP2FrameDelegate {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private enum Phase { case open, draining, closing, closed }

    private static let livenessPing = HTTP2PingData(withInteger: 1)
    private static let farewellPing = HTTP2PingData(withInteger: 2)

    let limits: ConnectionLimits
    private let gate: ConnectionGate
    private let frames: FrameTimeoutHandler
    private let idleTimeout: TimeAmount
    private var context: ChannelHandlerContext?
    private var phase = Phase.open
    /// The handlers of open streams, which learn what was written for them.
    private var streams: [HTTP2StreamID: StreamFlowHandler] = [:]
    private var open = 0
    private var lastStream = HTTP2StreamID.rootStream
    private var idleSince = NIODeadline.now()
    private var idleTimer: Scheduled<Void>?
    private var pingTimer: Scheduled<Void>?
    private var readsAtPing = 0
    private var isPinged = false
    /// Whether the codec gave up the connection.
    private var isBroken = false

    init(limits: ConnectionLimits, gate: ConnectionGate, frames: FrameTimeoutHandler, idleTimeout: TimeAmount) {
        self.limits = limits
        self.gate = gate
        self.frames = frames
        self.idleTimeout = idleTimeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        frames.onFlood = { bound.value.endFlood() }
        limits.metrics.http2Connections.add(1)
        watchIdle(in: idleTimeout)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        phase = .closed
        idleTimer?.cancel()
        pingTimer?.cancel()
        (idleTimer, pingTimer, self.context) = (nil, nil, nil)
        streams = [:]
        limits.metrics.http2Connections.add(-1)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .ping(Self.farewellPing, ack: true) = unwrapInboundIn(data).payload { lastCall() }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: drain()
        // A half-closed client counts as gone, as with HTTP/1.1.
        case let event as ChannelEvent where event == .inputClosed: context.close(promise: nil)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Errors of one stream end the stream; all others end the connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard isBroken || !(error is any NIOHTTP2Error) else { return }
        if isBroken, phase != .closed { limits.metrics.http2Failures.add() }
        phase = .closed
        context.close(promise: nil)
    }

    /// Ends a connection that sends too many frames that carry nothing.
    private func endFlood() {
        guard phase != .closed, let context else { return }
        phase = .closed
        limits.metrics.http2Failures.add()
        let written = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        send(.goAway(lastStreamID: lastStream, errorCode: .enhanceYourCalm, opaqueData: nil), promise: written)
    }

    // MARK: Streams

    /// Adds the handlers of a stream up to the shared HTTP types.
    func addHandlers(to stream: any Channel) throws {
        let pipeline = stream.pipeline.syncOperations
        let flow = StreamFlowHandler(connection: self)
        try pipeline.addHandler(flow)
        try pipeline.addHandler(HTTP2FramePayloadToHTTPServerCodec())
        try pipeline.addHandler(StreamMessageHandler(record: gate.record))
    }

    func add(_ flow: StreamFlowHandler, of id: HTTP2StreamID) { streams[id] = flow }

    func remove(_ id: HTTP2StreamID) { streams[id] = nil }

    func wroteFrame(_ frame: HTTP2Frame) {
        switch frame.payload {
        case .data(let data):
            frames.wrote(data.data.readableBytes)
            streams[frame.streamID]?.wrote(data.data.readableBytes, isEnd: data.endStream)
        case .headers(let headers):
            streams[frame.streamID]?.wrote(0, isEnd: headers.endStream)
        case .goAway(_, let code, _) where code != .noError: isBroken = true
        default: break
        }
    }

    fileprivate func streamCreated(_ id: HTTP2StreamID) {
        open += 1
        if lastStream < id { lastStream = id }
        if pingTimer == nil { watchClient() }
    }

    fileprivate func streamClosed() {
        open -= 1
        guard open == 0 else { return }
        idleSince = .now()
        if phase == .closing {
            // The last frame of the stream is not flushed yet.
            _ = schedule(in: .zero) { $0.finish() }
        } else if idleTimer == nil {
            watchIdle(in: idleTimeout)
        }
    }

    // MARK: Time

    private func schedule(
        in time: TimeAmount, _ action: @escaping @Sendable (HTTP2ConnectionHandler) -> Void
    ) -> Scheduled<Void>? {
        guard let context else { return nil }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        return context.eventLoop.scheduleTask(in: time) { action(bound.value) }
    }

    private func watchIdle(in time: TimeAmount) {
        idleTimer = schedule(in: time) { $0.checkIdle() }
    }

    private func checkIdle() {
        idleTimer = nil
        guard open == 0 else { return }
        let left = idleSince + idleTimeout - .now()
        if left > .zero { watchIdle(in: left) } else { drain() }
    }

    /// Watches that the client is still there while it has open streams.
    private func watchClient() {
        readsAtPing = frames.reads
        pingTimer = schedule(in: HTTP2Limits.pingInterval) { $0.checkClient() }
    }

    private func checkClient() {
        pingTimer = nil
        guard open > 0, let context else {
            isPinged = false
            return
        }
        let isSilent = frames.reads == readsAtPing
        if isSilent, isPinged {
            limits.metrics.stalledClients.add()
            return context.close(promise: nil)
        }
        isPinged = isSilent
        if isSilent { send(.ping(Self.livenessPing, ack: false)) }
        watchClient()
    }

    // MARK: The end

    private func send(_ payload: HTTP2Frame.FramePayload, promise: EventLoopPromise<Void>? = nil) {
        guard let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: promise)
    }

    /// Begins the end of the connection. Requests that are on their way are still answered.
    private func drain() {
        guard phase == .open else { return }
        phase = .draining
        send(.goAway(lastStreamID: .maxID, errorCode: .noError, opaqueData: nil))
        send(.ping(Self.farewellPing, ack: false))
        _ = schedule(in: HTTP2Limits.farewell) { $0.lastCall() }
    }

    /// Allows no more requests. The client has seen the first GOAWAY, or did not answer in time.
    private func lastCall() {
        guard phase == .draining else { return }
        phase = .closing
        if open == 0 {
            finish()
        } else {
            send(.goAway(lastStreamID: lastStream, errorCode: .noError, opaqueData: nil))
        }
    }

    /// Closes the connection after everything that was written before.
    private func finish() {
        guard phase == .closing, open == 0, let context else { return }
        phase = .closed
        let written = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        send(.goAway(lastStreamID: lastStream, errorCode: .noError, opaqueData: nil), promise: written)
    }
}

/// Tells a connection's handler about its streams.
struct HTTP2StreamCounter: NIOHTTP2StreamDelegate {
    let connection: NIOLoopBound<HTTP2ConnectionHandler>

    func streamCreated(_ id: HTTP2StreamID, channel: any Channel) {
        channel.eventLoop.hop { connection.value.streamCreated(id) }
    }

    func streamClosed(_ id: HTTP2StreamID, channel: any Channel) {
        channel.eventLoop.hop { connection.value.streamClosed() }
    }
}
