import HTTPTypes
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOSSL
package import Server

/// The channel of a client's connection: TLS, the connection limits, HTTP/1.1 or HTTP/2, the proxy and the application.
///
/// The proxy comes after the handler for idle connections and graceful shutdown, so that handler sees proxied requests
/// too. The application's tasks come after the proxy and never see proxied requests. A stream of HTTP/2 has the same
/// handlers as a connection of HTTP/1.1.
package struct ProxyChannel: HTTPChannelHandler {
    /// A connection whose protocol is known, or will be after its TLS handshake.
    package struct Value: ServerChildChannelValue {
        fileprivate enum Connection: Sendable {
            case http1(HTTP1Channel.Value)
            case http2(HTTP2Connection)
        }
        fileprivate let connection: EventLoopFuture<Connection>
        package let channel: any Channel
    }

    private let base: HTTP1Channel
    private let proxy: Proxy
    private let limits: ConnectionLimits
    private let idleTimeout: Duration
    private let tls: TLSIdentity?
    private let sockets: [WebSocketRoute]

    /// Creates the handler of connections, with limits for the heads of requests.
    package init(
        responder: @escaping Responder, idleTimeout: Duration, proxy: Proxy, limits: ConnectionLimits,
        tls: TLSIdentity?,
        sockets: [WebSocketRoute]
    ) {
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                UnsentAnswerHandler(), SecurityHeadersHandler(), ClientDisconnectHandler(), MalformedRequestHandler(),
                HeadResponseHandler(),
            ],
            idleTimeout: TimeAmount(idleTimeout),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
        base = HTTP1Channel(responder: responder, configuration: configuration)
        self.idleTimeout = idleTimeout
        self.proxy = proxy
        self.limits = limits
        self.tls = tls
        self.sockets = sockets
    }

    package var responder: HTTPChannelHandler.Responder { base.responder }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let loop = channel.eventLoop
        TCPKeepAlive.watch(channel)
        let headers = HeaderTimeoutHandler(limits: limits, isEncrypted: tls != nil)
        let gate = ConnectionGate(limits: limits, isEncrypted: tls != nil)
        let bound = NIOLoopBound((headers, gate), eventLoop: loop)
        return loop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(gate)
            try pipeline.addHandler(StallHandler(limits: limits))
            guard let tls else {
                try pipeline.addHandler(headers)
                let connection = setUpHTTP1(channel, bound, logger).map { Value.Connection.http1($0) }
                return Value(connection: connection, channel: channel)
            }
            try pipeline.addHandler(NIOSSLServerHandler(context: tls.context))
            try pipeline.addHandler(headers)
            let connection = try HTTPNegotiation.wait(on: channel) { isHTTP2 in
                guard isHTTP2 else { return setUpHTTP1(channel, bound, logger).map { Value.Connection.http1($0) } }
                return loop.makeCompletedFuture {
                    .http2(try setUpHTTP2(channel, bound, maxStreams: tls.maxStreams, logger))
                }
            }
            return Value(connection: connection, channel: channel)
        }
    }

    private func setUpHTTP1(
        _ channel: any Channel, _ bound: NIOLoopBound<(HeaderTimeoutHandler, ConnectionGate)>, _ logger: Logger
    ) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { [proxy, sockets] value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(RequestFramingHandler(), position: .before(codec))
            let neighbour = try pipeline.handler(type: HTTPConnectionStateHandler.self)
            try pipeline.addHandlers(
                [HeadWatch(bound.value.0, bound.value.1), EarlyAnswerHandler()], position: .before(neighbour))
            try pipeline.addHandler(ProxyHandler(proxy: proxy), position: .after(neighbour))
            if !sockets.isEmpty {
                let upgrade = WebSocketUpgradeHandler(sockets, proxy.access.authentication)
                try pipeline.addHandler(upgrade, position: .after(neighbour))
            }
            return value
        }
    }

    /// Sets up HTTP/2, where frames have a timeout of their own. WebSockets stay with HTTP/1.1: browsers open another
    /// connection for them.
    private func setUpHTTP2(
        _ channel: any Channel, _ bound: NIOLoopBound<(HeaderTimeoutHandler, ConnectionGate)>, maxStreams: Int,
        _ logger: Logger
    ) throws -> HTTP2Connection {
        channel.pipeline.syncOperations.removeHandler(bound.value.0, promise: nil)
        return try HTTP2Connection(
            on: channel, limits: limits, gate: bound.value.1, maxStreams: maxStreams,
            idleTimeout: TimeAmount(idleTimeout)
        ) { [proxy, idleTimeout] stream in
            try stream.pipeline.syncOperations.addHandlers([
                UnsentAnswerHandler(), SecurityHeadersHandler(), ClientDisconnectHandler(), EarlyAnswerHandler(),
                HTTPConnectionStateHandler(idleTimeout: idleTimeout, logger: logger), ProxyHandler(proxy: proxy),
            ])
            return try HTTP1Channel.Value(wrappingChannelSynchronously: stream)
        }
    }

    /// Reads requests and writes responses on the thread of the connection's event loop, so that no part of a message
    /// changes threads on its way. What answers a request runs elsewhere: ``RequestTasks``.
    package func handle(value: Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopTaskExecutor(value.channel.eventLoop)) {
            await serve(value, logger)
        }
    }

    private func serve(_ value: Value, _ logger: Logger) async {
        // Fails when the connection ends within the handshake.
        switch try? await value.connection.get() {
        case .http1(let connection): await base.handle(value: connection, logger: logger)
        case .http2(let connection):
            await connection.handle { stream in await base.handle(value: stream, logger: logger) }
        case nil: break
        }
    }
}
