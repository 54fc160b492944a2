import HTTPTypes
import Inference
import NIOCore
import NIOHTTPTypes
import Server

/// What a proxied request tells of itself. A value on the request's event loop: noting something costs next to nothing.
struct ProxyTrace {
    var phase = RequestOutcome.Phase.receiving
    var isCancelled = false
    var isBroken = false
    var responseBytes = 0
    private(set) var queued: Duration?
    private var position = 0
    private var sentAt: ContinuousClock.Instant?
    private(set) var firstByteAt: ContinuousClock.Instant?
    /// What only a reader of the bodies can tell; nil as long as nobody reads them.
    var model: String?
    var promptTokens: Int?
    var generatedTokens: Int?
    var load: Duration?

    /// The request goes to the upstream.
    mutating func sent(_ permit: Admission.Permit?) {
        phase = .waiting
        sentAt = .now
        guard let permit else { return }
        queued = permit.waited
        position = permit.position
    }

    /// The upstream's head came; its client is told where the time went.
    mutating func answered(_ fields: inout HTTPFields) {
        let now = ContinuousClock.now
        firstByteAt = now
        phase = .streaming
        var timing = ServerTiming()
        if let queued {
            timing.add("queue", queued)
            fields.setQueue(position: position, waited: queued)
        }
        if let sentAt { timing.add("upstream", now - sentAt) }
        // Beside what the upstream says of itself.
        fields.append(HTTPField(name: .serverTiming, value: timing.text))
    }

    /// A part goes to the client.
    mutating func wrote(_ part: HTTPResponsePart) {
        if case .body(let bytes) = part { responseBytes += bytes.readableBytes }
    }

    /// What became of the request.
    func outcome(_ head: HTTPRequest, kind: ProxyPolicy.Kind, status: Int, startedAt: ContinuousClock.Instant)
        -> RequestOutcome
    {
        let now = ContinuousClock.now
        let path = String(Substring((head.path ?? "/").utf8.prefix { $0 != UInt8(ascii: "?") }))
        var outcome = RequestOutcome(
            route: ProxyPolicy.pattern(of: path), path: path, method: head.method, status: status,
            phase: isCancelled || isBroken || phase != .streaming ? phase : .done)
        outcome.isCancelled = isCancelled
        outcome.isBroken = isBroken
        outcome.isProxied = true
        outcome.isInference = kind == .inference
        outcome.responseBytes = responseBytes
        outcome.total = now - startedAt
        outcome.queued = queued
        if let sentAt, let firstByteAt { outcome.firstByte = firstByteAt - sentAt }
        outcome.streamed = firstByteAt.map { now - $0 }
        outcome.model = model
        outcome.promptTokens = promptTokens
        outcome.generatedTokens = generatedTokens
        outcome.load = load
        return outcome
    }
}
