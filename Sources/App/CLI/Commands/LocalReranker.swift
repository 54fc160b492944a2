import Gateway
import Inference
import LLM
import Logging
import Search
import Server
import Transport

/// The reranker of the settings as a command uses it, without a server and without a database.
enum LocalReranker {
    /// Opens the servers with models, runs the body, and closes their connections.
    ///
    /// - Parameter body: Gets nil when no reranker is set.
    /// - Throws: ``UpstreamError`` for an address that cannot be used, and what the body throws.
    static func run<Value: Sendable>(
        _ configuration: GatewayConfiguration, _ body: (Reranker?) async throws -> Value
    ) async throws -> Value {
        let (llm, logger) = (configuration.llm, CommandContext.logger(.critical))
        let pool = try EndpointPool(llm.upstreams, options: .init(probesAlways: false), logger: logger)
        let cloud = CloudSwitch(isOn: llm.allowsCloud)
        let providers = try RemoteProvider.all(llm.providers, cloud: cloud, logger: logger)
        let models = EmbeddingModels(
            upstream: OllamaUpstream(pool: pool, rules: llm.modelRules, shield: nil, cloud: cloud),
            admission: Admission(maxInFlight: llm.maxInFlight, maxWaiting: llm.maxWaiting), providers: providers)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(configuration.search.reranker(models)))
        } catch {
            result = .failure(error)
        }
        await pool.shutdown(within: .zero)
        for provider in providers { await provider.pool.shutdown(within: .zero) }
        return try result.get()
    }
}
