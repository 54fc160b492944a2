import HTTPTypes
package import Logging

/// Records the begin and end of every request, for own and proxied routes.
package struct RequestObserver: Sendable {
    package let metrics: GatewayMetrics
    package let settings: LiveSettings
    /// The log of requests; nil logs none.
    package let log: LogOutput?

    package init(metrics: GatewayMetrics, settings: LiveSettings, log: LogOutput?) {
        self.metrics = metrics
        self.settings = settings
        self.log = log
    }

    /// Counts a request that began.
    package func begin() { metrics.inFlight.add(1) }

    /// Counts a request that ended, and logs its line.
    ///
    /// - Parameter id: Evaluated only when needed.
    package func end(_ outcome: RequestOutcome, id: @autoclosure () -> String) {
        metrics.inFlight.add(-1)
        metrics.record(outcome)
        guard let log, log.level <= .info else { return }
        log.append(RequestLine(outcome: outcome, id: id(), format: log.format))
    }

    /// Logs a prompt if `SELENE_LOG_PROMPTS` is on, at most ``promptLimit`` bytes.
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

    /// The largest part of a prompt in the log, in bytes.
    static let promptLimit = 8 << 10
}
