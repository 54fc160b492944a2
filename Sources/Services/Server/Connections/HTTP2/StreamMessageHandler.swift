import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Makes the request of a stream look like one of HTTP/1.1, and its response valid in HTTP/2, so that all other handlers
/// serve both versions. Reports the begin and end of the request to the connection's ``ConnectionRecord``.
final class StreamMessageHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let record: ConnectionRecord?
    private var isCounted = false
    private var isRefused = false

    init(record: ConnectionRecord?) { self.record = record }

    func handlerRemoved(context: ChannelHandlerContext) { responseEnded() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        guard case .head(let head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        isCounted = true
        record?.requestBegan()
        do throws(GatewayError) {
            context.fireChannelRead(wrapInboundOut(.head(try StreamRequest.checked(head))))
        } catch {
            refuse(error, context)
        }
    }

    /// Malformed headers, which the codec refused.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            for name in StreamRequest.connectionFields { head.headerFields[name] = nil }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            responseEnded()
            context.write(data, promise: promise)
        }
    }

    private func responseEnded() {
        guard isCounted else { return }
        isCounted = false
        record?.responseEnded()
    }

    private func refuse(_ error: GatewayError, _ context: ChannelHandlerContext) {
        isRefused = true
        let json = (try? JSONReply.data(error.body)).map { ByteBuffer(bytes: $0) } ?? ByteBuffer()
        var fields: HTTPFields = [
            .contentType: "application/json; charset=utf-8", .contentLength: String(json.readableBytes),
            .requestID: RequestIDMiddleware.fresh(),
        ]
        for field in SecurityHeaders.fields + [SecurityHeaders.policy] { fields.append(field) }
        let head = HTTPResponse(status: error.status, headerFields: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(json)), promise: nil)
        responseEnded()
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in bound.value.close(promise: nil) }
    }
}
