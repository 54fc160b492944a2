import FakeProviders
import Logging
import Testing

@testable import Inference
@testable import Transport

/// A dialect says all in which an API differs.
@Suite struct ProviderDialects {
    /// An API with headers of its own, and without vectors, speech and scores.
    private static let third = ProviderDialect(
        name: "third", address: "https://api.third.example/v3", routes: ["/v3/chat"], prefix: "/v3",
        headers: [("third-version", "7")], keyHeader: { ("third-key", $0) }, chat: { OpenAIChat(client: $0) })

    @Test func `a new dialect's headers go with chats, and what it lacks is refused by name`() async throws {
        var options = FakeProvider.Options()
        options.key = nil
        try await FakeProvider.withServer(options) { fake in
            let configuration = ProviderConfiguration(
                name: "mine", dialect: Self.third,
                upstream: UpstreamConfiguration(baseURL: fake.baseURL + "/v1", peer: "provider \"mine\""),
                key: .value("secret"))
            let provider = try RemoteProvider(configuration, logger: Logger(label: "test"))
            let answer = await ChatRecording(
                ModelChatRequest(model: "small", turns: [.user("Hello")]), to: provider.chat)
            #expect(answer.error == nil && answer.end == ChatEnd(.stop))
            let sent = try #require(fake.lastRequest)
            #expect(sent.headers["third-key"] == "secret" && sent.headers["third-version"] == "7")
            #expect(sent.headers["authorization"] == nil && sent.headers["anthropic-version"] == nil)
            #expect(provider.speech == nil && provider.rerank == nil)
            let upstream = OllamaUpstream(
                transport: try UpstreamTransport(
                    configuration: UpstreamConfiguration(baseURL: fake.baseURL, peer: "Ollama")))
            let models = EmbeddingModels(upstream: upstream, admission: provider.admission, providers: [provider])
            let error = await #expect(throws: UpstreamError.self) { try await models.digest(of: "mine/small") }
            #expect(error?.status == 400 && error?.message == "provider \"mine\" has no embedding models")
        }
    }

    @Test func `a client's own headers take precedence in forwarded requests`() {
        let configuration = ProviderConfiguration(
            name: "mine", dialect: Self.third, upstream: UpstreamConfiguration(baseURL: "http://h", peer: "mine"),
            key: .value("secret"))
        #expect(configuration.headers().map(\.name) == ["third-version", "third-key"])
        #expect(configuration.headers { $0 == "third-version" }.map(\.name) == ["third-key"])
        #expect(Self.third.path(of: "/v3/chat?a=b") == "/chat?a=b" && Self.third.path(of: "/v30/x") == "/v30/x")
        #expect(ProviderDialect.anthropic.path(of: "/v1/messages") == "/v1/messages")
    }

    @Test func `each dialect has a name of its own, and an address that needs no setting`() {
        #expect(Set(ProviderDialect.all.map(\.name)).count == ProviderDialect.all.count)
        #expect(ProviderDialect.all.allSatisfy { $0.address.hasPrefix("https://") && !$0.routes.isEmpty })
    }
}
