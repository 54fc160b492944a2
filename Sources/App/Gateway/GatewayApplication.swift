package import Access
import Audit
import Console
package import GatewayAPI
import HTTPTypes
import Hummingbird
import HummingbirdCore
import KeyRoom
package import Inference
import LLM
package import Logging
import NIOCore
package import Search
package import Server
import ServiceLifecycle
package import Storage
import Web

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A complete gateway: the composition root of all modules.
package struct GatewayApplication: Service {
    /// The configuration at start.
    package let configuration: GatewayConfiguration
    /// The database of the notes.
    package let database: GatewayDatabase
    /// The store of rooms: the server that gateways share, else the database.
    package var store: any GatewayStore { shared.store }
    /// The client for Ollama's API, over all upstreams.
    package let upstream: OllamaUpstream
    /// Retrieval over the notes, for callers in this process.
    package let retrieval: RetrievalService

    let shared: SharedServices
    /// The keys of the gateway, for callers in this process.
    package var keys: KeyRing { shared.keys }
    private let logger: Logger
    let features: [Feature]
    let log: LogOutput?
    let tls: TLSIdentity?
    private let errors: ErrorShapes
    private let limits: ConnectionLimits
    private let bodies: BodyLimits
    /// The open client connections.
    var connections: OpenConnections { limits.open }
    private let statistics: GatewayStatistics
    let registry = MetricsRegistry()
    private(set) var reloader: ConfigurationReloader<GatewayConfiguration>?
    private let onListening: @Sendable (Int) async -> Void
    private let doctor: DoctorRoute
    private let handover = Handover()
    private let translations = Handover()
    private let localAccess: LocalAccessFile

    /// Opens the database and wires the gateway; nothing listens yet.
    ///
    /// - Parameters:
    ///   - configuration: Checked settings.
    ///   - logger: Receives all log messages of the gateway.
    ///   - log: The output behind `logger`. Its level follows the configuration, and each request writes a line to it;
    ///     nil logs no requests.
    ///   - onListening: Called once, with the port.
    ///   - reload: Reads the configuration again, with a text instead of that of its file when it gets one; nil disables
    ///     reloading.
    ///   - examine: Runs the checks of `selene doctor`, with or without the slow ones; nil for none.
    /// - Throws: ``StorageError``, ``UpstreamError``, ``ConfigurationError`` for an unusable certificate.
    package init(
        configuration: GatewayConfiguration, logger: Logger, log: LogOutput? = nil,
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in },
        reload: (@Sendable (Data?) throws -> GatewayConfiguration)? = nil,
        examine: (@Sendable (GatewayConfiguration, _ isDeep: Bool) async throws -> [DoctorFinding])? = nil
    ) throws {
        self.configuration = configuration
        self.logger = logger
        self.onListening = onListening
        doctor = DoctorRoute(examine.map { run -> DoctorRoute.Examination in { try await run(configuration, $0) } })
        let shared = try SharedServices(configuration, logger: logger, log: log)
        self.shared = shared
        (database, upstream) = (shared.database, shared.upstream)
        localAccess = LocalAccessFile(
            database: configuration.databasePath, settings: configuration.server, keys: shared.keys, logger: logger)
        retrieval = shared.search.retrieval
        features = try Feature.all(shared, retrieval: retrieval)
        let expectedWait: @Sendable () -> Int = { [admission = shared.admission] in admission.expectedWaitSeconds }
        // A feature may say more of an error of the database than the last shape.
        let ofStorage: ErrorShapes.Shape = { ($0 as? StorageError).map { GatewayError(storage: $0) } }
        errors = ErrorShapes(features.flatMap(\.errors) + [ofStorage], retryAfterSeconds: expectedWait)
        self.log = log
        tls = try configuration.server.tls.map { try TLSIdentity($0, maxStreams: configuration.server.maxStreams) }
        let metrics = shared.observer.metrics
        for pattern in features.flatMap(\.countedPatterns) { metrics.register(pattern) }
        limits = ConnectionLimits(
            maxConnections: configuration.server.maxConnections,
            perAddress: configuration.server.maxConnectionsPerAddress,
            headerTimeout: configuration.server.headerTimeout,
            clientIdleTimeout: configuration.server.clientIdleTimeout, minRate: configuration.server.minBodyRate,
            metrics: metrics,
            retryAfterSeconds: expectedWait, logger: logger)
        // Twice the largest body, so that it fits into one holder's share.
        bodies = BodyLimits(
            memory: max(configuration.server.maxBodyMemory, configuration.server.maxBodyBytes * 2),
            answers: configuration.server.maxAnswerMemory,
            spool: max(configuration.server.maxSpoolBytes, LLMRoutes.maxProxiedBody * 2),
            besides: configuration.databasePath,
            grace: configuration.server.headerTimeout, rate: configuration.server.minBodyRate)
        statistics = GatewayStatistics(
            metrics: metrics, llm: shared.metrics, search: SearchMetrics(retrieval: retrieval),
            stored: shared.store.keys, keys: shared.keys, connections: limits.open, bodies: bodies,
            droppedLogLines: { log?.droppedLines ?? 0 })
        statistics.register(in: registry)
        for source in features.flatMap(\.metrics) { registry.add(source) }
        if let reload {
            let credentials = credentials
            reloader = ConfigurationReloader(
                current: configuration, load: reload, parts: reloadables,
                check: {
                    try $1.checkUpstreams(of: configuration.server)
                    try await credentials.check(
                        $1.server, after: $0.server, listeningAs: configuration.server)
                },
                applied: { [audit = shared.audit] reason, changed in
                    let isFile = reason == ConfigurationReloader<GatewayConfiguration>.fileChanged
                    audit.recordLater(
                        AuditEntry(
                            by: isFile ? "configuration file" : "signal", action: AuditAction.settingReload.rawValue,
                            object: changed.joined(separator: ", ")))
                },
                metrics: metrics, logger: logger)
        }
    }

    /// Checks that the gateway is safe to expose: beyond this machine it needs a key, or a token that is hard to guess.
    /// And that it does not ask itself.
    ///
    /// - Throws: ``ConfigurationError`` when it is not, ``StorageError``.
    package func checkExposure() async throws {
        try configuration.checkUpstreams(of: configuration.server)
        try await credentials.check(configuration.server)
    }

    private var credentials: CredentialCheck {
        CredentialCheck(hasKey: store.keys.hasLiveKey, mayHaveKey: store.keys.mayHaveLiveKey)
    }

    /// Serves until graceful shutdown. Then it accepts no connections, drains open requests, and closes the upstreams
    /// and the database.
    package func run() async throws {
        try await checkExposure()
        let counting = Task { [keys = shared.keys, logger] in await keys.meter.keepWritten(logger: logger) }
        defer { counting.cancel() }
        let probing = Task { [pool = shared.pool] in await pool.run() }
        defer { probing.cancel() }
        let server = Application(
            responder: RequestTasks(
                HandoverResponder(
                    handover,
                    usual: HandoverResponder(
                        translations, usual: router().buildResponder(),
                        handedOver: handoverRouter(translations) { $0.translations }.buildResponder()),
                    handedOver: handoverRouter(handover) { $0.modelRoutes }.buildResponder())),
            server: server(),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.server.host, port: configuration.server.port), serverName: "selene"),
            onServerRunning: { [onListening, logger, localAccess] channel in
                try? await channel.pipeline.addHandler(AcceptErrorHandler(logger: logger), position: .first).get()
                let port = channel.localAddress?.port ?? 0
                localAccess.open(port: port)
                await onListening(port)
            },
            logger: logger)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                group.addTask { [localAccess] in await cancelWhenGracefulShutdown { await localAccess.keep() } }
                for service in features.flatMap(\.services) { group.addTask { try await service.run() } }
                if let reloader { group.addTask { await reloader.watch() } }
                // The first failure ends all tasks; `waitForAll` would wait for the others forever.
                while try await group.next() != nil {}
            }
        } catch let error as IOError {
            await close()
            if error.errnoCode == EADDRNOTAVAIL { throw AddressNotAvailable(host: configuration.server.host) }
            throw ConfigurationError(
                message: "cannot listen on \(configuration.server.host):\(configuration.server.port): "
                    + (error.errnoCode == EADDRINUSE ? "the address is already in use" : "\(error)"))
        } catch {
            await close()
            throw error
        }
        await close()
    }

    /// Closes everything that the initializer opened; ``run()`` calls it at its end.
    package func close() async {
        localAccess.close()
        await shared.close()
    }

    /// Builds the HTTP server, with the proxy for Ollama's own routes in front of the router.
    private func server() -> HTTPServerBuilder {
        let proxy = Proxy(
            ollama: shared.upstream, pool: shared.pool, rules: configuration.llm.modelRules, shield: shared.shield,
            admission: shared.admission,
            providers: shared.search.providers, ownModels: features.compactMap(\.models).first, handover: handover,
            translations: translations, authentication: authentication, servesPages: configuration.web.isOn,
            audit: shared.audit,
            bodies: bodies, observer: shared.observer, errors: errors, logger: logger)
        let idleTimeout = configuration.server.clientIdleTimeout
        return HTTPServerBuilder { [limits, tls, sockets = features.flatMap(\.sockets)] responder in
            ProxyChannel(
                responder: responder, idleTimeout: idleTimeout, proxy: proxy, limits: limits, tls: tls, sockets: sockets
            )
        }
    }

    private var authentication: AuthenticationMiddleware {
        AuthenticationMiddleware(
            keys: shared.keys, connections: limits.open, cookie: shared.cookie, settings: shared.live)
    }

    /// Builds a router of requests that the proxy hands over.
    private func handoverRouter(
        _ handover: Handover, _ routes: (Feature) -> @Sendable (GatewayRouter) -> Void
    ) -> GatewayRouter {
        let router = GatewayRouter(
            observer: shared.observer, errors: errors, keys: shared.keys, bodies: bodies, audit: shared.audit,
            isModelAPI: true)
        router.require(handover, of: shared.keys)
        for feature in features { routes(feature)(router) }
        return router
    }

    /// Builds the router with all the gateway's own routes.
    func router() -> GatewayRouter {
        let router = GatewayRouter(
            observer: shared.observer, errors: errors, keys: shared.keys, bodies: bodies, audit: shared.audit)
        for feature in features { feature.openRoutes(router) }
        router.requireKeys(authentication)
        let operations = OperationsRoutes(registry: registry, statistics: statistics.response)
        router.add(.get, "/metrics", .requireScope(.admin), operations.metrics)
        router.add(.get, "/api/admin/stats", .requireScope(.admin), operations.stats)
        let events = ConsoleEvents([operations.figures] + features.flatMap(\.topics))
        router.add(.get, "/api/admin/events", .requireScope(.admin), events.handle)
        let setup = ConfigurationRoute(reloader, startedWith: configuration)
        router.add(.get, "/api/admin/config", .requireScope(.admin), setup.handle)
        router.add(.patch, "/api/admin/config", .requireScope(.admin), audit: .settingChange, setup.change)
        router.add(.get, "/api/admin/doctor", .requireScope(.admin), doctor.handle)
        for feature in features { feature.routes(router) }
        return router
    }
}

extension GatewayApplication: CustomStringConvertible {
    /// The address that the gateway listens on.
    package var description: String { "gateway at \(configuration.server.host):\(configuration.server.port)" }
}
