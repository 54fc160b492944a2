import GatewayAPI
package import Logging
import Machine
import Retrieval
package import Storage

/// Builds an index from the database, without an index file.
package struct IndexBuilder: Sendable {
    let database: GatewayDatabase
    let logger: Logger
    /// Called before a successor reads the database, so that a test can pause the build here.
    let willRead: @Sendable () async -> Void

    package init(
        database: GatewayDatabase, logger: Logger, willRead: @escaping @Sendable () async -> Void = {}
    ) {
        self.database = database
        self.logger = logger
        self.willRead = willRead
    }

    /// Builds the index of a space from one snapshot. Time grows with the text and the vectors: about 2 s for 100,000
    /// notes.
    ///
    /// - Throws: ``StorageError``.
    func build(_ space: StoredSpace?, in files: IndexFiles?) async throws -> FollowedIndex {
        let started = ContinuousClock.now
        let fresh = LiveIndex(index: HybridIndex(dimensions: space?.space.dimensions), space: space)
        let cursor = try await database.changes.readAll(in: space) { [logger] notes in fresh.index.take(notes, logger) }
        log("index built", fresh, started)
        let identity = files.flatMap { FileStamp(path: $0.path(for: space)) }
        return FollowedIndex(live: fresh, cursor: cursor, identity: identity)
    }

    /// Builds an index while another index answers, then applies the changes made meanwhile. A table rebuild during the
    /// build restarts it.
    ///
    /// - Throws: ``StorageError``, `CancellationError`.
    func buildSuccessor(_ space: StoredSpace?, in files: IndexFiles?) async throws -> FollowedIndex {
        while true {
            await willRead()
            try Task.checkCancellation()
            var built = try await build(space, in: files)
            let end = try await database.changes.pulse().cursor
            if try await built.advance(to: end, in: database, logger) == nil { return built }
        }
    }

    func log(_ what: Logger.Message, _ live: LiveIndex, _ started: ContinuousClock.Instant) {
        let statistics = live.index.statistics
        logger.info(
            what,
            metadata: [
                "notes": "\(statistics.documents)", "vectors": "\(statistics.vectors)",
                "space": "\(live.space?.space.model ?? "none")",
                "ms": "\((ContinuousClock.now - started).milliseconds)",
            ])
    }
}
