package import Transport

/// A request to a model's server, as a trace describes it.
package struct OutgoingCall: Sendable, Hashable {
    /// The API that the server speaks: `ollama`, `openai`, `anthropic`.
    package var provider: String
    /// The server.
    package var upstream: UpstreamConfiguration

    package init(provider: String, _ upstream: UpstreamConfiguration) {
        (self.provider, self.upstream) = (provider, upstream)
    }

    /// A call of one of Ollama's servers.
    package static func ollama(_ upstream: UpstreamConfiguration) -> OutgoingCall {
        OutgoingCall(provider: "ollama", upstream)
    }

    /// Records a call in the trace of the current task and returns the headers with which the call belongs to it; nil outside of a
    /// trace.
    @TaskLocal package static var tracing: (@Sendable (OutgoingCall) -> [(name: String, value: String)])?
}

extension UpstreamRequest {
    /// The request with the headers of the current trace, which notes the call.
    ///
    /// - Parameters:
    ///   - call: Evaluated only in a trace.
    ///   - isOwn: Whether the server is one of the user's. Others learn nothing of the trace.
    func traced(as call: @autoclosure () -> OutgoingCall, isOwn: Bool = true) -> UpstreamRequest {
        guard let tracing = OutgoingCall.tracing else { return self }
        let headers = tracing(call())
        guard isOwn, !headers.isEmpty else { return self }
        var request = self
        request.headers += headers
        return request
    }
}
