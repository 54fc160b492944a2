import Access
import Inference
import LLM
import Logging
import Search
import Server
import Storage
import Transport

/// The services that features share, created once from the configuration.
struct SharedServices: Sendable {
    let configuration: GatewayConfiguration
    let logger: Logger
    let database: GatewayDatabase
    let pool: EndpointPool
    let shield: LoadShield?
    let upstream: OllamaUpstream
    let admission: Admission
    let embeddingCache: OpenEmbeddingCache
    let lane: EmbeddingLane
    let queries: QueryEmbedder
    let probe: UpstreamProbe
    let keys: KeyRing
    let live: LiveSettings
    let observer: RequestObserver

    /// Opens the database and the caches; nothing listens yet.
    ///
    /// - Throws: ``StorageError``, ``UpstreamError``.
    init(_ configuration: GatewayConfiguration, logger: Logger, log: LogOutput?) throws {
        self.configuration = configuration
        self.logger = logger
        database = try GatewayDatabase(path: configuration.databasePath)
        pool = try EndpointPool(
            configuration.llm.upstreams, options: .init(probesAlways: configuration.llm.shieldsLoads), logger: logger)
        shield = configuration.llm.shieldsLoads ? LoadShield() : nil
        upstream = OllamaUpstream(pool: pool, rules: configuration.llm.modelRules, shield: shield)
        admission = Admission(maxInFlight: configuration.llm.maxInFlight, maxWaiting: configuration.llm.maxWaiting)
        embeddingCache = OpenEmbeddingCache(databasePath: configuration.databasePath, logger: logger)
        lane = EmbeddingLane(upstream: upstream, admission: admission, cache: embeddingCache.cache)
        queries = QueryEmbedder(lane: lane, timeout: configuration.search.queryTimeout)
        probe = UpstreamProbe(upstream: upstream)
        keys = KeyRing(
            token: configuration.server.apiToken, database: database, isLoopback: configuration.server.isLoopback,
            resolve: configuration.llm.modelRules.resolve)
        live = LiveSettings(LiveSettings.Values(configuration))
        observer = RequestObserver(metrics: GatewayMetrics(), settings: live, log: log)
    }

    /// Closes everything that ``init(_:logger:log:)`` opened, and writes pending counts.
    func close() async {
        await pool.shutdown(within: .seconds(1))
        await embeddingCache.close()
        try? await keys.meter.write()
        try? database.close()
    }
}

extension LiveSettings.Values {
    /// Takes the live settings from a configuration.
    init(_ configuration: GatewayConfiguration) {
        self.init(
            generateModel: configuration.llm.generateModel, embedModel: configuration.llm.embedModel,
            logsPrompts: configuration.server.logsPrompts, origins: configuration.server.origins)
    }
}
