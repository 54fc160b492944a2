package import Access
package import HTTPTypes
package import Telemetry

/// What is known of one request while it is answered, proxied or by a route of the gateway's own.
package struct RequestFacts: Sendable {
    package var phase = RequestOutcome.Phase.receiving
    /// Whether the client left before the end.
    package var isCancelled = false
    /// Whether the upstream failed after the response had begun.
    package var isBroken = false
    /// Whether a model works for the request.
    package var isInference = false
    /// Who asks.
    package var key: String?
    /// The row of the caller's key; nil when there is none.
    package var keyID: Int64?
    /// The position in the queue on arrival, while the request waits for a place; 1 for next.
    package var place: Int?
    /// Looks up the current position while the request waits; nil outside of a queue.
    package var placeNow: (@Sendable () -> Int?)?
    /// The code of the error that the client got.
    package var error: String?
    /// The model that was asked for; nil when the body was not read.
    package var model: String?
    /// Tokens that the model read; nil when nobody counted them.
    package var promptTokens: Int?
    /// Tokens that it wrote.
    package var generatedTokens: Int?
    /// How long the model took to load, when Ollama said so.
    package var load: Duration?
    /// The trace of the request; nil while traces are off.
    package var span: RequestSpan?
    /// Named stages in their order, for `Server-Timing`.
    var stages: [(name: String, duration: Duration)] = []
    private var queued: Duration?
    private var position = 0
    private var expectedWait = Duration.zero
    /// When the request went to the upstream.
    package private(set) var sentAt: ContinuousClock.Instant?
    /// From the place at the upstream to the first byte of its answer.
    package private(set) var firstByte: Duration?
    /// When the upstream began to answer.
    package private(set) var answeredAt: ContinuousClock.Instant?

    package init() {}

    /// Notes the caller.
    package mutating func identify(_ identity: Identity) {
        (key, keyID) = (identity.name, identity.keyID)
        if identity.holder != .unknown { span?.trust() }
    }

    /// Notes that the request goes to the upstream, which takes no place there.
    package mutating func sent() {
        phase = .waiting
        sentAt = .now
    }

    /// Notes that the request goes to the upstream, where it got a place.
    ///
    /// - Parameters:
    ///   - position: 0 when it did not wait, 1 when it was the next on arrival.
    ///   - expected: How long it was expected to wait on arrival.
    package mutating func sent(position: Int, waited: Duration, expected: Duration = .zero) {
        sent()
        expectedWait = expected
        self.position = position
        queued = waited
    }

    /// Notes that the upstream began to answer; the first time counts.
    package mutating func answered() {
        guard let sentAt, answeredAt == nil else { return }
        let now = ContinuousClock.now
        answeredAt = now
        firstByte = now - sentAt
    }

    /// Where the time went up to now: the headers of the queue, and what `Server-Timing` says of the queue, the upstream
    /// and the stages.
    package func describe(in fields: inout HTTPFields) -> ServerTiming {
        var timing = ServerTiming()
        if let queued {
            timing.add("queue", queued)
            fields.setQueue(position: position, waited: queued, expected: expectedWait)
        }
        if let firstByte { timing.add("upstream", firstByte) }
        for stage in stages { timing.add(stage.name, stage.duration) }
        return timing
    }

    /// What became of the request, as far as these facts tell.
    package func outcome(
        route: String, path: String, method: HTTPRequest.Method, status: Int
    ) -> RequestOutcome {
        var outcome = RequestOutcome(route: route, path: path, method: method, status: status, phase: phase)
        outcome.isCancelled = isCancelled
        outcome.isBroken = isBroken
        outcome.isInference = isInference
        outcome.queued = queued
        outcome.firstByte = firstByte
        outcome.model = model
        outcome.promptTokens = promptTokens
        outcome.generatedTokens = generatedTokens
        outcome.load = load
        outcome.key = key
        outcome.keyID = keyID
        outcome.error = error
        if let span, span.isRecorded {
            outcome.span = span
            span.update { $0.stages = stages }
        }
        return outcome
    }
}
