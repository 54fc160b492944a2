import Retrieval
public import Storage
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What an index file is worth.
public struct IndexInspection: Sendable, Hashable {
    /// How a file stands to the database.
    public enum State: Sendable, Hashable {
        /// It can be opened, and is behind the database by so many changes.
        case usable(behind: Int64)
        /// It cannot be opened: why.
        case unusable(String)
        /// It holds another number of notes than the database at the same point: those of the file, and of the database.
        case different(file: Int, database: Int)
        /// No embedding space has it any more.
        case orphaned
        /// A process was writing it and ended, or is writing it.
        case unfinished
    }

    /// The file's path.
    public var path: String
    /// What it is worth.
    public var state: State

    /// Opens every index file of a database.
    ///
    /// - Throws: ``StorageError``.
    public static func of(_ database: GatewayDatabase, in folder: String) async throws -> [IndexInspection] {
        let files = IndexFiles(folder: folder, database: database)
        let view = IndexFolder(path: folder)
        var spaces: [String: StoredSpace?] = [files.path(for: nil): nil]
        for status in try await database.spaces.all() { spaces[files.path(for: status.stored)] = status.stored }
        var found: [IndexInspection] = []
        for name in view.names {
            let path = folder + "/" + name
            if view.isUnfinished(name) {
                found.append(IndexInspection(path: path, state: .unfinished))
            } else if let space = spaces[path] {
                found.append(IndexInspection(path: path, state: try await state(of: space, files, database)))
            } else {
                found.append(IndexInspection(path: path, state: .orphaned))
            }
        }
        return found
    }

    private static func state(
        of space: StoredSpace?, _ files: IndexFiles, _ database: GatewayDatabase
    ) async throws -> State {
        do {
            let opened = try await files.open(space)
            let end = try await database.changes.pulse().cursor
            let behind = end.position - opened.cursor.position
            guard behind == 0 else { return .usable(behind: behind) }
            let count = Mutex(0)
            let cursor = try await database.changes.readAll(in: nil) { batch in count.withLock { $0 += batch.count } }
            let (held, notes) = (opened.live.index.statistics.documents, count.withLock { $0 })
            return cursor == opened.cursor && held != notes
                ? .different(file: held, database: notes) : .usable(behind: 0)
        } catch let error as RetrievalError {
            return .unusable(error.message)
        }
    }
}
