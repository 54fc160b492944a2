import Gateway
import Inference
import LLM
import Search
import Server
import Storage

/// Search as a command uses it: the database, the way to Ollama and the vectors' cache, without a server.
enum LocalSearch {
    /// Opens Search, runs the body, and closes everything.
    ///
    /// - Throws: ``StorageError``, ``UpstreamError`` for an address of Ollama that cannot be used, and what the body
    ///   throws; `CancellationError` after an interrupt.
    static func run<Value: Sendable>(
        _ configuration: GatewayConfiguration, _ body: @escaping @Sendable (RetrievalService) async throws -> Value
    ) async throws -> Value {
        let logger = Workbench.logger(configuration.server.logLevel)
        let database = try GatewayDatabase(path: configuration.databasePath)
        let pool: EndpointPool
        do {
            pool = try EndpointPool(configuration.llm.upstreams, logger: logger)
        } catch {
            try? database.close()
            throw error
        }
        let cache = OpenEmbeddingCache(databasePath: configuration.databasePath, logger: logger)
        let lane = EmbeddingLane(
            upstream: OllamaUpstream(
                pool: pool, rules: configuration.llm.modelRules,
                shield: configuration.llm.shieldsLoads ? LoadShield() : nil),
            admission: Admission(maxInFlight: configuration.llm.maxInFlight, maxWaiting: configuration.llm.maxWaiting),
            cache: cache.cache)
        let service = RetrievalService(
            database: database, embedder: QueryEmbedder(lane: lane, timeout: configuration.search.queryTimeout),
            indexFolder: configuration.search.indexFolder, defaultFusion: configuration.search.fusion, logger: logger)
        let result: Result<Value, any Error>
        do {
            result = .success(try await Interrupt.cancellable { try await body(service) })
        } catch {
            result = .failure(error)
        }
        await pool.shutdown(within: .milliseconds(200))
        await cache.close()
        try? database.close()
        return try result.get()
    }
}
