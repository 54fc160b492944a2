import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import ServiceLifecycle
public import Storage
public import Upstream

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A gateway, wired: the only place where the modules meet.
public struct GatewayApplication: Service {
    /// What it was made from.
    public let configuration: GatewayConfiguration
    /// The notes.
    public let database: GatewayDatabase
    /// Ollama.
    public let upstream: OllamaUpstream
    /// Retrieval over the notes, for callers in this process.
    public let retrieval: RetrievalService

    let pool: EndpointPool
    private let shield: LoadShield?
    let admission: Admission
    private let embeddingCache: OpenEmbeddingCache
    private let lane: EmbeddingLane
    private let backfill: GatewayBackfill
    private let jobs: JobRunner
    private let foreignTables: ForeignTableWatch
    let keys: KeyRing
    let logger: Logger
    let log: LogOutput?
    let live: LiveSettings
    let tls: TLSIdentity?
    private let observer: RequestObserver
    private let limits: ConnectionLimits
    private let bodies: BodyLimits
    /// The connections of clients.
    var connections: OpenConnections { limits.open }
    private let statistics: GatewayStatistics
    let registry = MetricsRegistry()
    private(set) var reloader: ConfigurationReloader?
    private let onListening: @Sendable (Int) async -> Void

    /// Opens the database and wires the gateway; nothing listens yet.
    ///
    /// - Parameters:
    ///   - configuration: Checked settings.
    ///   - logger: For everything that the gateway logs.
    ///   - log: Where that goes, so that its level follows the configuration and requests get their lines; nil logs no
    ///     requests.
    ///   - onListening: Called once with the port.
    ///   - reload: Reads the configuration again; nil when it cannot change.
    /// - Throws: ``StorageError``, ``UpstreamError``, ``ConfigurationError`` for a certificate that cannot be used.
    public init(
        configuration: GatewayConfiguration, logger: Logger, log: LogOutput? = nil,
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in },
        reload: (@Sendable () throws -> GatewayConfiguration)? = nil
    ) throws {
        self.configuration = configuration
        self.logger = logger
        self.onListening = onListening
        database = try GatewayDatabase(path: configuration.databasePath)
        pool = try EndpointPool(
            configuration.upstreams, options: .init(probesAlways: configuration.shieldsLoads), logger: logger)
        shield = configuration.shieldsLoads ? LoadShield() : nil
        upstream = OllamaUpstream(pool: pool, rules: configuration.modelRules, shield: shield)
        admission = Admission(maxInFlight: configuration.maxInFlight, maxWaiting: configuration.maxWaiting)
        embeddingCache = OpenEmbeddingCache(databasePath: configuration.databasePath, logger: logger)
        lane = EmbeddingLane(upstream: upstream, admission: admission, cache: embeddingCache.cache)
        backfill = GatewayBackfill(
            configuration: configuration, database: database, upstream: upstream, admission: admission,
            cache: embeddingCache.cache, logger: logger)
        keys = KeyRing(
            token: configuration.apiToken, database: database, isLoopback: configuration.isLoopback,
            rules: configuration.modelRules)
        retrieval = RetrievalService(
            database: database,
            embedder: QueryEmbedder(upstream: upstream, lane: lane, timeout: configuration.queryTimeout),
            indexFolder: configuration.indexFolder, defaultFusion: configuration.fusion, logger: logger)
        jobs = JobRunner(
            database: database,
            work: JobWork.all(backfill: backfill, retrieval: retrieval, database: database, keys: keys), logger: logger)
        foreignTables = ForeignTableWatch(database: database, logger: logger)
        self.log = log
        live = LiveSettings(configuration)
        tls = try configuration.tls.map { try TLSIdentity($0) }
        observer = RequestObserver(metrics: GatewayMetrics(), settings: live, log: log)
        limits = ConnectionLimits(configuration, metrics: observer.metrics, admission: admission, logger: logger)
        bodies = BodyLimits(configuration)
        statistics = GatewayStatistics(
            metrics: observer.metrics, admission: admission, lane: lane, pool: pool,
            probe: UpstreamProbe(upstream: upstream), retrieval: retrieval, database: database, keys: keys,
            connections: limits.open, bodies: bodies, droppedLogLines: { log?.droppedLines ?? 0 })
        statistics.register(in: registry)
        registry.add { [foreignTables] text in foreignTables.write(to: &text) }
        if let reload {
            let database = database
            reloader = ConfigurationReloader(
                current: configuration, load: reload, parts: reloadables,
                check: { try await CredentialCheck(database).check($1, after: $0, listeningAs: configuration) },
                metrics: observer.metrics, logger: logger)
        }
    }

    /// Refuses to listen beyond this machine as long as anybody could come in, or guess the token.
    ///
    /// - Throws: ``ConfigurationError``.
    public func checkExposure() async throws { try await CredentialCheck(database).check(configuration) }

    /// Serves until graceful shutdown: then takes no more connections, lets open requests end, closes the upstream and
    /// the database.
    public func run() async throws {
        try await checkExposure()
        let counting = Task { [keys, logger] in await keys.meter.keepWritten(logger: logger) }
        defer { counting.cancel() }
        let probing = Task { [pool] in await pool.run() }
        defer { probing.cancel() }
        let server = Application(
            responder: responder(),
            server: server(),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: "selene"),
            onServerRunning: { [onListening, logger] channel in
                try? await channel.pipeline.addHandler(AcceptErrorHandler(logger: logger), position: .first).get()
                await onListening(channel.localAddress?.port ?? 0)
            },
            logger: logger)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                group.addTask { [retrieval] in try await retrieval.run() }
                group.addTask { [backfill] in try await backfill.run() }
                group.addTask { [jobs] in try await jobs.run() }
                group.addTask { [foreignTables] in await cancelWhenGracefulShutdown { await foreignTables.run() } }
                if let reloader { group.addTask { await reloader.watch() } }
                // The first failure ends both; `waitForAll` would wait for the other one for ever.
                while try await group.next() != nil {}
            }
        } catch let error as IOError {
            await close()
            if error.errnoCode == EADDRNOTAVAIL { throw AddressNotAvailable(host: configuration.host) }
            throw ConfigurationError(
                message: "cannot listen on \(configuration.host):\(configuration.port): "
                    + (error.errnoCode == EADDRINUSE ? "the address is in use already" : "\(error)"))
        } catch {
            await close()
            throw error
        }
        await close()
    }

    /// Ends what ``init(configuration:logger:onListening:)`` began; ``run()`` does so itself.
    public func close() async {
        await pool.shutdown(within: .seconds(1))
        await embeddingCache.close()
        try? await keys.meter.write()
        try? database.close()
    }

    /// HTTP/1.1 with the proxy for Ollama's own routes in front of the router.
    private func server() -> HTTPServerBuilder {
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                SecurityHeadersHandler(), ClientDepartureHandler(), MalformedRequestHandler(), HeadResponseHandler(),
            ],
            idleTimeout: TimeAmount(configuration.clientIdleTimeout),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
        let proxy = Proxy(
            pool: pool, rules: configuration.modelRules, shield: shield, admission: admission,
            authentication: AuthenticationMiddleware(keys: keys, connections: limits.open), bodies: bodies,
            observer: observer, logger: logger)
        return HTTPServerBuilder { [limits, tls] responder in
            ProxyChannel(
                base: HTTP1Channel(responder: responder, configuration: channel), proxy: proxy, limits: limits, tls: tls
            )
        }
    }

    private func notesAPI(_ retrieve: RetrieveRoute) -> NotesAPI {
        let memories = MemoryRetrieval(
            database: database, lane: lane, model: configuration.embedModel, timeout: configuration.queryTimeout,
            scans: keys.scans)
        let export = configuration.exportFolder.map {
            NoteExport(database: database, folder: $0, scans: keys.scans)
        }
        return NotesAPI(
            database: database, retrieval: retrieval, retrieve: retrieve, memories: memories, export: export,
            bodyLimit: configuration.maxBodyBytes)
    }

    private func responder() -> RouterResponder<GatewayRequestContext> { router().buildResponder() }

    /// Every route of the gateway's own.
    func router() -> GatewayRouter {
        let router = GatewayRouter(observer: observer, admission: admission, keys: keys, bodies: bodies)
        let health = HealthRoutes(upstream: upstream)
        router.add(.get, "/health", .open, health.health)
        router.add(.get, "/openapi.yaml", .open, OpenAPIRoute().handle)
        router.requireKeys(keys, limits.open)
        let limit = configuration.maxBodyBytes
        let generate = GenerateRoute(
            upstream: upstream, admission: admission, observer: observer, bodyLimit: limit)
        let embed = EmbedRoute(lane: lane, observer: observer, bodyLimit: limit)
        let retrieve = RetrieveRoute(service: retrieval, metrics: observer.metrics, bodyLimit: limit)
        let operations = OperationsRoutes(statistics: statistics, registry: registry)
        router.add(.get, "/metrics", .requireScope(.admin), operations.metrics)
        router.add(.get, "/api/admin/stats", .requireScope(.admin), operations.stats)
        router.add(.get, "/api/llm/health", .requireScope(.llm), health.llmHealth)
        router.add(.post, "/api/llm/generate", .requireScope(.llm, spendsTokens: true), generate.handle)
        router.add(.post, "/api/llm/embed", .requireScope(.llm, spendsTokens: true), embed.handle)
        router.add(.get, "/api/notes/:id/related", .requireScope(.notesRead), RelatedRoute(service: retrieval).handle)
        router.add(.post, "/api/notes/retrieve", .requireScope(.notesRead), retrieve.handle)
        notesAPI(retrieve).add(to: router)
        JobRoutes(runner: jobs, switchShare: configuration.switchShare, bodyLimit: limit).add(to: router)
        return router
    }
}
