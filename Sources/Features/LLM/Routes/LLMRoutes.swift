import Access
import GatewayAPI
import HTTPTypes
package import Inference
package import Server

/// The gateway's own routes for models: generate, embed and health.
package struct LLMRoutes: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    private let health: HealthRoutes
    private let ready: ReadyRoute
    private let generate: GenerateRoute
    private let embed: EmbedRoute
    private let transcribe: TranscribeRoute
    private let rerank: RerankRoute
    private let count: CountTokensRoute
    private let translation: TranslationRoutes

    package init(
        upstream: OllamaUpstream, admission: Admission, lane: EmbeddingLane, models: EmbeddingModels,
        observer: RequestObserver, providers: [RemoteProvider] = [], rules: ModelRules = .none,
        transcribeModel: String? = nil,
        rerankModel: String? = nil, bodyLimit: Int, version: String,
        live: LiveSettings, readiness: [(name: String, reason: @Sendable () async -> String?)] = []
    ) {
        let reached = UpstreamReadiness(UpstreamProbe(upstream: upstream)) {
            [live.current.generateModel, live.current.embedModel].contains { model in
                !providers.contains { $0.configuration.name == RemoteProvider.split(model)?.provider }
            }
        }
        ready = ReadyRoute(readiness.map(ReadinessCheck.init) + [ReadinessCheck("upstream") { await reached.reason() }])
        health = HealthRoutes(upstream: upstream, version: version)
        generate = GenerateRoute(
            upstream: upstream, admission: admission, observer: observer, providers: providers, bodyLimit: bodyLimit)
        embed = EmbedRoute(lane: lane, observer: observer, bodyLimit: bodyLimit)
        transcribe = TranscribeRoute(
            transcriber: transcribeModel.map {
                Transcriber(model: $0, providers: providers, upstream: upstream, admission: admission)
            })
        rerank = RerankRoute(
            rerankers: ClientRerankers(models), usualModel: rerankModel, observer: observer, bodyLimit: bodyLimit)
        count = CountTokensRoute(bodyLimit: bodyLimit)
        translation = TranslationRoutes(
            ollama: OllamaChat(upstream: upstream, admission: admission), admission, providers: providers, rules: rules,
            observer: observer)
    }

    /// The largest body that is forwarded, in bytes.
    package static var maxProxiedBody: Int { ProxyPolicy.inferenceBodyLimit }

    /// The route patterns under which proxied requests are counted.
    package static var proxiedPatterns: [String] { ProxyPolicy.patterns }

    /// Adds the routes of requests that the proxy hands over to be translated.
    package func addTranslations(to router: GatewayRouter) { translation.add(to: router) }

    /// Adds the routes that need no key.
    package func addOpen(to router: GatewayRouter) {
        router.add(.get, "/health", .open, health.health)
        for path in ["/ready", "/readyz"] { router.add(.get, path, .open, ready.handle) }
    }

    /// Adds the other routes. Call it after the authentication middleware is added.
    package func add(to router: GatewayRouter) {
        router.add(.get, "/api/llm/health", .requireScope(.llm), health.llmHealth)
        router.add(.post, "/api/llm/generate", .requireScope(.llm, spendsTokens: true), generate.handle)
        router.add(.post, "/api/llm/embed", .requireScope(.llm, spendsTokens: true), embed.handle)
        router.add(.get, "/api/llm/transcribe", .requireScope(.llm), transcribe.status)
        router.add(.post, "/api/llm/transcribe", .requireScope(.llm, spendsTokens: true), transcribe.handle)
        for path in ["/v1/rerank", "/api/rerank"] {
            router.add(.post, path, .requireScope(.llm, spendsTokens: true), rerank.handle)
        }
        router.add(.post, "/v1/messages/count_tokens", .requireScope(.llm), count.handle)
    }
}
