import PostgresStorage
import Access
import Backfill
import Books
import Certificates
import Chat
import Console
import Conversations
import Find
import GatewayAPI
import GoalTracking
import HTTPTypes
import Inference
import JobRoom
import Jobs
import KeyRoom
import LLM
import Logging
import NoteSources
import Notes
import Notifications
import PromptLibrary
import Prompts
import Retrieval
import Search
import Server
import Storage
import Telemetry
import Tools
import Transport
import Web
import WebSearch

extension Feature {
    /// All features of the gateway, one line each.
    ///
    /// - Throws: ``ToolRegistryError``, an error of a prompt template; a test builds every feature.
    static func all(_ shared: SharedServices, retrieval: RetrievalService) throws -> [Feature] {
        let library = shared.search.library(shared.configuration)
        var features = [
            server(shared), llm(shared), search(shared, retrieval),
            try notes(shared, retrieval), sources(shared),
            web(shared), backfill(shared),
            books(shared, library), find(shared, library),
            try webSearch(shared),
            goals(shared),
            try notifications(shared),
            console(shared),
        ]
        let tools = features.flatMap(\.tools)
        features += try chats(shared, retrieval, library, tools: tools)
        features.append(try promptLibrary(shared, tools: tools))
        features.append(try mcp(shared, tools: tools))
        features.append(jobs(shared, of: features))
        return features + [description(of: features)]
    }

    private static func server(_ shared: SharedServices) -> Feature {
        var feature = Feature()
        feature.description = PackageResources.openapi_yaml
        feature.reloadables = [
            .simple(.generateModel, .embedModel, .logPrompts, .origins) { [live = shared.live] in
                live.apply(LiveSettings.Values($0))
            },
            .simple(.apiToken) { [keys = shared.keys] in keys.setToken($0.server.apiToken) },
            .simple(.prices) { [keys = shared.keys] in keys.meter.setPrices($0.server.prices) },
        ]
        let foreignTables = ForeignTableWatch(database: shared.database, logger: shared.logger)
        feature.metrics = [{ foreignTables.write(to: &$0) }]
        feature.services = [foreignTables]
        if let exporter = shared.exporter { feature.services.append(exporter) }
        if let spans = shared.observer.tracer?.buffer { feature.metrics.append { spans.write(to: &$0) } }
        if let tls = shared.configuration.server.tls,
            let renewal = CertificateRenewal(certificate: tls.certificate, logger: shared.logger)
        {
            feature.services.append(renewal)
        }
        return feature
    }

    private static func llm(_ shared: SharedServices) -> Feature {
        let routes = LLMRoutes(
            upstream: shared.upstream, admission: shared.admission, lane: shared.lane, models: shared.search.models,
            observer: shared.observer, providers: shared.search.providers,
            rules: shared.configuration.llm.modelRules,
            transcribeModel: shared.configuration.llm.transcribeModel,
            rerankModel: shared.configuration.search.rerankModel, bodyLimit: shared.bodyLimit,
            version: GatewayVersion.current, live: shared.live,
            readiness: shared.search.retrieval.readiness)
        var feature = Feature(description: LLMRoutes.description, openRoutes: routes.addOpen, routes: routes.add)
        feature.translations = routes.addTranslations
        feature.countedPatterns = LLMRoutes.proxiedPatterns
        feature.metrics = [shared.metrics.write]
        feature.topics = [LiveTopic("upstreams", .admin) { LiveUpstreams(upstreams: shared.metrics.endpointStates) }]
        feature.errors = [{ ($0 as? UpstreamError).map { GatewayError(upstream: $0) } }]
        feature.reloadables = [
            .simple(.maxInFlight, .maxWaiting) { [admission = shared.admission] in
                admission.setLimits(AdmissionLimits(maxInFlight: $0.llm.maxInFlight, maxWaiting: $0.llm.maxWaiting))
            },
            .simple(.cloud) { [cloud = shared.search.cloud] in cloud.set($0.llm.allowsCloud) },
            .simple(
                .ollamaHost, .upstreams, .upstreamKeys, .connectTimeout, .firstByteTimeout, .idleTimeout
            ) { [pool = shared.pool, logger = shared.logger] in
                do {
                    try pool.replace(with: $0.llm.upstreams)
                } catch {
                    logger.error("the old upstreams stay in use", metadata: ["error": "\(error)"])
                }
            },
        ]
        return feature
    }

    private static func search(_ shared: SharedServices, _ retrieval: RetrievalService) -> Feature {
        let routes = SearchRoutes(
            retrieval: retrieval, memories: shared.memories, metrics: shared.observer.metrics,
            bodyLimit: shared.bodyLimit)
        var feature = Feature(description: SearchRoutes.description, routes: routes.add)
        feature.errors = GatewayError.ofSearch
        feature.metrics = [SearchMetrics(retrieval: retrieval).write]
        feature.jobs = retrieval.jobs
        feature.services = retrieval.services(keysChanged: shared.keys.readAgain)
        feature.tools = SearchTools(notes: retrieval.search, memories: shared.memories).all
        return feature
    }

    private static func notes(_ shared: SharedServices, _ retrieval: RetrievalService) throws -> Feature {
        let (settings, store, rule) = (shared.configuration.notes, shared.store, shared.search.goals.rule)
        let routes = NotesAPI(
            store: store, push: shared.database.push(in: store), exports: shared.database.exports,
            rule: rule,
            firstWeekday: shared.configuration.search.weekStart.weekday,
            readsTasks: settings.workflows.contains(.actions), goals: GoalsDue(shared.search.goals).cards,
            exportFolder: settings.exportFolder, scans: shared.keys.scans,
            bodyLimit: shared.bodyLimit)
        let pairs = ThreadPairs(search: retrieval.search, store: store)
        let phraser = try ThreadPhraser(
            settings.threadsModel, store: store, providers: shared.search.chat,
            privacy: shared.configuration.chat.privacy, keys: shared.keys, logger: shared.logger)
        let threads = ThreadService(store: store, rule: rule, phraser: phraser, pairs: pairs.update)
        var feature = Feature(description: NotesAPI.description, routes: routes.add)
        feature.errors = [{ GatewayError(export: $0) }]
        feature.services = [NoteHistoryUpkeep(store.noteHistory, logger: shared.logger)]
        feature.tools = NoteTools(store: store).all
        feature.jobs = [.briefing: routes.briefings.work, .threads: threads.work, .actions: routes.actions.work]
        feature.jobStarters = [
            { DailyJob(.threads, $0, logger: shared.logger) { try await threads.isDue(settings) } },
            { DailyJob(.briefing, $0, logger: shared.logger) { try await routes.briefings.isDue(settings) } },
            { DailyJob(.actions, $0, logger: shared.logger) { try await routes.actions.isDue(settings) } },
        ]
        return feature
    }

    private static func sources(_ shared: SharedServices) -> Feature {
        let store = shared.store
        let routes = SourcesAPI(service: SourceService(store: store), bodyLimit: shared.bodyLimit)
        var feature = Feature(description: SourcesAPI.description, routes: routes.add)
        let claims = ExportClaims(notes: store.notes, records: shared.database.exports)
        feature.services = [
            SourceFollower(
                store: store, isShared: shared.search.postgres != nil, claims: claims.checked, logger: shared.logger)
        ]
        return feature
    }

    /// The chat, and what it learns from: opened conversations and read books.
    private static func chats(
        _ shared: SharedServices, _ retrieval: RetrievalService, _ library: BookLibrary, tools: [Tool]
    ) throws -> [Feature] {
        let metrics = ChatMetrics(tools: tools.map(\.name), observer: shared.observer)
        let engine = ChatEngine(
            store: shared.store, notes: retrieval.search, providers: shared.search.chat,
            prompts: try ChatPrompts(), tools: try ToolRegistry(tools), settings: shared.configuration.chat,
            memories: shared.localMemories, metrics: metrics, logger: shared.logger)
        let learner = MemoryLearner(engine, embedder: shared.memoryEmbedder, keys: shared.keys)
        let service = ChatService(engine)
        let routes = ChatRoutes(
            service: service, metrics: metrics, defaultModel: { [live = shared.live] in live.current.generateModel },
            bodyLimit: shared.bodyLimit)
        var feature = Feature(description: ChatRoutes.description, routes: routes.add)
        (feature.metrics, feature.services) = ([{ routes.write(to: &$0) }], [service, Prefiller(engine)])
        (feature.topics, feature.errors) = ([routes.topic], [{ GatewayError(chat: $0) }])
        let models = NotesModels(engine, defaultModel: { [live = shared.live] in live.current.generateModel })
        feature.models = own(models, keys: shared.keys)
        feature.modelRoutes =
            NotesModelRoutes(
                service: service, models: models, isEncrypted: shared.configuration.server.tls != nil
            ).add
        let compressor = Compressor(engine, keys: shared.keys, jobs: shared.jobs)
        feature.jobs = [.compress: compressor.work, .memories: learner.work]
        feature.jobStarters = [
            { runner in
                CompressionScheduler(engine.compressions, logger: engine.logger) { parameters, key in
                    try await runner.begin(.compress, parameters, key: key).isNew
                }
            },
            { runner in
                MemoryFollower(learner, logger: engine.logger) {
                    try await runner.begin(.memories, "{}", key: nil).isNew
                }
            },
        ]
        let conversations = ConversationsAPI(
            store: shared.store, remembers: engine.settings.remembers,
            watch: SessionWatch(opened: routes.opened, deleted: service.deleted), bodyLimit: shared.bodyLimit)
        let books = BooksAPI(
            library: library, fetch: BookFetch(allowsPrivate: shared.configuration.books.allowsPrivateURLs),
            isRead: routes.read, bodyLimit: shared.bodyLimit)
        return [
            Feature(description: ConversationsAPI.description, routes: conversations.add), feature,
            Feature(description: BooksAPI.description, routes: books.add),
        ]
    }

    private static func own(_ models: NotesModels, keys: KeyRing) -> OwnModels {
        OwnModels(
            contains: { NotesModelName($0) != nil },
            isShown: { $0.grant.scopes.allow(.llm) && $0.grant.scopes.allow(.notesRead) },
            names: { others, identity in
                let usesDefault = keys.allows(model: models.defaultModel(), to: identity)
                return await models.names(beside: others) { usesDefault || keys.allows(model: $0, to: identity) }
            })
    }

    private static func promptLibrary(_ shared: SharedServices, tools: [Tool]) throws -> Feature {
        let routes = try PromptLibraryAPI(
            store: shared.store, tools: tools, privacy: shared.configuration.chat.privacy,
            bodyLimit: shared.bodyLimit)
        return Feature(description: PromptLibraryAPI.description, routes: routes.add)
    }

    private static func web(_ shared: SharedServices) -> Feature {
        guard shared.configuration.web.isOn else { return Feature(openRoutes: WebAPI.addEnd) }
        let routes = WebAPI(
            keys: shared.keys, store: shared.store, cookie: shared.cookie,
            host: shared.configuration.server.host, certificate: shared.configuration.server.tls?.certificate,
            audit: shared.audit)
        var feature = Feature(description: WebAPI.description, openRoutes: routes.addOpen, routes: routes.add)
        feature.services = [SessionUpkeep(keys: shared.keys, logger: shared.logger)]
        return feature
    }

    private static func backfill(_ shared: SharedServices) -> Feature {
        let work: JobRunner.Work = { [keys = shared.keys, backfill = shared.backfill] job, report in
            try await backfill.work(job, account: keys.account(ofKey: job.keyID), report)
        }
        return Feature(jobs: [.backfill: work], services: [shared.backfill])
    }

    /// All of books but their routes.
    private static func books(_ shared: SharedServices, _ library: BookLibrary) -> Feature {
        var feature = Feature()
        feature.errors = [{ GatewayError(books: $0) }]
        feature.tools = BookTools(retrieval: library.retrieval, store: library.store).all
        feature.jobs = [
            .importBook: { [keys = shared.keys] job, report in
                try await library.imports.work(job, account: keys.account(ofKey: job.keyID), report)
            }
        ]
        feature.jobStarters = [
            { runner in
                library.startJobs { try await runner.begin(.importBook, $0, key: $1).job.id }
                return library
            }
        ]
        return feature
    }

    private static func find(_ shared: SharedServices, _ library: BookLibrary) -> Feature {
        let service = shared.search.find(shared.configuration, library, shared.memories, scans: shared.keys.scans)
        return Feature(description: FindRoutes.description, routes: FindRoutes(service: service).add)
    }

    private static func webSearch(_ shared: SharedServices) throws -> Feature {
        let settings = shared.configuration.webSearch
        let pages = PageFetch(
            allowsPrivate: settings.pages == .all, program: shared.configuration.books.readerProgram)
        let routes = WebSearchRoutes(
            server: try settings.server.map { try SearXNG($0) }, pages: settings.pages == .off ? nil : pages,
            bodyLimit: shared.bodyLimit)
        var feature = Feature(description: WebSearchRoutes.description, routes: routes.add)
        feature.errors = [{ GatewayError(webSearch: $0) }]
        return feature
    }

    private static func goals(_ shared: SharedServices) -> Feature {
        let service = shared.search.goals
        let reviews = GoalReviews(service, privacy: shared.configuration.chat.privacy)
        let routes = GoalsAPI(service: service, reviews: reviews, bodyLimit: shared.bodyLimit)
        var feature = Feature(description: GoalsAPI.description, routes: routes.add)
        feature.errors = [{ GatewayError(goals: $0) }]
        feature.tools = GoalTools(service: service, reviews: reviews).all
        let embedder = GoalEmbedder(
            lane: shared.lane,
            space: { [database = shared.database, postgres = shared.search.postgres] in
                if let postgres { try await postgres.spaces.active() } else { try await database.spaces.active() }
            }, isLocal: shared.search.models.isLocal)
        feature.services = [GoalWorker(service, embedder: embedder, logger: shared.logger)]
        return feature
    }

    private static func notifications(_ shared: SharedServices) throws -> Feature {
        let nudges = GoalNudges(shared.search.goals, at: shared.configuration.goals.nudgeMinute)
        let service = try PushService(
            in: shared.store, database: shared.database, settings: shared.configuration.push,
            logger: shared.logger)
        let routes = PushAPI(service, bodyLimit: shared.bodyLimit, version: GatewayVersion.current)
        var feature = Feature(description: PushAPI.description, openRoutes: routes.addOpen, routes: routes.add)
        feature.errors = [{ GatewayError(push: $0) }]
        feature.sockets = routes.sockets(shared.keys)
        (feature.metrics, feature.topics) = ([{ await PushMetrics(service).write(to: &$0) }], [routes.topic])
        feature.services = [
            OutboxWorker(service), ScheduleRunner(service),
            PushTriggerWatch(service, nudges: nudges.due) { [pool = shared.pool] in
                pool.endpoints.map(\.status).map { .init(name: $0.name, isUp: $0.isHealthy, reason: $0.reason) }
            },
        ]
        return feature
    }

    private static func console(_ shared: SharedServices) -> Feature {
        let work = shared.console.evaluation(
            lane: shared.lane, model: shared.configuration.llm.embedModel, keys: shared.keys)
        return Feature(
            description: ConsoleAPI.description, routes: shared.console.add, jobs: [.evaluation: work],
            topics: shared.console.topics, metrics: [shared.console.write], services: shared.console.services)
    }

    /// Runs the jobs that the other features define.
    private static func jobs(_ shared: SharedServices, of features: [Feature]) -> Feature {
        let work = features.reduce(into: [:]) { $0.merge($1.jobs) { first, _ in first } }
        let runner = JobRunner(jobs: shared.jobs, work: work, describe: reason, logger: shared.logger)
        let routes = JobRoutes(runner: runner, switchShare: shared.backfill.switchShare, bodyLimit: shared.bodyLimit)
        var feature = Feature(description: JobRoutes.description, routes: routes.add)
        (feature.errors, feature.topics) = ([{ GatewayError(jobs: $0) }], [routes.topic])
        feature.services = [runner] + features.flatMap(\.jobStarters).map { $0(runner) }
        return feature
    }

    /// Serves the description of all routes that other features brought.
    private static func description(of features: [Feature]) -> Feature {
        let route = OpenAPIRoute(features.map(\.description))
        return Feature(openRoutes: { $0.add(.get, "/openapi.yaml", .open, route.handle) })
    }

    /// What an error says to a person, in a failed job's row and of a kind that was not searched.
    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as UpstreamError: error.message
        case let error as StorageError: error.message
        case let error as RetrievalError: error.message
        case let error as PostgresError: error.message
        case let error as AccessRefusal: GatewayError(error).message
        default: "\(error)"
        }
    }
}
