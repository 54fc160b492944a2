import ChatRoom
package import Access
import Audit
import AuditRoom
import Backfill
import BookRoom
package import Books
import Chat
import Console
package import Find
import GoalRoom
package import GoalTracking
import Inference
import JobRoom
import KeyRoom
import LLM
package import Logging
package import PostgresStorage
package import Search
import Server
import Telemetry
package import Storage
import Tools
import Traffic
import Transport

/// Retrieval and the services it needs: the database, the models and the cache of vectors. Servers and commands use it.
package struct SearchServices: Sendable {
    package let database: GatewayDatabase
    package let postgres: PostgresStore?
    /// Where everything is kept: the server that gateways share, else the file.
    package let store: any GatewayStore
    /// The search of the notes.
    package let retrieval: RetrievalService
    package let goals: GoalService
    let pool: EndpointPool
    let providers: [RemoteProvider]
    let models: EmbeddingModels
    let shield: LoadShield?
    let upstream: OllamaUpstream
    /// Whether models of Ollama's cloud may be used.
    let cloud: CloudSwitch
    let admission: Admission
    let embeddingCache: OpenEmbeddingCache
    let lane: EmbeddingLane
    let chat: ChatProviders
    let queries: QueryEmbedder
    let backfill: GatewayBackfill
    private let logger: Logger

    /// Opens the database and the caches.
    ///
    /// - Throws: ``StorageError``, ``UpstreamError`` for an unusable address, ``ScheduleError`` for an unknown zone.
    package init(_ configuration: GatewayConfiguration, logger: Logger) throws {
        self.logger = logger
        let (llm, search) = (configuration.llm, configuration.search)
        pool = try EndpointPool(llm.upstreams, options: .init(probesAlways: llm.shieldsLoads), logger: logger)
        database = try GatewayDatabase(path: configuration.databasePath)
        postgres = search.postgresStore(logger)
        store = postgres ?? database
        cloud = CloudSwitch(isOn: llm.allowsCloud)
        providers = try RemoteProvider.all(llm.providers, cloud: cloud, logger: logger)
        shield = llm.shieldsLoads ? LoadShield() : nil
        upstream = OllamaUpstream(pool: pool, rules: llm.modelRules, shield: shield, cloud: cloud)
        admission = Admission(maxInFlight: llm.maxInFlight, maxWaiting: llm.maxWaiting)
        embeddingCache = OpenEmbeddingCache(databasePath: configuration.databasePath, logger: logger)
        models = EmbeddingModels(upstream: upstream, admission: admission, providers: providers)
        lane = EmbeddingLane(models: models, admission: admission, cache: embeddingCache.cache)
        queries = QueryEmbedder(lane: lane, timeout: search.queryTimeout)
        chat = ChatProviders(upstream, admission, others: providers)
        goals = try GoalService(
            goals: { [database, postgres] rule in
                postgres.map { GoalRoom($0, rule: rule) } ?? database.goals(rule: rule)
            }, notes: store.notes, zone: configuration.goals.zone, dayStart: configuration.goals.dayStart,
            confirmsAtOnce: configuration.goals.confirmsAtOnce,
            model: UtteranceModel(configuration.goals.model, providers: chat))
        retrieval = RetrievalService(
            database: database, embedder: queries, indexFolder: search.indexFolder, defaultFusion: search.fusion,
            questions: QuestionReader(rule: goals.rule, firstWeekday: search.weekStart.weekday),
            rerank: RerankStage(search, models, isPrivate: configuration.chat.privacy.covers), postgres: postgres,
            isSearchedByServer: search.isSearchedByServer, logger: logger)
        backfill = GatewayBackfill(
            followsNotes: configuration.backfill.followsNotes, embedModel: llm.embedModel,
            switchShare: configuration.backfill.switchShare, database: postgres ?? database, models: models,
            isPrivate: configuration.chat.privacy.covers, cache: embeddingCache.cache, logger: logger)
    }

    /// Creates the library of books.
    package func library(_ configuration: GatewayConfiguration) -> BookLibrary {
        BookLibrary(
            store: store, left: postgres == nil ? nil : database.books, settings: configuration.books, lane: lane,
            queries: queries, rerank: retrieval.search.rerank, space: backfill.space, activeSpace: backfill.activeSpace,
            isLocal: models.isLocal, logger: logger)
    }

    /// Creates the search over all kinds; a server gives what it has already.
    package func find(
        _ configuration: GatewayConfiguration, _ library: BookLibrary, _ memories: MemoryRetrieval? = nil,
        scans: KeyConcurrencyLimiter = KeyConcurrencyLimiter(.scans),
        times: (meaning: Duration, words: Duration) = (FindService.meaningTime, FindService.wordsTime)
    ) -> FindService {
        let found =
            memories
            ?? MemoryRetrieval(
                store.memories, embedder: queries, model: configuration.llm.embedModel, scans: scans)
        return FindService(
            [
                NotesFinder(search: retrieval.search), LibraryFinder(library), ChatsFinder(store: store),
                MemoriesFinder(retrieval: found, store: store.memories), ThreadsFinder(store: store),
                GoalsFinder(goals),
            ], scans: scans, rule: goals.rule, firstWeekday: configuration.search.weekStart.weekday,
            now: QuestionReader.clock, times: times, reason: Feature.reason)
    }

    /// Ends open transfers after a time, writes pending vectors and closes the files.
    package func close(within time: Duration) async {
        await pool.shutdown(within: time)
        for provider in providers { await provider.pool.shutdown(within: .zero) }
        await embeddingCache.close()
        postgres?.close()
        try? database.close()
    }
}

/// The services that features share, created once from the configuration.
struct SharedServices: Sendable {
    let configuration: GatewayConfiguration
    let logger: Logger
    let search: SearchServices
    let probe: UpstreamProbe
    let keys: KeyRing
    let cookie: SessionCookie
    let live: LiveSettings
    let observer: RequestObserver
    let console: ConsoleAPI
    let audit: AuditTrail
    let memories: MemoryRetrieval
    /// Sends traces; nil without a collector.
    let exporter: SpanExporter?

    /// The search for memories with an embedding model of the user's machines; nil for another one.
    var localMemories: MemoryRetrieval? {
        search.models.isSurelyRemote(configuration.llm.embedModel) ? nil : memories
    }
    var memoryEmbedder: MemoryEmbedder {
        MemoryEmbedder(lane, model: configuration.llm.embedModel, isLocal: search.models.isLocal)
    }
    var bodyLimit: Int { configuration.server.maxBodyBytes }
    var database: GatewayDatabase { search.database }
    var store: any GatewayStore { search.store }
    var jobs: JobRoom { store.jobs }
    var pool: EndpointPool { search.pool }
    var shield: LoadShield? { search.shield }
    var upstream: OllamaUpstream { search.upstream }
    var admission: Admission { search.admission }
    var lane: EmbeddingLane { search.lane }
    var metrics: LLMMetrics { LLMMetrics(admission: admission, lane: lane, pool: pool, probe: probe) }
    var backfill: GatewayBackfill { search.backfill }

    /// Opens the database and the caches; nothing listens yet.
    ///
    /// - Throws: ``StorageError``, ``UpstreamError``.
    init(_ configuration: GatewayConfiguration, logger: Logger, log: LogOutput?) throws {
        self.configuration = configuration
        self.logger = logger
        search = try SearchServices(configuration, logger: logger)
        probe = UpstreamProbe(upstream: search.upstream)
        keys = KeyRing(
            token: configuration.server.apiToken, store: search.store,
            isLoopback: configuration.server.isLoopback, resolve: configuration.llm.modelRules.resolve)
        keys.meter.setPrices(configuration.server.prices)
        search.database.setKeyFamilies { [keys] in try await keys.families() }
        memories = MemoryRetrieval(
            search.store.memories, embedder: search.queries, model: configuration.llm.embedModel, scans: keys.scans)
        audit = AuditTrail(search.store.audit, logger: logger)
        cookie = SessionCookie(isEncrypted: configuration.server.tls != nil)
        live = LiveSettings(LiveSettings.Values(configuration))
        let telemetry = configuration.telemetry
        let tracer = telemetry.export.map { _ in Tracer(ratio: telemetry.ratio) }
        exporter = tracer.flatMap { tracer in
            telemetry.export.map { SpanExporter($0, of: tracer.buffer, logger: logger) }
        }
        observer = RequestObserver(
            metrics: GatewayMetrics(), settings: live, log: log,
            journal: configuration.console.keepsRequests ? RequestJournal() : nil, tracer: tracer)
        console = ConsoleAPI(
            observer: observer, database: search.database, store: search.store, settings: configuration.console,
            logger: logger)
    }

    /// Writes pending counts and closes everything that ``init(_:logger:log:)`` opened.
    func close() async {
        try? await keys.meter.write()
        await audit.drain(within: .seconds(2))
        await exporter?.close(within: .seconds(2))
        console.log.close()
        await search.close(within: .seconds(1))
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
