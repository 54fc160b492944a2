import Logging
package import PostgresStorage
import ServiceLifecycle

/// Checks the server of the notes at start, and keeps its tables short.
package struct PostgresUpkeep: Service {
    package let store: PostgresStore
    private let logger: Logger

    init(store: PostgresStore, logger: Logger) { (self.store, self.logger) = (store, logger) }

    /// Works until shutdown. An error that a retry cannot mend ends the gateway.
    package func run() async throws {
        logger.notice(
            "the notes are in PostgreSQL",
            metadata: ["server": "\(store.pool.address)"])
        if store.pool.address.isUnencrypted {
            logger.warning("the connection to PostgreSQL may be unencrypted; set sslmode=verify-full")
        }
        try await cancelWhenGracefulShutdown { [logger, store] in
            var isFirst = true
            while !Task.isCancelled {
                do {
                    try await store.prepare()
                    if isFirst, try await PostgresTransfer(store).isUnfinished() {
                        logger.warning("a migration into PostgreSQL is unfinished; run `selene migrate` again")
                    }
                    isFirst = false
                    try await store.maintain()
                    try await Task.sleep(for: .seconds(300))
                } catch is CancellationError {
                    return
                } catch let error as PostgresError where error.isOutage || error.code == .serialization {
                    logger.error("PostgreSQL cannot be used", metadata: ["error": "\(error)"])
                    try? await Task.sleep(for: .seconds(5))
                }
            }
        }
    }

    /// The contents and settings of the indexes of the server.
    ///
    /// - Throws: A PostgreSQL error.
    func status() async throws -> IndexStatus {
        let started = ContinuousClock.now
        let figures = try await PostgresSearch(store).figures()
        return IndexStatus(figures, asked: ContinuousClock.now - started)
    }
}
