import HTTPTypes
import Logging
import NIOCore
import Server

/// How proxied requests show in metrics and logs, and their errors to clients.
struct ProxyReports: Sendable {
    let observer: RequestObserver
    private let errors: ErrorShapes
    private let logger: Logger

    init(observer: RequestObserver, errors: ErrorShapes, logger: Logger) {
        self.observer = observer
        self.errors = errors
        self.logger = logger
    }

    /// Describes an error for the client. Failures of the gateway or of the upstream are logged; refusals of the client's
    /// doing are only the request's line.
    ///
    /// - Parameter path: The path without its query.
    func describe(_ error: any Error, path: String) -> GatewayError {
        let error = errors.describe(error, path: path)
        if error.status.code >= 500 {
            logger.warning("proxied request failed", metadata: ["error": "\(error)", "path": "\(path)"])
        }
        return error
    }

    /// What became of a request.
    ///
    /// - Parameters:
    ///   - total: The time from its head to its end.
    ///   - upstream: The endpoint that it went to, where there are several.
    func outcome(
        of request: ProxiedRequest, _ facts: RequestFacts, _ response: ClientResponse, requestBytes: Int,
        total: Duration, upstream: String?
    ) -> RequestOutcome {
        var outcome = facts.outcome(
            route: ProxyPolicy.pattern(of: request.path), path: request.path, method: request.head.method,
            status: response.status)
        if !facts.isCancelled, !facts.isBroken, facts.phase == .streaming { outcome.phase = .done }
        outcome.isProxied = true
        outcome.isInference = request.kind == .inference
        outcome.requestBytes = requestBytes
        outcome.responseBytes = response.bytes
        outcome.total = total
        outcome.streamed = facts.answeredAt.map { .now - $0 }
        outcome.upstream = upstream
        return outcome
    }

    /// Logs what a model is asked, if the log may have it.
    func logPrompt(_ body: ByteBuffer, path: String, id: @autoclosure () -> String) {
        observer.logPrompt(String(buffer: body), route: ProxyPolicy.pattern(of: path), id: id(), logger: logger)
    }
}
