import GatewayAPI
import Logging
import Machine
package import Retrieval
package import Storage

/// The index that answers now, and the embedding space that it holds.
package struct LiveIndex: Sendable {
    package let index: HybridIndex
    package let space: StoredSpace?
}

/// Keeps the index in step with the database, whichever process writes to it.
///
/// A refresh looks at the end of the change log, one small query, and loads what changed as a delta. When the active
/// space changed, or the log no longer reaches back, another index takes the old one's place whole: the space's index file
/// with what changed since, or, when there is none that fits, one that is built of the database.
package actor IndexFollower {
    /// Changes that a file may lack while others come in.
    static let changesWorthAFile = 1000
    /// How long nothing must have changed before a file is written for few changes.
    static let quiet = Duration.seconds(5)
    /// How often it is looked whether another process has written the file.
    static let fileCheckInterval = Duration.seconds(1)

    private let database: GatewayDatabase
    nonisolated let files: IndexFiles?
    private let logger: Logger
    private var live: LiveIndex?
    private var cursor: ChangeCursor?
    private var fileIdentity: FileStamp?
    private var fileChecked = ContinuousClock.now
    private var lastChange = ContinuousClock.now
    /// Whether the file that has the name was seen to be changed in place: it is replaced however little it holds.
    private var isFileDamaged = false
    /// Takes the live one's place at the next refresh.
    private var successor: IndexFiles.Opened?
    /// The refresh that was asked for last.
    private var latest: Task<LiveIndex, any Error>?
    /// The same, as long as it has not begun.
    private var waiting: Task<LiveIndex, any Error>?

    init(database: GatewayDatabase, files: IndexFiles?, logger: Logger) {
        self.database = database
        self.files = files
        self.logger = logger
    }

    /// The index as it is, without a look at the database; nil before it was opened.
    package var present: LiveIndex? { live }

    /// The index with everything that was committed before this call.
    ///
    /// A refresh that runs already may have looked too early; callers that come meanwhile share the one after it.
    package func current() async throws -> LiveIndex {
        if let waiting { return try await waiting.value }
        let previous = latest
        let task = Task {
            _ = await previous?.result
            waiting = nil
            return try await refresh()
        }
        waiting = task
        latest = task
        return try await task.value
    }

    private func refresh() async throws -> LiveIndex {
        let pulse = try await database.changes.pulse()
        takeSuccessor()
        if let live, live.space == pulse.activeSpace, !live.index.isIntact {
            logger.warning(
                "the index file was changed while it was in use; the index is built anew",
                metadata: ["path": "\(files?.path(for: live.space) ?? "")"])
            isFileDamaged = true
            return try await rebuild(live.space)
        }
        guard let live, live.space == pulse.activeSpace, !isFileReplaced(live) else {
            return try await reload(pulse)
        }
        return try await catchUp(with: pulse)
    }

    /// Applies what the log has beyond the cursor.
    private func catchUp(with pulse: DatabasePulse) async throws -> LiveIndex {
        guard let live, let cursor else { return try await reload(pulse) }
        guard pulse.cursor != cursor else { return live }
        lastChange = .now
        var position = cursor
        while position < pulse.cursor {
            let batch = try await database.changes.since(position, in: live.space)
            if batch.needsReload { return try await rebuild(live.space) }
            apply(batch.notes, to: live.index)
            guard position < batch.cursor else { break }
            position = batch.cursor
            self.cursor = position
        }
        // A log that shrank belongs to another file in the old one's place.
        if pulse.cursor < cursor { return try await rebuild(live.space) }
        return live
    }

    private func reload(_ pulse: DatabasePulse) async throws -> LiveIndex {
        let space = pulse.activeSpace
        guard let files else { return try await rebuild(space) }
        let started = ContinuousClock.now
        do {
            use(try await files.open(space))
        } catch let error as RetrievalError {
            logger.debug("no index file", metadata: ["reason": "\(error.message)"])
            return try await rebuild(space)
        }
        let opened = try await catchUp(with: pulse)
        log("index opened", opened, started)
        return opened
    }

    private func rebuild(_ space: StoredSpace?) async throws -> LiveIndex {
        let started = ContinuousClock.now
        let fresh = LiveIndex(index: HybridIndex(dimensions: space?.space.dimensions), space: space)
        let cursor = try await database.changes.readAll(in: space) { [logger] notes in
            Self.apply(notes, to: fresh.index, logger: logger)
        }
        use(
            IndexFiles.Opened(
                live: fresh, cursor: cursor, identity: files.flatMap { FileStamp(path: $0.path(for: space)) }))
        lastChange = .now
        log("index built", fresh, started)
        return fresh
    }

    private func use(_ opened: IndexFiles.Opened) {
        live = opened.live
        cursor = opened.cursor
        fileIdentity = opened.identity
        fileChecked = .now
        successor = nil
    }

    private func log(_ what: Logger.Message, _ live: LiveIndex, _ started: ContinuousClock.Instant) {
        let statistics = live.index.statistics
        logger.info(
            what,
            metadata: [
                "notes": "\(statistics.documents)", "vectors": "\(statistics.vectors)",
                "space": "\(live.space?.space.model ?? "none")",
                "ms": "\((ContinuousClock.now - started).milliseconds)",
            ])
    }

    // MARK: The file

    /// Whether another process has written the file anew, for example after tuning.
    private func isFileReplaced(_ live: LiveIndex) -> Bool {
        guard let files, ContinuousClock.now - fileChecked > Self.fileCheckInterval else { return false }
        fileChecked = .now
        guard let identity = FileStamp(path: files.path(for: live.space)) else { return false }
        return identity != fileIdentity
    }

    private func takeSuccessor() {
        guard let successor, let live, successor.live.space == live.space else { return }
        use(successor)
    }

    /// Whether the file lacks enough to be written anew: many changes, or some and a pause in them.
    var wantsFile: Bool {
        guard files != nil, successor == nil, let live else { return false }
        let statistics = live.index.statistics
        guard statistics.documentsBeyondFile >= (isFileDamaged ? 1 : Self.changesWorthAFile) else { return false }
        return statistics.documentsBeyondFile * 4 > statistics.documents
            && ContinuousClock.now - lastChange > .seconds(1) || ContinuousClock.now - lastChange > Self.quiet
    }

    /// Writes the file of the live index, which the next refresh then goes over to; searches and refreshes go on.
    ///
    /// - Returns: Whether it was written, and not by another process at the same time.
    /// - Throws: ``RetrievalError``, ``StorageError``.
    @discardableResult
    package func writeFile() async throws -> Bool {
        guard let files else { return false }
        _ = try await current()
        guard let live, let cursor else { return false }
        let started = ContinuousClock.now
        guard let written = try await files.write(live.index.image, of: live.space, at: cursor) else { return false }
        successor = written
        isFileDamaged = false
        logger.info(
            "index file written",
            metadata: [
                "path": "\(files.path(for: live.space))", "ms": "\((ContinuousClock.now - started).milliseconds)",
            ])
        return true
    }

    // MARK: Changes

    private func apply(_ notes: [IndexedNote], to index: HybridIndex) {
        Self.apply(notes, to: index, logger: logger)
    }

    private static func apply(_ notes: [IndexedNote], to index: HybridIndex, logger: Logger) {
        do {
            try index.apply(update(for: notes))
        } catch {
            // A vector that cannot be used costs its own note the vector leg, not the whole batch.
            for note in notes {
                do {
                    try index.apply(update(for: [note]))
                } catch {
                    logger.warning("a stored vector cannot be used", metadata: ["reason": "\(error.message)"])
                    var withoutVector = update(for: [note])
                    withoutVector.removedVectors = withoutVector.vectors.map(\.id)
                    withoutVector.vectors = []
                    try? index.apply(withoutVector)
                }
            }
        }
    }

    private static func update(for notes: [IndexedNote]) -> IndexUpdate {
        var update = IndexUpdate()
        for note in notes {
            switch note {
            case .removed(let id): update.removedDocuments.append(id)
            case .present(let note):
                update.documents.append(
                    RetrievalDocument(
                        id: note.id, title: note.title, text: note.content, noteType: note.noteType,
                        actionability: note.actionability, createdAt: note.createdAt, threads: note.threads,
                        tags: note.tags))
                if note.passages > 0 {
                    update.vectors.append(
                        VectorEntry(id: note.id, values: note.vectors, passages: note.passages))
                } else {
                    update.removedVectors.append(note.id)
                }
            }
        }
        return update
    }
}
