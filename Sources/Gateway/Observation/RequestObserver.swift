import HTTPTypes
import Logging

/// Where every request reports when it begins and when it ends, be it answered by a route or passed on.
struct RequestObserver: Sendable {
    let metrics: GatewayMetrics
    let settings: LiveSettings

    /// A request began.
    func begin() { metrics.inFlight.add(1) }

    /// A request ended: it is counted, and gets its line in the log.
    ///
    /// - Parameter id: Made only when it is needed.
    func end(_ outcome: RequestOutcome, id: @autoclosure () -> String?, logger: Logger) {
        metrics.inFlight.add(-1)
        metrics.record(outcome)
        guard logger.logLevel <= .info else { return }
        logger.info("request", metadata: Self.metadata(outcome, id: id()))
    }

    /// What the log says of a request.
    static func metadata(_ outcome: RequestOutcome, id: String?) -> Logger.Metadata {
        var milliseconds = ""
        ServerTiming.appendMilliseconds(outcome.total, to: &milliseconds)
        var metadata: Logger.Metadata = [
            "method": "\(outcome.method)", "path": "\(outcome.path)", "route": "\(outcome.route)",
            "status": .stringConvertible(outcome.status),
            "ms": .stringConvertible(LogNumber(description: milliseconds)),
            "bytes": .stringConvertible(outcome.responseBytes),
        ]
        if let id { metadata["request_id"] = .string(id) }
        if let key = outcome.key { metadata["key"] = .string(key) }
        if let upstream = outcome.upstream { metadata["upstream"] = .string(upstream) }
        if let model = outcome.model { metadata["model"] = .string(model) }
        // A request that came to its end needs no phase.
        if outcome.phase != .done { metadata["phase"] = .string(outcome.phase.rawValue) }
        if outcome.isCancelled { metadata["cancelled"] = .stringConvertible(true) }
        if outcome.isBroken { metadata["broken"] = .stringConvertible(true) }
        if let queued = outcome.queued, queued > .milliseconds(1) {
            var waited = ""
            ServerTiming.appendMilliseconds(queued, to: &waited)
            metadata["queue_ms"] = .stringConvertible(LogNumber(description: waited))
        }
        if let tokens = outcome.generatedTokens { metadata["tokens"] = .stringConvertible(tokens) }
        return metadata
    }

    /// Writes what a client asked a model, if `SELENE_LOG_PROMPTS` wants it: at most ``promptLimit`` bytes.
    func logPrompt(
        _ body: @autoclosure () -> String, route: String, id: @autoclosure () -> String? = nil, logger: Logger
    ) {
        guard settings.current.logsPrompts else { return }
        let text = body()
        let isCut = text.utf8.count > Self.promptLimit
        var metadata: Logger.Metadata = [
            "route": .string(route),
            "body": .string(isCut ? String(decoding: text.utf8.prefix(Self.promptLimit), as: UTF8.self) : text),
            "cut": .stringConvertible(isCut),
        ]
        if let id = id() { metadata["request_id"] = .string(id) }
        logger.info("prompt", metadata: metadata)
    }

    /// Bytes of a prompt in the log at most.
    static let promptLimit = 8 << 10
}
