import HTTPTypes
import Logging
import NIOCore
import Upstream

extension ProxyExchange {
    /// The request's id: the client's, or a new one.
    var requestID: String { RequestIDMiddleware.id(of: head) }

    /// One line for each request, as the application's own routes have it.
    func logRequest() {
        guard proxy.logger.logLevel <= .info else { return }
        let elapsed = startedAt.duration(to: .now)
        let milliseconds = Double(elapsed.components.seconds) * 1e3 + Double(elapsed.components.attoseconds) / 1e15
        var metadata: Logger.Metadata = [
            "method": "\(head.method)", "path": "\(pathWithoutQuery)", "status": "\(status)",
            "ms": "\((milliseconds * 100).rounded() / 100)", "request_id": "\(requestID)",
        ]
        if !proxy.pool.isSingle, let last = tried.last { metadata["upstream"] = "\(last.name)" }
        proxy.logger.info("request", metadata: metadata)
    }

    /// Failures of the gateway or of the upstream; refusals of the client's doing are only the request's line.
    func logFailure(_ error: GatewayError) {
        guard error.status.code >= 500 else { return }
        proxy.logger.warning(
            "proxied request failed", metadata: ["error": "\(error)", "path": "\(pathWithoutQuery)"])
    }

    private var pathWithoutQuery: Substring { (head.path ?? "/").prefix { $0 != "?" } }
}
