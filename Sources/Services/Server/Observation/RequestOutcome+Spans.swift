package import HTTPTypes
package import Telemetry

extension Tracer {
    /// Begins the span of a request.
    package func begin(_ fields: HTTPFields) -> RequestSpan {
        begin(parents: fields[values: .traceParent], states: fields[values: .traceState])
    }
}

// The names are literals and valid tokens, so unwrapping them cannot fail.
extension HTTPField.Name {
    /// The caller's span, as W3C's Trace Context has it.
    static let traceParent = HTTPField.Name(RequestSpan.parentName)!
    /// What other programs note beside it.
    static let traceState = HTTPField.Name(RequestSpan.stateName)!
}

extension RequestOutcome {
    /// Routes that programs ask again and again. Only a caller's own trace has spans of them.
    private static let polled: Set = ["/health", "/ready", "/readyz", "/api/v1/health", "/metrics"]

    /// Methods with names of their own in traces; all others share one.
    private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]

    /// The spans of a finished request: its own, and the one of the model's call.
    ///
    /// They name models, routes and keys, and hold no text of a request or an answer. A path is named only where it has no
    /// variable parts, since these may be topics or codes.
    func spans(of span: RequestSpan, id: String) -> [TraceSpan] {
        let details = span.end()
        guard span.parent != nil || !Self.polled.contains(route) else { return [] }
        let end = span.nanoseconds(of: span.startedAt + total)
        return [own(span, details, id: id, end: end)] + (call(span, details, end: end).map { [$0] } ?? [])
    }

    private var hasFailed: Bool { !isCancelled && (status >= 500 || isBroken) }

    /// The code of the error; the status where there is none. A client that leaves is no error.
    private var failure: String? {
        guard !isCancelled else { return nil }
        return error ?? (status >= 400 ? String(status) : isBroken ? "upstream_broken" : nil)
    }

    private func own(_ span: RequestSpan, _ details: RequestSpan.Details, id: String, end: UInt64) -> TraceSpan {
        let isKnown = Self.methods.contains(method.rawValue)
        let verb = isKnown ? method.rawValue : "HTTP"
        var own = TraceSpan(
            trace: span.trace, id: span.id, parent: span.parent?.span, isParentRemote: span.parent != nil,
            state: span.state, kind: .server, name: route == "other" ? verb : "\(verb) \(route)",
            start: span.nanoseconds(of: span.startedAt), end: end)
        own.set("http.request.method", isKnown ? method.rawValue : "_OTHER")
        if route != "other" { own.set("http.route", route) }
        if path == route { own.set("url.path", path) }
        own.set("http.response.status_code", status)
        own.set("network.protocol.version", isHTTP2 ? "2" : "1.1")
        own.set("http.request.body.size", requestBytes)
        own.set("http.response.body.size", responseBytes)
        own.set("selene.request_id", id)
        own.set("selene.key", key)
        own.set("selene.queue.wait", queued)
        // A name may come twice, and an attribute must not.
        let stages = Dictionary(details.stages.map { ($0.name, $0.duration) }, uniquingKeysWith: +)
        for (name, duration) in stages.sorted(by: { $0.key < $1.key }) { own.set("selene.stage.\(name)", duration) }
        own.set("selene.cancelled", isCancelled)
        if isCancelled { own.set("selene.phase", phase.rawValue) }
        own.set("error.type", failure)
        own.isFailed = hasFailed
        return own
    }

    /// The span of the model's call; nil when no call went out.
    private func call(_ span: RequestSpan, _ details: RequestSpan.Details, end: UInt64) -> TraceSpan? {
        guard let operation = ModelOperation(route: route), let called = details.called else { return nil }
        let model = model ?? details.model
        var call = TraceSpan(
            trace: span.trace, id: span.callID, parent: span.id, isParentRemote: false, state: span.state,
            kind: .client, name: model.map { "\(operation.name) \($0)" } ?? operation.name,
            start: span.nanoseconds(of: called), end: end)
        call.set("gen_ai.operation.name", operation.name)
        call.set("gen_ai.provider.name", details.server?.provider)
        call.set("gen_ai.request.model", model)
        call.set("gen_ai.usage.input_tokens", promptTokens)
        call.set("gen_ai.usage.output_tokens", generatedTokens)
        call.set("gen_ai.response.time_to_first_chunk", firstByte)
        call.set("selene.model.load", load)
        call.set("server.address", details.server?.host)
        call.set("server.port", details.server?.port)
        call.set("selene.upstream", upstream)
        call.set("selene.cancelled", isCancelled)
        call.set("error.type", failure)
        call.isFailed = hasFailed || (status >= 400 && !isCancelled)
        return call
    }
}
