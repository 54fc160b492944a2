import HTTPTypes
package import Logging

/// Where every request reports when it begins and when it ends, be it answered by a route or passed on.
package struct RequestObserver: Sendable {
    package let metrics: GatewayMetrics
    package let settings: LiveSettings
    /// Where requests get their lines; nil logs none.
    package let log: LogOutput?

    package init(metrics: GatewayMetrics, settings: LiveSettings, log: LogOutput?) {
        self.metrics = metrics
        self.settings = settings
        self.log = log
    }

    /// A request began.
    package func begin() { metrics.inFlight.add(1) }

    /// A request ended: it is counted, and gets its line in the log.
    ///
    /// - Parameter id: Made only when it is needed.
    package func end(_ outcome: RequestOutcome, id: @autoclosure () -> String) {
        metrics.inFlight.add(-1)
        metrics.record(outcome)
        guard let log, log.level <= .info else { return }
        log.append(RequestLine(outcome: outcome, id: id(), format: log.format))
    }

    /// Writes what a client asked a model, if `SELENE_LOG_PROMPTS` wants it: at most ``promptLimit`` bytes.
    package func logPrompt(
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
