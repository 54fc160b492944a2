import Logging
import Retrieval
import Storage

/// The index that answers now, and the embedding space that it holds.
struct LiveIndex: Sendable {
    let index: HybridIndex
    let space: StoredSpace?
}

/// Keeps the index in memory in step with the database, whichever process writes to it.
///
/// A refresh looks at the end of the change log, one small query, and loads what changed as a delta. When the active
/// space changed, or the log no longer reaches back, a new index is built beside the old one and takes its place whole.
actor IndexFollower {
    private let database: GatewayDatabase
    private let logger: Logger
    private var live: LiveIndex?
    private var cursor: ChangeCursor?
    /// The refresh that was asked for last.
    private var latest: Task<LiveIndex, any Error>?
    /// The same, as long as it has not begun.
    private var waiting: Task<LiveIndex, any Error>?

    init(database: GatewayDatabase, logger: Logger) {
        self.database = database
        self.logger = logger
    }

    /// The index with everything that was committed before this call.
    ///
    /// A refresh that runs already may have looked too early; callers that come meanwhile share the one after it.
    func current() async throws -> LiveIndex {
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
        let pulse = try await database.pulse()
        guard let live, let cursor, live.space == pulse.activeSpace else { return try await reload(pulse.activeSpace) }
        guard pulse.cursor != cursor else { return live }
        var position = cursor
        while position < pulse.cursor {
            let batch = try await database.changes(since: position, in: live.space)
            if batch.needsReload { return try await reload(pulse.activeSpace) }
            apply(batch.notes, to: live.index)
            guard position < batch.cursor else { break }
            position = batch.cursor
            self.cursor = position
        }
        // A log that shrank belongs to another file in the old one's place.
        if pulse.cursor < cursor { return try await reload(pulse.activeSpace) }
        return live
    }

    private func reload(_ space: StoredSpace?) async throws -> LiveIndex {
        let started = ContinuousClock.now
        let fresh = LiveIndex(index: HybridIndex(dimensions: space?.space.dimensions), space: space)
        let cursor = try await database.readAll(in: space) { [logger] notes in
            Self.apply(notes, to: fresh.index, logger: logger)
        }
        self.cursor = cursor
        live = fresh
        let statistics = fresh.index.statistics
        logger.info(
            "index loaded",
            metadata: [
                "notes": "\(statistics.documents)", "vectors": "\(statistics.vectors)",
                "space": "\(space?.space.model ?? "none")",
                "ms": "\((ContinuousClock.now - started).milliseconds)",
            ])
        return fresh
    }

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
                        actionability: note.actionability, createdAt: note.createdAt))
                if note.passages > 0 {
                    let first = Array(note.vectors.prefix(note.vectors.count / note.passages))
                    update.vectors.append(VectorEntry(id: note.id, values: first))
                } else {
                    update.removedVectors.append(note.id)
                }
            }
        }
        return update
    }
}
