import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes

/// Hummingbird's HTTP/1.1 channel with the proxy in its pipeline.
///
/// The proxy stands behind the handler that watches idle connections and graceful shutdown, so both see its requests too,
/// and in front of the tasks of the application, which never see them.
struct ProxyChannel: HTTPChannelHandler {
    private let base: HTTP1Channel
    private let proxy: Proxy

    init(base: HTTP1Channel, proxy: Proxy) {
        self.base = base
        self.proxy = proxy
    }

    var responder: HTTPChannelHandler.Responder { base.responder }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { [proxy] value in
            let pipeline = channel.pipeline.syncOperations
            let neighbour = try pipeline.handler(type: HTTPConnectionStateHandler.self)
            try pipeline.addHandler(ProxyHandler(proxy: proxy), position: .after(neighbour))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
