import GatewayAPI
import NIOCore
package import Transport

/// Chats with Ollama's models over its own API.
///
/// Requests wait for a place in the shared admission, and follow the model rules, the load shield and the endpoints of
/// the upstream.
package struct OllamaChat: ChatProvider {
    package let name: String
    private let upstream: OllamaUpstream
    private let admission: Admission
    private let cache = CapabilityCache()

    /// Whether Ollama runs on machines of the user. Its cloud models are not local even then; see
    /// ``ChatCapabilities/isRemote``.
    package var isLocal: Bool { upstream.isHere }

    package var prefill: PromptPrefill? { isLocal ? PromptPrefill(upstream: upstream, admission: admission) : nil }

    package init(name: String = "ollama", upstream: OllamaUpstream, admission: Admission) {
        self.name = name
        self.upstream = upstream
        self.admission = admission
    }

    package func capabilities(of model: String) async throws(UpstreamError) -> ChatCapabilities {
        if let known = cache.capabilities(of: model) { return known }
        var capabilities = try Self.capabilities(in: try await upstream.show(model))
        if !capabilities.isRemote { capabilities.isRemote = try await !upstream.runsHere(model, isDescribed: true) }
        cache.keep(capabilities, of: model)
        return capabilities
    }

    package func models() async throws(UpstreamError) -> [String] { try await upstream.models().map(\.name) }

    package func chat(
        _ request: ModelChatRequest, for caller: AdmissionCaller,
        _ receive: @Sendable (ChatEvent) async throws -> Void
    ) async throws {
        let body = OllamaChatBody.encode(request)
        let permit = try await admission.acquire(caller.wanting(request.model, size: body.readableBytes)) {
            try await receive(.waiting(place: $0))
        }
        defer { permit.release() }
        try await receive(.sent)
        let response = try await upstream.chat(body: body)
        try await response.deliver(OllamaChatStream(), receive)
        permit.release()
        await response.body.drain()
    }

    /// Reads the answer to `/api/show`.
    private static func capabilities(in show: ByteBuffer) throws(UpstreamError) -> ChatCapabilities {
        guard let value = (try? JSONDocument(parsing: Array(show.readableBytesView)))?.value, value.isObject else {
            throw UpstreamError(.invalidResponse, "Ollama's answer to /api/show is not the expected JSON")
        }
        let listed = Set((value["capabilities"]?.elements ?? []).compactMap(\.text))
        let family = value["model_info"]?["general.architecture"]?.text ?? ""
        return ChatCapabilities(
            tools: listed.contains("tools"), thinking: listed.contains("thinking"),
            contextTokens: value["model_info"]?["\(family).context_length"]?.count,
            isRemote: ModelPlace.isElsewhere(value))
    }
}
