package import GatewayAPI
package import Inference
package import Logging
import ServiceLifecycle
package import Storage

/// Embeds new notes while a server runs. Its calls share the server's admission, with lower priority than questions.
package struct GatewayBackfill: Service {
    /// The maximum number of texts in one call. A longer call would delay questions.
    package static let batch = 32

    private let followsNotes: Bool
    private let database: any BackfillStore
    private let models: EmbeddingModels
    private let isPrivate: @Sendable (Note) -> Bool
    private let cache: any EmbeddingCache
    private let embedModel: String
    /// The minimum share of embedded notes, 0 to 1, before a job may switch the active space.
    package let switchShare: Double
    private let logger: Logger

    package init(
        followsNotes: Bool, embedModel: String, switchShare: Double, database: any BackfillStore,
        models: EmbeddingModels, isPrivate: @escaping @Sendable (Note) -> Bool, cache: any EmbeddingCache,
        logger: Logger
    ) {
        self.followsNotes = followsNotes
        self.embedModel = embedModel
        self.switchShare = switchShare
        self.database = database
        self.models = models
        self.isPrivate = isPrivate
        self.cache = cache
        self.logger = logger
    }

    /// Creates a backfill that shares this server's admission and cache.
    ///
    /// - Parameters:
    ///   - model: The embedding model; nil for the configured model.
    ///   - account: The account to charge; nil charges nobody.
    ///   - retriesStore: Whether calls wait while PostgreSQL is away, for ``BackfillOptions/outageTimeout``.
    ///   - change: Changes the default options.
    package func service(
        model: String? = nil, account: EmbeddingAccount? = nil, retriesStore: Bool = false,
        _ change: (inout BackfillOptions) -> Void = { _ in }
    ) -> BackfillService {
        var options = BackfillOptions(model: model ?? embedModel, batch: Self.batch)
        change(&options)
        let retry = StoreRetry(limit: options.outageTimeout, logger: logger)
        return BackfillService(
            database: retriesStore ? retry.waiting(database) : database, models: models, options: options,
            cache: cache, account: account,
            isPrivate: isPrivate, logger: logger)
    }

    /// Returns the space for vectors of texts that are no notes; see ``BackfillService/space()``.
    package func space() async throws -> StoredSpace { try await service().space() }

    /// Returns the space that answers queries; nil before the first backfill.
    package func activeSpace() async throws -> StoredSpace? { try await database.spaces.active() }

    /// Follows the notes until graceful shutdown. It returns only then, even if following is off.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            if followsNotes { await service { $0.outageTimeout = nil }.follow() }
        }
        try? await gracefulShutdown()
    }
}
