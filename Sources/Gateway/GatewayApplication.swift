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

    private let transport: UpstreamTransport
    private let admission: Admission
    private let embeddingCache: OpenEmbeddingCache
    private let lane: EmbeddingLane
    private let keys: KeyRing
    private let logger: Logger
    private let onListening: @Sendable (Int) async -> Void

    /// Opens the database and wires the gateway; nothing listens yet.
    ///
    /// - Parameters:
    ///   - configuration: Checked settings.
    ///   - logger: For everything that the gateway logs.
    ///   - onListening: Called once with the port.
    /// - Throws: ``StorageError``, ``UpstreamError``.
    public init(
        configuration: GatewayConfiguration, logger: Logger,
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) throws {
        self.configuration = configuration
        self.logger = logger
        self.onListening = onListening
        database = try GatewayDatabase(path: configuration.databasePath)
        transport = try UpstreamTransport(configuration: configuration.upstream)
        upstream = OllamaUpstream(transport: transport)
        admission = Admission(maxInFlight: configuration.maxInFlight, maxWaiting: configuration.maxWaiting)
        embeddingCache = OpenEmbeddingCache(databasePath: configuration.databasePath, logger: logger)
        lane = EmbeddingLane(upstream: upstream, admission: admission, cache: embeddingCache.cache)
        keys = KeyRing(token: configuration.apiToken, database: database, isLoopback: configuration.isLoopback)
        retrieval = RetrievalService(
            database: database,
            embedder: QueryEmbedder(upstream: upstream, lane: lane, timeout: configuration.queryTimeout),
            indexFolder: configuration.indexFolder, defaultFusion: configuration.fusion, logger: logger)
    }

    /// Refuses to listen beyond this machine as long as anybody could come in.
    ///
    /// - Throws: ``ConfigurationError``.
    public func checkExposure() async throws {
        guard !configuration.isLoopback, configuration.apiToken == nil else { return }
        if try await database.keys().contains(where: { $0.revokedAt == nil }) { return }
        throw ConfigurationError(
            message: "refusing to listen on \(configuration.host) without a key: anyone who reaches this address could "
                + "read the notes. Set SELENE_API_TOKEN, or make a key with `selene keys create NAME`, or listen on "
                + "127.0.0.1")
    }

    /// Serves until graceful shutdown: then takes no more connections, lets open requests end, closes the upstream and
    /// the database.
    public func run() async throws {
        try await checkExposure()
        let counting = Task { [keys, logger] in await keys.meter.keepWritten(logger: logger) }
        defer { counting.cancel() }
        let server = Application(
            responder: responder(),
            server: server(),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: "selene"),
            onServerRunning: { [onListening] channel in await onListening(channel.localAddress?.port ?? 0) },
            logger: logger)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                group.addTask { [retrieval] in try await retrieval.run() }
                // The first failure ends both; `waitForAll` would wait for the other one for ever.
                while try await group.next() != nil {}
            }
        } catch let error as IOError {
            await close()
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
        await transport.shutdown(within: .seconds(1))
        await embeddingCache.close()
        try? await keys.meter.write()
        try? database.close()
    }

    /// HTTP/1.1 with the proxy for Ollama's own routes in front of the router.
    private func server() -> HTTPServerBuilder {
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ClientDepartureHandler(), MalformedRequestHandler(), HeadResponseHandler()],
            idleTimeout: TimeAmount(configuration.clientIdleTimeout),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 100))
        let proxy = Proxy(
            transport: transport, admission: admission, authentication: AuthenticationMiddleware(keys: keys),
            logger: logger)
        return HTTPServerBuilder { responder in
            ProxyChannel(base: HTTP1Channel(responder: responder, configuration: channel), proxy: proxy)
        }
    }

    private func notesAPI() -> NotesAPI {
        let memories = MemoryRetrieval(
            database: database, lane: lane, model: configuration.embedModel, timeout: configuration.queryTimeout)
        let export = configuration.exportFolder.map { NoteExport(database: database, folder: $0) }
        return NotesAPI(
            database: database, retrieval: retrieval, memories: memories, export: export,
            bodyLimit: configuration.maxBodyBytes)
    }

    private func responder() -> RouterResponder<GatewayRequestContext> {
        let router = GatewayRouter()
        let health = HealthRoutes(upstream: upstream)
        router.add(.get, "/health", .open, health.health)
        router.add(.get, "/openapi.yaml", .open, OpenAPIRoute().handle)
        router.requireKeys(keys)
        let limit = configuration.maxBodyBytes
        let generate = GenerateRoute(
            upstream: upstream, admission: admission, defaultModel: configuration.generateModel, bodyLimit: limit)
        let embed = EmbedRoute(lane: lane, defaultModel: configuration.embedModel, bodyLimit: limit)
        let retrieve = RetrieveRoute(service: retrieval, bodyLimit: limit)
        router.add(.get, "/api/llm/health", .requireScope(.llm), health.llmHealth)
        router.add(.post, "/api/llm/generate", .requireScope(.llm, spendsTokens: true), generate.handle)
        router.add(.post, "/api/llm/embed", .requireScope(.llm, spendsTokens: true), embed.handle)
        router.add(.get, "/api/notes/:id/related", .requireScope(.notesRead), RelatedRoute(service: retrieval).handle)
        router.add(.post, "/api/notes/retrieve", .requireScope(.notesRead), retrieve.handle)
        notesAPI().add(to: router)
        return router.buildResponder()
    }
}
