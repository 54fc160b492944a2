import GatewayAPI
package import Logging
import Machine
import Retrieval
package import Storage

/// Builds an index from the notes, without an index file.
package struct IndexBuilder: Sendable {
    let notes: any NoteChanges
    let logger: Logger
    /// With at least so many notes an index file is built at once, part by part.
    let notesWorthParts: Int
    /// Called before a successor reads the database, so that a test can pause the build here.
    let willRead: @Sendable () async -> Void

    package init(
        notes: any NoteChanges, logger: Logger, notesWorthParts: Int = 50_000,
        willRead: @escaping @Sendable () async -> Void = {}
    ) {
        self.notes = notes
        self.logger = logger
        self.notesWorthParts = notesWorthParts
        self.willRead = willRead
    }

    /// Notes that are read in one transaction.
    static let notesAtOnce = 65_536

    /// Builds the index of a space. Many notes are built into a file (``IndexConstruction``) and mapped; few are held in
    /// memory.
    ///
    /// - Throws: ``StorageError``, `CancellationError`.
    func build(_ space: StoredSpace?, in files: IndexFiles?) async throws -> FollowedIndex {
        let started = ContinuousClock.now
        if let files, try await notes.hasNotes(atLeast: notesWorthParts) {
            do {
                if let built = try await buildFile(space, in: files) {
                    log("index built", built.live, started)
                    return built
                }
            } catch let error as RetrievalError {
                // A full disk, for example: memory may be enough.
                logger.warning("the index file cannot be built", metadata: ["reason": "\(error.message)"])
            }
        }
        let fresh = LiveIndex(index: HybridIndex(dimensions: space?.space.dimensions), space: space)
        let cursor = try await notes.readAll(in: space) { [logger] batch in fresh.index.take(batch, logger) }
        log("index built", fresh, started)
        let identity = files.flatMap { FileStamp(path: $0.path(for: space)) }
        return FollowedIndex(live: fresh, cursor: cursor, identity: identity)
    }

    /// Builds an index file from several snapshots. The position of the first one counts, so the changes since then are
    /// applied afterwards. A build that was killed continues.
    ///
    /// - Returns: nil when another process is building or writing the file.
    private func buildFile(_ space: StoredSpace?, in files: IndexFiles) async throws -> FollowedIndex? {
        let path = files.path(for: space)
        var begin = try await notes.changeState().cursor
        if let known = IndexConstruction.unfinished(at: path) {
            let cursor = ChangeCursor(position: known.cursor)
            if try await !notes.since(cursor, in: nil, limit: 1).needsReload { begin = cursor }
        }
        let source = try await files.source(of: space, at: begin)
        guard
            let construction = try IndexConstruction(
                path: path, dimensions: space?.space.dimensions, source: source)
        else { return nil }
        let cursor = begin.position
        if let last = construction.lastID {
            logger.notice("continuing an unfinished index", metadata: ["path": "\(path)", "after": "\(last)"])
        }
        var last = construction.lastID
        while let next = try await notes.read(
            after: last, limit: Self.notesAtOnce, in: space,
            { batch in try construction.add(IndexUpdate(batch), cursor: cursor) })
        {
            last = next
            try Task.checkCancellation()
        }
        try await files.offPool { try construction.finish(stamp: IndexStamp(source: source, cursor: cursor)) }
        var built = try await files.open(space)
        let end = try await notes.changeState().cursor
        if try await built.advance(to: end, in: notes, logger) == nil { return built }
        // Another program rebuilt its tables meanwhile.
        try Task.checkCancellation()
        return try await buildFile(space, in: files)
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
            let end = try await notes.changeState().cursor
            if try await built.advance(to: end, in: notes, logger) == nil { return built }
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
