import HTTPTypes
package import Logging
package import Telemetry
package import Traffic

/// Records the begin and end of every request, for own and proxied routes.
package struct RequestObserver: Sendable {
    package let metrics: GatewayMetrics
    package let settings: LiveSettings
    /// The log of requests; nil logs none.
    package let log: LogOutput?
    /// The requests that wait for the stored log; nil stores none.
    package let journal: RequestJournal?
    /// Begins and keeps traces; nil while they are off.
    package let tracer: Tracer?
    /// The requests in flight.
    package let live = LiveRequests()
    /// The traffic of the last day.
    package let traffic = TrafficRing()

    package init(
        metrics: GatewayMetrics, settings: LiveSettings, log: LogOutput?, journal: RequestJournal? = nil,
        tracer: Tracer? = nil
    ) {
        self.metrics = metrics
        self.settings = settings
        self.log = log
        self.journal = journal
        self.tracer = tracer
    }

    /// Counts a request that began.
    ///
    /// - Returns: Its number, for ``end(_:live:id:)``.
    package func begin(_ request: some LiveRequest) -> UInt64 {
        metrics.inFlight.add(1)
        return live.begin(request)
    }

    /// Forgets a request that begins anew at a router, as another one.
    package func handOver(live number: UInt64) {
        metrics.inFlight.add(-1)
        live.end(number)
    }

    /// Counts the tokens of an answer that outlives its request, such as that of a chat.
    package func spent(prompt: Int, generated: Int) {
        metrics.promptTokens.add(prompt)
        metrics.generatedTokens.add(generated)
        traffic.spent(prompt: prompt, generated: generated, at: WallClock.milliseconds)
    }

    /// Counts the time to the first token of such an answer.
    package func answered(after time: Duration) {
        metrics.firstToken.record(time)
        traffic.answered(after: time, at: WallClock.milliseconds)
    }

    /// Counts a request that ended, and logs its line.
    ///
    /// - Parameters:
    ///   - number: What ``begin(_:)`` returned.
    ///   - id: Evaluated only when needed.
    package func end(_ outcome: RequestOutcome, live number: UInt64, id: @autoclosure () -> String) {
        metrics.record(outcome)
        let now = WallClock.milliseconds
        traffic.record(outcome, at: now)
        // The pages that show the log would fill it.
        if let journal, !outcome.route.hasPrefix("/api/requests") {
            journal.append(RequestLogEntry(outcome, id: id(), at: now))
        }
        if let tracer, let span = outcome.span { tracer.record(outcome.spans(of: span, id: id())) }
        // Last: a request that is no longer in flight is in the log.
        metrics.inFlight.add(-1)
        live.end(number)
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
