import Access
import HTTPTypes
import Inference
import Logging
import NIOCore
import Server

extension ProxyExchange {
    /// Reports what became of the request: once, at its end.
    func report() {
        var outcome = trace.outcome(head, kind: kind, status: status, startedAt: startedAt)
        outcome.requestBytes = receivedBytes
        outcome.key = identity.name
        if !proxy.pool.isSingle { outcome.upstream = tried.last?.name }
        proxy.observer.end(outcome, id: requestID)
    }

    /// Failures of the gateway or of the upstream; refusals of the client's doing are only the request's line.
    func logFailure(_ error: GatewayError) {
        guard error.status.code >= 500 else { return }
        proxy.logger.warning(
            "proxied request failed", metadata: ["error": "\(error)", "path": "\(pathWithoutQuery)"])
    }

    /// What a model is asked, if the log may have it.
    func logPrompt(_ body: ByteBuffer) {
        guard kind == .inference else { return }
        proxy.observer.logPrompt(
            String(buffer: body), route: ProxyPolicy.pattern(of: String(pathWithoutQuery)), id: requestID,
            logger: proxy.logger)
    }

    private var pathWithoutQuery: Substring { (head.path ?? "/").prefix { $0 != "?" } }
}
