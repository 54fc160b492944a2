import GatewayAPI
import Synchronization
package import Transport

extension ProviderDialect {
    /// Anthropic's API.
    package static let anthropic = ProviderDialect(
        name: "anthropic", address: "https://api.anthropic.com", routes: ["/v1/messages"],
        headers: [("anthropic-version", "2023-06-01")], requestHeaders: ["anthropic-version", "anthropic-beta"],
        answerHeaders: ["anthropic-ratelimit-"], lacks: [.probabilities, .anyJSON], sees: true,
        keyHeader: { ("x-api-key", $0) },
        chat: { AnthropicChat(client: $0) })
}

/// Chats over `/v1/messages`.
package struct AnthropicChat: ChatProvider {
    private let client: RemoteClient
    private let models = KnownModels()

    /// Models by name; they do not change under one name.
    private final class KnownModels: Sendable {
        static let capacity = 256
        let models = Mutex<[String: AnthropicModel]>([:])
    }

    init(client: RemoteClient) { self.client = client }

    package var name: String { client.configuration.name }
    package var isLocal: Bool { client.configuration.isLocal }

    package func capabilities(of model: String) async throws(UpstreamError) -> ChatCapabilities {
        let found = try await lookUp(model)
        return ChatCapabilities(
            tools: client.configuration.hasTools, thinking: found.canThink,
            contextTokens: found.contextTokens ?? client.configuration.contextTokens,
            isRemote: !client.configuration.keeps(model), cites: found.cites)
    }

    package func models() async throws(UpstreamError) -> [String] {
        try await client.get("/v1/models?limit=1000")["data"]?.elements?.compactMap { $0["id"]?.text } ?? []
    }

    package func chat(
        _ request: ModelChatRequest, for caller: AdmissionCaller,
        _ receive: @Sendable (ChatEvent) async throws -> Void
    ) async throws {
        try client.checkCloud(request.model)
        let stream = AnthropicChatStream(
            provider: name, passages: AnthropicChatBody.passages(of: request).map(\.number),
            streamsCalls: request.streamsCalls)
        try await client.chat(stream, for: caller, receive) {
            () async throws(UpstreamError) in
            // A server without this question answers the request itself with what is wrong.
            let isPlain = request.thinks == nil && request.maxTokens == nil && request.effort == nil
            let model = isPlain ? nil : try? await lookUp(request.model)
            let body = AnthropicChatBody(provider: name, model: model ?? AnthropicModel())
            return .post("/v1/messages", json: body.encode(request))
        }
    }

    private func lookUp(_ model: String) async throws(UpstreamError) -> AnthropicModel {
        if let known = models.models.withLock({ $0[model] }) { return known }
        let found: AnthropicModel
        do throws(UpstreamError) {
            found = AnthropicModel(try await client.get("/v1/models/\(PercentEncoding.encoded(model))"))
        } catch  where error.code == .invalidResponse {
            found = AnthropicModel()
        }
        models.models.withLock { models in
            if models.count >= KnownModels.capacity { models = [:] }
            models[model] = found
        }
        return found
    }
}
