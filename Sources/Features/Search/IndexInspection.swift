import Retrieval
package import Storage
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The state of one index file.
package struct IndexInspection: Sendable, Hashable {
    /// How an index file relates to the database.
    package enum State: Sendable, Hashable {
        /// The file can be opened and lacks this number of changes.
        case usable(behind: Int64)
        /// The file cannot be opened, for this reason.
        case unusable(String)
        /// The file and the database hold different numbers of notes at the same position of the log.
        case different(file: Int, database: Int)
        /// The file belongs to no embedding space of the database.
        case orphaned
        /// The file is incomplete: a process is writing it, or ended while writing.
        case unfinished
    }

    /// The file's path.
    package var path: String
    /// The file's state.
    package var state: State

    /// Inspects every index file of a store's notes.
    ///
    /// - Throws: ``StorageError``; a PostgreSQL error for notes there.
    package static func of(_ store: any GatewayStore, in folder: String) async throws -> [IndexInspection] {
        let files = IndexFiles(folder: folder, notes: store.changes)
        let view = IndexFolder(path: folder)
        var spaces: [String: StoredSpace?] = [files.path(for: nil): nil]
        for status in try await store.embeddings.spaces() { spaces[files.path(for: status.stored)] = status.stored }
        var found: [IndexInspection] = []
        for name in view.names {
            let path = folder + "/" + name
            if view.isUnfinished(name) {
                found.append(IndexInspection(path: path, state: .unfinished))
            } else if let space = spaces[path] {
                found.append(IndexInspection(path: path, state: try await state(of: space, files)))
            } else {
                found.append(IndexInspection(path: path, state: .orphaned))
            }
        }
        return found
    }

    private static func state(of space: StoredSpace?, _ files: IndexFiles) async throws -> State {
        do {
            let opened = try await files.open(space)
            let end = try await files.notes.changeState().cursor
            // A server's position says more than a file can hold, so the notes are not compared.
            guard end == opened.cursor else { return .usable(behind: max(0, end.position - opened.cursor.position)) }
            let count = Mutex(0)
            let cursor = try await files.notes.readAll(in: nil) { batch in count.withLock { $0 += batch.count } }
            let (held, notes) = (opened.live.index.statistics.documents, count.withLock { $0 })
            return cursor == opened.cursor && held != notes
                ? .different(file: held, database: notes) : .usable(behind: 0)
        } catch let error as RetrievalError {
            return .unusable(error.message)
        }
    }
}
