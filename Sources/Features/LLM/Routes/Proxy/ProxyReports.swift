import HTTPTypes
import Logging
import NIOCore
import Server

/// Metrics and log lines of proxied requests, and the form of their errors.
struct ProxyReports: Sendable {
    let observer: RequestObserver
    private let errors: ErrorShapes
    private let logger: Logger

    init(observer: RequestObserver, errors: ErrorShapes, logger: Logger) {
        self.observer = observer
        self.errors = errors
        self.logger = logger
    }

    /// Describes an error for the client. Logs failures of the gateway or the upstream; a refused request only has its
    /// request line.
    ///
    /// - Parameter path: The path without its query.
    func describe(_ error: any Error, path: String) -> GatewayError {
        let error = errors.describe(error, path: path)
        if error.status.code >= 500 {
            logger.warning("proxied request failed", metadata: ["error": "\(error)", "path": "\(path)"])
        }
        return error
    }

    /// Describes a finished request, for metrics and the log.
    ///
    /// - Parameters:
    ///   - total: The time from the head to the end.
    ///   - upstream: The endpoint used, if there are several.
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

    /// Counts a finished request to a provider besides Ollama.
    func count(_ outcome: RequestOutcome, of provider: String) {
        let isDone = outcome.status < 400 && !outcome.isBroken
        observer.count(outcome.isCancelled ? .cancelled : isDone ? .done : .failed, of: provider)
    }

    /// Logs the prompt, if prompts may be logged.
    func logPrompt(_ body: ByteBuffer, path: String, id: @autoclosure () -> String) {
        observer.logPrompt(String(buffer: body), route: ProxyPolicy.pattern(of: path), id: id(), logger: logger)
    }
}

extension RequestObserver {
    /// What became of a request to a provider besides Ollama.
    enum ProviderOutcome: String { case done, failed, cancelled }

    func count(_ outcome: ProviderOutcome, of provider: String) {
        metrics.providerRequests[provider, outcome.rawValue].add()
    }
}
