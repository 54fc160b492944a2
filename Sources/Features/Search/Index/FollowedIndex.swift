import Concurrency
import Logging
import Machine
package import Retrieval
package import Storage

/// The current index and its embedding space.
package struct LiveIndex: Sendable {
    package let index: HybridIndex
    package let space: StoredSpace?
}

/// An index with its position in the change log and the stamp of its file. The index holds every change up to the
/// position.
struct FollowedIndex: Sendable {
    /// The number of ids below the highest one that are compared with the database after a table rebuild. Without
    /// AUTOINCREMENT, a new note may take the id of a deleted one.
    private static let comparedIDs: Int64 = 64

    var live: LiveIndex
    var cursor: ChangeCursor
    var identity: FileStamp?

    /// Applies the changes up to a position in the log.
    ///
    /// - Returns: nil when all changes were applied. If the log no longer reaches back to ``cursor``, the position
    ///   before its first entry; the index stays usable.
    /// - Throws: ``StorageError``, `CancellationError`.
    mutating func advance(
        to end: ChangeCursor, in notes: any NoteChanges, _ logger: Logger
    ) async throws -> ChangeCursor? {
        guard cursor != end, cursor <= end else { return nil }
        while true {
            let batch = try await notes.since(cursor, in: live.space)
            if batch.needsReload { return batch.cursor }
            try await live.index.follow(batch.notes, logger)
            let hasMoved = cursor != batch.cursor
            cursor = batch.cursor
            guard batch.hasMore, hasMoved else { return nil }
        }
    }

    /// Applies changes that the cut log may miss: the notes around and beyond the index's highest id. The time does not
    /// grow with the number of notes.
    ///
    /// - Throws: ``StorageError``, `CancellationError`.
    func takeNewest(in notes: any NoteChanges, _ logger: Logger) async throws {
        let known = live.index.highestIDs(within: Self.comparedIDs)
        let newest = try await notes.newestNotes(from: known.min() ?? 0, and: known, in: live.space)
        try await live.index.follow(newest, logger)
    }
}

extension HybridIndex {
    /// Applies the database's state of some notes, whose texts may be large.
    ///
    /// - Throws: `CancellationError`.
    fileprivate func follow(_ notes: [IndexedNote], _ logger: Logger) async throws {
        let bytes = notes.reduce(0) { sum, note in
            if case .present(let note) = note { sum + note.content.utf8.count } else { sum }
        }
        try await LargeWork.shared.run(over: bytes, for: "index") { self.take(notes, logger) }
    }

    /// Applies the database's state of some notes. A note with an unusable vector is indexed without a vector.
    func take(_ notes: [IndexedNote], _ logger: Logger) {
        do {
            try apply(IndexUpdate(notes))
        } catch {
            for note in notes {
                do {
                    try apply(IndexUpdate([note]))
                } catch {
                    logger.warning("a stored vector cannot be used", metadata: ["reason": "\(error.message)"])
                    var withoutVector = IndexUpdate([note])
                    withoutVector.removedVectors = withoutVector.vectors.map(\.id)
                    withoutVector.vectors = []
                    try? apply(withoutVector)
                }
            }
        }
    }
}

extension IndexUpdate {
    init(_ notes: [IndexedNote]) {
        self.init()
        for note in notes {
            switch note {
            case .removed(let id): removedDocuments.append(id)
            case .present(let note):
                documents.append(
                    RetrievalDocument(
                        id: note.id, title: note.title, text: note.content, noteType: note.noteType,
                        actionability: note.actionability, createdAt: note.createdAt, threads: note.threads,
                        tags: note.tags))
                if note.passages > 0 {
                    vectors.append(VectorEntry(id: note.id, values: note.vectors, passages: note.passages))
                } else {
                    removedVectors.append(note.id)
                }
            }
        }
    }
}
