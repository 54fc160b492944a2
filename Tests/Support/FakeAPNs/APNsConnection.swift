import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One connection of a client, frame by frame.
final class APNsConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let book: PushBook
    private var number = 0
    private var requests: [HTTP2StreamID: PushRequest] = [:]
    /// Streams that were opened and not answered.
    private var open: Set<HTTP2StreamID> = []
    private var isWarm: Bool
    private var isSilent = false
    /// The last stream that is answered, after a GOAWAY.
    private var last: HTTP2StreamID?
    private var received = 0

    init(book: PushBook) {
        self.book = book
        isWarm = !book.options.ramps
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        number = book.opened {
            channel.eventLoop.execute {
                let (handler, context) = bound.value
                handler.goAway(context, "Shutdown", last: handler.open.max() ?? .rootStream, closeAfter: 100)
                context.flush()
            }
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        book.closed(number)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        book.failed(error)
        context.close(promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !isSilent { context.flush() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard !isSilent else { return }
        switch frame.payload {
        case .headers(let headers):
            open.insert(frame.streamID)
            book.began(inFlight: open.count, isWarm: isWarm)
            if headers.priorityData != nil { book.sawPriority() }
            requests[frame.streamID] = request(headers.headers)
            if headers.endStream { answer(frame.streamID, context) }
        case .data(let data):
            if case .byteBuffer(let buffer) = data.data { requests[frame.streamID]?.body += buffer.readableBytesView }
            received += data.data.readableBytes
            if received >= 32 << 10 {
                write(context, .rootStream, .windowUpdate(windowSizeIncrement: received))
                received = 0
            }
            if data.endStream { answer(frame.streamID, context) }
        case .rstStream:
            open.remove(frame.streamID)
            requests[frame.streamID] = nil
        case .priority: book.sawPriority()
        case .ping(_, ack: false): book.sawPing()
        default: break
        }
    }

    private func request(_ headers: HPACKHeaders) -> PushRequest {
        var request = PushRequest(connection: number)
        for header in headers {
            switch header.name {
            case ":method": request.method = header.value
            case ":path": request.path = header.value
            case let name where name.hasPrefix(":"): break
            default: request.headers[header.name] = header.value
            }
        }
        return request
    }

    private func answer(_ stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        guard let request = requests.removeValue(forKey: stream) else { return }
        if let last, stream > last { return }
        let (answer, isTrusted) = book.decide(request)
        if isTrusted, !isWarm {
            isWarm = true
            let setting = HTTP2Setting(parameter: .maxConcurrentStreams, value: Int(book.options.maxStreams))
            write(context, .rootStream, .settings(.settings([setting])))
        }
        switch answer {
        case .accept:
            later(book.options.latency, context) { $0.accept(stream, request, $1) }
        case .late(let milliseconds):
            later(milliseconds, context) { $0.accept(stream, request, $1) }
        case .reject(let status, let reason, let timestamp, let retryAfter):
            book.refused(reason)
            later(book.options.latency, context) {
                $0.reject(stream, request, status, reason, timestamp, retryAfter, $1)
            }
        case .ignore: break
        case .silence: isSilent = true
        case .refuseStream:
            open.remove(stream)
            write(context, stream, .rstStream(.refusedStream))
        case .goAway(let reason, let milliseconds):
            accept(stream, request, context)
            goAway(context, reason, last: stream, closeAfter: milliseconds)
        case .drop: context.close(promise: nil)
        }
    }

    private func later(
        _ milliseconds: Int64, _ context: ChannelHandlerContext,
        _ action: @escaping (APNsConnection, ChannelHandlerContext) -> Void
    ) {
        guard milliseconds > 0 else { return action(self, context) }
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) {
            guard context.channel.isActive, !self.isSilent else { return }
            action(self, context)
            context.flush()
        }
    }

    private func accept(_ stream: HTTP2StreamID, _ request: PushRequest, _ context: ChannelHandlerContext) {
        guard open.remove(stream) != nil else { return }
        book.accepted(request)
        let headers: HPACKHeaders = [":status": "200", "apns-id": request.id, "apns-unique-id": "unique-\(request.id)"]
        write(context, stream, .headers(.init(headers: headers, endStream: true)))
    }

    private func reject(
        _ stream: HTTP2StreamID, _ request: PushRequest, _ status: Int, _ reason: String, _ timestamp: Int64?,
        _ retryAfter: String?, _ context: ChannelHandlerContext
    ) {
        guard open.remove(stream) != nil else { return }
        var headers: HPACKHeaders = [":status": String(status), "apns-id": request.id]
        if let retryAfter { headers.add(name: "retry-after", value: retryAfter) }
        write(context, stream, .headers(.init(headers: headers)))
        var body = #"{"reason":"\#(reason)""#
        if let timestamp { body += #","timestamp":\#(timestamp)"# }
        write(
            context, stream,
            .data(.init(data: .byteBuffer(ByteBuffer(string: body + "}")), endStream: true)))
    }

    private func goAway(
        _ context: ChannelHandlerContext, _ reason: String, last stream: HTTP2StreamID, closeAfter milliseconds: Int64
    ) {
        last = stream
        write(
            context, .rootStream,
            .goAway(
                lastStreamID: stream, errorCode: .noError,
                opaqueData: ByteBuffer(string: #"{"reason":"\#(reason)"}"#)))
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) {
            context.close(promise: nil)
        }
    }

    private func write(_ context: ChannelHandlerContext, _ stream: HTTP2StreamID, _ payload: HTTP2Frame.FramePayload) {
        context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
    }
}
