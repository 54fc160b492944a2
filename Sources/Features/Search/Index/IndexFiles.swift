import Dispatch
import Machine
import Retrieval
import Storage

/// Where the index files of a database lie: one for each embedding space, and one for the time before the first space.
///
/// They are derived from the database and may be deleted at any time.
struct IndexFiles: Sendable {
    let folder: String
    let database: GatewayDatabase

    /// The file of a space.
    func path(for space: StoredSpace?) -> String {
        folder + "/" + (space.map { "space-\($0.id)" } ?? "keywords") + ".index"
    }

    /// Opens the file of a space.
    ///
    /// - Throws: ``RetrievalError`` when there is none, or none that belongs to the database as it is.
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

    /// Writes what an index holds.
    ///
    /// - Returns: What was written, opened; nil when another process was writing.
    func write(_ image: IndexImage, of space: StoredSpace?, at cursor: ChangeCursor) async throws -> FollowedIndex? {
        let path = path(for: space)
        let stamp = IndexStamp(source: try await source(of: space, at: cursor), cursor: cursor.position)
        guard try await offPool({ try image.write(to: path, stamp: stamp) }) else { return nil }
        return try await open(space)
    }

    private func source(of space: StoredSpace?, at cursor: ChangeCursor) async throws -> String {
        let name = try await database.changes.name(at: cursor)
        guard let space else { return name }
        // Everything that makes vectors comparable: a space's row might be another one's in another database.
        let identity = space.space
        return [
            name, String(space.id), identity.model, identity.digest, String(identity.dimensions),
            String(identity.chunkerVersion),
        ].joined(separator: "|")
    }

    /// Mapping and writing block: they run on a thread that is not the cooperative pool's.
    private func offPool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { continuation.resume(with: Result { try body() }) }
        }
    }
}
