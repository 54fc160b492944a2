import GatewayAPI
package import Transport

extension ProviderDialect {
    /// An OpenAI-compatible API: OpenAI, vLLM, LM Studio, llama.cpp, OpenRouter and others.
    package static let openAI = ProviderDialect(
        name: "openai", address: "https://api.openai.com/v1",
        routes: ["/v1/chat/completions", "/v1/embeddings", "/v1/audio/speech"],
        prefix: "/v1", requestHeaders: ["openai-beta"], answerHeaders: ["openai-processing-ms", "openai-version"],
        keyHeader: { ("Authorization", "Bearer \($0)") }, chat: { OpenAIChat(client: $0) },
        embed: OpenAIEmbeddings.embed,
        transcription: { .transcription($0, model: $1, path: "/audio/transcriptions") },
        rerank: { $0.request(below: $1, model: $2, query: $3, texts: $4) })
}

/// Chats over `/chat/completions`.
package struct OpenAIChat: ChatProvider {
    let client: RemoteClient

    init(client: RemoteClient) { self.client = client }

    package var name: String { client.configuration.name }
    package var isLocal: Bool { client.configuration.isLocal }

    /// Returns what the settings say, since the API has no such question.
    package func capabilities(of model: String) async throws(UpstreamError) -> ChatCapabilities {
        let configuration = client.configuration
        return ChatCapabilities(
            tools: configuration.hasTools, thinking: configuration.canThink,
            contextTokens: configuration.contextTokens, isRemote: !configuration.keeps(model))
    }

    package func models() async throws(UpstreamError) -> [String] {
        try await client.get("/models")["data"]?.elements?.compactMap { $0["id"]?.text } ?? []
    }

    package func chat(
        _ request: ModelChatRequest, for caller: AdmissionCaller,
        _ receive: @Sendable (ChatEvent) async throws -> Void
    ) async throws {
        try client.checkCloud(request.model)
        let body = OpenAIChatBody(client.configuration).encode(request)
        let stream = OpenAIChatStream(provider: name, streamsCalls: request.streamsCalls)
        try await client.chat(stream, for: caller, receive) { () throws(UpstreamError) in
            .post("/chat/completions", json: body)
        }
    }
}
