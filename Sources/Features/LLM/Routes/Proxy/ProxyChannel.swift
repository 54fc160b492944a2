import HTTPTypes
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOSSL
package import Server

/// Hummingbird's HTTP/1.1 channel with the proxy in its pipeline, behind TLS and the connection limits.
///
/// The proxy comes after the handler for idle connections and graceful shutdown, so that handler sees proxied requests
/// too. The application's tasks come after the proxy and never see proxied requests.
package struct ProxyChannel: HTTPChannelHandler {
    private let base: HTTP1Channel
    private let proxy: Proxy
    private let limits: ConnectionLimits
    private let tls: TLSIdentity?
    private let sockets: [WebSocketRoute]

    /// Creates the handler of HTTP/1.1 connections, with limits for the heads of requests.
    package init(
        responder: @escaping Responder, idleTimeout: Duration, proxy: Proxy, limits: ConnectionLimits,
        tls: TLSIdentity?,
        sockets: [WebSocketRoute]
    ) {
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                SecurityHeadersHandler(), ClientDepartureHandler(), MalformedRequestHandler(), HeadResponseHandler(),
            ],
            idleTimeout: TimeAmount(idleTimeout),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
        base = HTTP1Channel(responder: responder, configuration: configuration)
        self.proxy = proxy
        self.limits = limits
        self.tls = tls
        self.sockets = sockets
    }

    package var responder: HTTPChannelHandler.Responder { base.responder }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        let headers = HeaderTimeoutHandler(limits: limits, isEncrypted: tls != nil)
        let gate = ConnectionGate(limits: limits, isEncrypted: tls != nil)
        let front = channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(gate)
            try pipeline.addHandler(StallHandler(limits: limits))
            if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls.context)) }
            try pipeline.addHandler(headers)
        }
        let bound = NIOLoopBound((headers, gate), eventLoop: channel.eventLoop)
        return front.flatMap { base.setup(channel: channel, logger: logger) }.flatMapThrowing {
            [proxy, sockets] value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(RequestFramingHandler(), position: .before(codec))
            let neighbour = try pipeline.handler(type: HTTPConnectionStateHandler.self)
            try pipeline.addHandler(HeadWatch(bound.value.0, bound.value.1), position: .before(neighbour))
            try pipeline.addHandler(ProxyHandler(proxy: proxy), position: .after(neighbour))
            if !sockets.isEmpty {
                try pipeline.addHandler(WebSocketUpgradeHandler(sockets), position: .after(neighbour))
            }
            return value
        }
    }

    package func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
