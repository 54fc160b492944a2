package import Inference
package import Logging
import ServiceLifecycle
package import Storage

/// Embeds what is written while a server runs, through the places that questions have, behind them.
package struct GatewayBackfill: Service {
    /// Texts in one call at most: a long call would keep questions waiting.
    package static let batch = 32

    private let followsNotes: Bool
    private let database: GatewayDatabase
    private let upstream: OllamaUpstream
    private let admission: Admission
    private let cache: any EmbeddingCache
    private let embedModel: String
    /// The least share of the notes, 0 to 1, at which a job may switch the active space.
    package let switchShare: Double
    private let logger: Logger

    package init(
        followsNotes: Bool, embedModel: String, switchShare: Double, database: GatewayDatabase,
        upstream: OllamaUpstream,
        admission: Admission,
        cache: any EmbeddingCache, logger: Logger
    ) {
        self.followsNotes = followsNotes
        self.embedModel = embedModel
        self.switchShare = switchShare
        self.database = database
        self.upstream = upstream
        self.admission = admission
        self.cache = cache
        self.logger = logger
    }

    /// A backfill within this server.
    ///
    /// - Parameters:
    ///   - model: The configured one when nil.
    ///   - account: Who pays for what is embedded; nil for nobody.
    ///   - change: Sets what differs from the defaults.
    package func service(
        model: String? = nil, account: BackfillAccount? = nil, _ change: (inout BackfillOptions) -> Void = { _ in }
    ) -> BackfillService {
        var options = BackfillOptions(model: model ?? embedModel, batch: Self.batch)
        change(&options)
        return BackfillService(
            database: database, upstream: upstream, options: options, admission: admission, cache: cache,
            account: account, logger: logger)
    }

    /// Follows the notes until graceful shutdown; returns only then, even when there is nothing to follow.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            if followsNotes { await service { $0.patience = nil }.follow() }
        }
        try? await gracefulShutdown()
    }
}
