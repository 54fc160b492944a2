import Access
import HTTPTypes
package import NIOCore

/// The first handler of a connection's pipeline. Adds the connection to the table of open connections, or rejects it
/// when there are too many.
///
/// A rejected client gets a complete 503 and time to read it. With TLS, where it could not read the answer, the
/// connection is only closed.
package final class ConnectionGate: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// How long a rejected client has to read its answer.
    static let farewell = TimeAmount.seconds(1)

    private let limits: ConnectionLimits
    private let isEncrypted: Bool
    /// The connection in the table; nil before it is added, and after it ended.
    package private(set) var record: ConnectionRecord?
    private var refusal: GatewayError?

    package init(limits: ConnectionLimits, isEncrypted: Bool) {
        self.limits = limits
        self.isEncrypted = isEncrypted
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        switch limits.open.add(
            ObjectIdentifier(channel), from: ClientAddress(channel.remoteAddress),
            isThisMachine: ClientAddress(channel.remoteAddress) == .loopback
                || channel.remoteAddress?.ipAddress.map { $0 == channel.localAddress?.ipAddress } == true,
            close: { channel.close(promise: nil) })
        {
        case .open(let record):
            self.record = record
            limits.metrics.connections.add(1)
        case .refused(let limit, let isOfAddress):
            limits.metrics.refusedConnections.add()
            refusal = GatewayError(
                .serviceUnavailable, .tooManyConnections,
                "\(limit) connections\(isOfAddress ? " from this address" : "") are open, which is the limit; try again "
                    + "later")
            if channel.isActive { refuse(context) }
        }
    }

    package func handlerRemoved(context: ChannelHandlerContext) { leave() }

    package func channelActive(context: ChannelHandlerContext) {
        refuse(context)
        context.fireChannelActive()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if refusal == nil { context.fireChannelRead(data) }
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if refusal == nil {
            context.write(data, promise: promise)
        } else {
            promise?.fail(ChannelError.ioOnClosedChannel)
        }
    }

    private func leave() {
        guard let record else { return }
        limits.open.remove(record)
        limits.metrics.connections.add(-1)
        self.record = nil
    }

    private func refuse(_ context: ChannelHandlerContext) {
        guard let refusal else { return }
        if isEncrypted { return context.close(promise: nil) }
        let answer = RawAnswer.bytes(
            "503 Service Unavailable", refusal, retryAfterSeconds: limits.retryAfterSeconds, context.channel.allocator)
        // An immediate close would make the system discard the answer if a request arrived meanwhile.
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(answer)).whenComplete { _ in
            bound.value.close(mode: .output, promise: nil)
        }
        context.eventLoop.scheduleTask(in: Self.farewell) { bound.value.close(promise: nil) }
    }
}

extension GatewayError.Code {
    /// Too many connections are open.
    package static let tooManyConnections = GatewayError.Code(rawValue: "too_many_connections")
    /// The head of a request timed out.
    package static let headerTimeout = GatewayError.Code(rawValue: "header_timeout")
}

/// A response written below HTTP, by a handler that closes the connection.
enum RawAnswer {
    static func bytes(
        _ status: String, _ error: GatewayError, retryAfterSeconds: Int?, _ allocator: ByteBufferAllocator
    ) -> ByteBuffer {
        let body = (try? JSONReply.data(error.body)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        let retry = retryAfterSeconds.map { "Retry-After: \($0)\r\n" } ?? ""
        return allocator.buffer(
            string: "HTTP/1.1 \(status)\r\nContent-Type: application/json; charset=utf-8\r\n"
                + "Content-Length: \(body.utf8.count)\r\nX-Request-Id: \(RequestIDMiddleware.fresh())\r\n\(retry)"
                + SecurityHeaders.lines
                + "Connection: close\r\n\r\n\(body)")
    }
}
