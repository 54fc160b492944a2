import Logging
import Machine
package import Retrieval
package import Storage

/// The index that answers now, and the embedding space that it holds.
package struct LiveIndex: Sendable {
    package let index: HybridIndex
    package let space: StoredSpace?
}

/// An index, the place in the change log up to which it holds every change, and its file when it was read.
struct FollowedIndex: Sendable {
    /// Ids below the highest one of the index that are compared with the database after a table rebuild: without
    /// AUTOINCREMENT a new note takes the id of a deleted one.
    private static let comparedIDs: Int64 = 64

    var live: LiveIndex
    var cursor: ChangeCursor
    var identity: FileStamp?

    /// Applies the changes up to a place in the log.
    ///
    /// - Returns: nil when all were applied, otherwise the place before the first entry of a log that no longer reaches
    ///   back to ``cursor``. The index is then as good as before.
    /// - Throws: ``StorageError``.
    mutating func advance(
        to end: ChangeCursor, in database: GatewayDatabase, _ logger: Logger
    ) async throws -> ChangeCursor? {
        while cursor < end {
            let batch = try await database.changes.since(cursor, in: live.space)
            if batch.needsReload { return batch.cursor }
            live.index.take(batch.notes, logger)
            guard cursor < batch.cursor else { return nil }
            cursor = batch.cursor
        }
        return nil
    }

    /// Applies what may be new since the log was cut off: the notes around and beyond the highest id of the index. Takes
    /// about the same time for any number of notes.
    ///
    /// - Throws: ``StorageError``.
    func takeNewest(in database: GatewayDatabase, _ logger: Logger) async throws {
        let known = live.index.highestIDs(within: Self.comparedIDs)
        let notes = try await database.changes.newestNotes(from: known.min() ?? 0, and: known, in: live.space)
        live.index.take(notes, logger)
    }
}

extension HybridIndex {
    /// Applies notes as they are in the database. A vector that cannot be used costs its own note the vector leg.
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
    fileprivate init(_ notes: [IndexedNote]) {
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
