import Dispatch
import Machine
import Retrieval
import Storage

/// The index files of a database: one for each embedding space, and one for use before the first space.
///
/// The files are derived from the database and may be deleted at any time.
struct IndexFiles: Sendable {
    let folder: String
    let notes: any NoteChanges

    func path(for space: StoredSpace?) -> String {
        space.map { path(ofSpace: $0.id) } ?? folder + "/keywords.index"
    }

    func path(ofSpace id: SpaceID) -> String { folder + "/space-\(id).index" }

    /// Opens the file of a space.
    ///
    /// - Throws: ``RetrievalError`` when no file exists, or the file does not belong to the current database.
    func open(_ space: StoredSpace?) async throws -> FollowedIndex {
        let path = path(for: space)
        let identity = FileStamp(path: path)
        let opened = try await offPool { try HybridIndex.open(path: path) }
        let cursor = ChangeCursor(position: opened.stamp.cursor)
        guard opened.stamp.source == (try await source(of: space, at: cursor)) else {
            throw RetrievalError(.indexFile, "\(path) belongs to another database or embedding space")
        }
        return FollowedIndex(live: LiveIndex(index: opened.index, space: space), cursor: cursor, identity: identity)
    }

    /// Writes an index file and opens it.
    ///
    /// - Returns: The written index, opened; nil when another process was writing.
    func write(_ image: IndexImage, of space: StoredSpace?, at cursor: ChangeCursor) async throws -> FollowedIndex? {
        let path = path(for: space)
        let stamp = IndexStamp(source: try await source(of: space, at: cursor), cursor: cursor.position)
        guard try await offPool({ try image.write(to: path, stamp: stamp) }) else { return nil }
        return try await open(space)
    }

    func source(of space: StoredSpace?, at cursor: ChangeCursor) async throws -> String {
        let name = try await notes.name(at: cursor)
        guard let space else { return name }
        // All that makes vectors comparable, because a space's row may belong to another space in another database.
        let identity = space.space
        return [
            name, String(space.id), identity.model, identity.digest, String(identity.dimensions),
            String(identity.chunkerVersion),
        ].joined(separator: "|")
    }

    /// Runs a blocking call, for mapping and writing, on a thread outside the cooperative pool.
    func offPool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { continuation.resume(with: Result { try body() }) }
        }
    }
}
