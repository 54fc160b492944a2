import Foundation
import GRDB

/// Caches embeddings in a separate SQLite file. Losing the file costs time only.
///
/// Maps 32-byte keys to vectors, up to a number of bytes; evicts the least recently used first. Several processes may
/// open the file. Methods may be called from any task.
public final class EmbeddingCacheFile: Sendable {
    /// The number of vectors in the file and their bytes.
    public struct Size: Sendable, Hashable {
        /// The number of vectors.
        public var entries: Int
        /// Their bytes, each vector counted with ``overhead``.
        public var bytes: Int
    }

    /// Bytes counted per vector beside its numbers: key, row and both indexes.
    public static let overhead = 160
    /// A use is recorded only when the last recorded use is older than this, in seconds. So most reads write nothing.
    static let useGranularity: Int64 = 60
    /// Its `application_id` is "SeEC".
    private static let kind = SideFile.Kind(
        name: "embedding cache", label: "selene-cache", applicationID: 0x5365_4543,
        schema: """
            CREATE TABLE embedding (
                id INTEGER PRIMARY KEY,
                key BLOB NOT NULL UNIQUE,
                used INTEGER NOT NULL,
                bytes INTEGER NOT NULL,
                vector BLOB NOT NULL
            );
            CREATE INDEX embedding_use ON embedding (used, bytes);

            """)

    /// Path of the file.
    public var path: String { file.path }
    /// The maximum size in bytes, each vector counted with ``overhead``.
    public let maxBytes: Int
    private let file: SideFile
    private var pool: DatabasePool { file.pool }
    private let now: @Sendable () -> Int64

    /// Opens a cache file; creates it when it is missing.
    ///
    /// - Parameters:
    ///   - path: Path of the file; by convention the notes database's path plus `.cache`.
    ///   - maxBytes: The maximum size in bytes, each vector counted with ``overhead``. 512 MiB holds 160,000 vectors of
    ///     768 numbers.
    /// - Throws: ``StorageError`` when the file cannot be opened, is damaged, or is not an embedding cache.
    public convenience init(path: String, maxBytes: Int = 512 << 20) throws(StorageError) {
        try self.init(path: path, maxBytes: maxBytes) { Int64(Date().timeIntervalSince1970) }
    }

    /// Opens a file with a given clock, in seconds since 1970.
    init(path: String, maxBytes: Int, now: @escaping @Sendable () -> Int64) throws(StorageError) {
        self.maxBytes = max(0, maxBytes)
        self.now = now
        file = try SideFile(Self.kind, path: path)
    }

    /// Returns the cached vectors; keys that are not cached are absent.
    ///
    /// - Throws: ``StorageError``, `CancellationError`.
    public func vectors(for keys: [[UInt8]]) async throws -> [[UInt8]: [Float]] {
        try await file.translatingErrors {
            try await pool.read { database in
                let statement = try database.cachedStatement(
                    sql: "SELECT vector FROM embedding WHERE key = ?")
                var found: [[UInt8]: [Float]] = [:]
                for key in keys {
                    guard let blob = try Row.fetchOne(statement, arguments: [Data(key)])?.bytes(0) else { continue }
                    found[key] = VectorBlob.decode(blob, dimensions: blob.count / 4)
                }
                return found
            }
        }
    }

    /// Stores vectors, records uses, and evicts vectors above the size limit, in one transaction.
    ///
    /// Evicts down to nine tenths of the limit, so that evictions are rare.
    /// - Returns: The size after the change, and the number of evicted vectors.
    /// - Throws: ``StorageError``; nothing is changed then.
    @discardableResult public func store(
        _ vectors: [[UInt8]: [Float]], used: Set<[UInt8]> = []
    ) async throws -> (size: Size, evicted: Int) {
        let (now, maxBytes) = (now(), maxBytes)
        return try await file.translatingErrors {
            try await pool.write { database in
                let touch = try database.cachedStatement(
                    sql: "UPDATE embedding SET used = ?1 WHERE key = ?2 AND used < ?1 - \(Self.useGranularity)")
                for key in used { try touch.execute(arguments: [now, Data(key)]) }
                let insert = try database.cachedStatement(
                    sql: """
                        INSERT INTO embedding (key, vector, used, bytes) VALUES (?, ?, ?, ?)
                        ON CONFLICT (key) DO UPDATE SET vector = excluded.vector, used = excluded.used,
                            bytes = excluded.bytes
                        """)
                for (key, vector) in vectors {
                    let blob = VectorBlob.encode(vector)
                    try insert.execute(arguments: [Data(key), blob, now, blob.count + Self.overhead])
                }
                var size = try Self.size(database)
                let before = size.entries
                if size.bytes > maxBytes {
                    // Uses in the future come from a clock that was set back since; they would outlive all new vectors.
                    try database.execute(
                        sql: "UPDATE embedding SET used = ?1 WHERE used > ?1 + \(Self.useGranularity)", arguments: [now]
                    )
                    try Self.evict(database, bytes: size.bytes - maxBytes / 10 * 9)
                    size = try Self.size(database)
                }
                return (size, before - size.entries)
            }
        }
    }

    /// Returns the number of vectors in the file and their bytes.
    ///
    /// - Throws: ``StorageError``.
    public func size() async throws -> Size {
        try await file.translatingErrors { try await pool.read(Self.size) }
    }

    /// Closes the file; later calls fail.
    public func close() throws(StorageError) { try file.close() }

    // MARK: Inside

    /// The index covers this query, so the vectors are not read.
    private static func size(_ database: Database) throws -> Size {
        let row = try Row.fetchOne(database, sql: "SELECT COUNT(*), COALESCE(SUM(bytes), 0) FROM embedding")
        return Size(entries: row?.count(0) ?? 0, bytes: row?.count(1) ?? 0)
    }

    private static func evict(_ database: Database, bytes: Int) throws {
        var rest = bytes
        var victims: [Int64] = []
        let rows = try Row.fetchCursor(database, sql: "SELECT id, bytes FROM embedding ORDER BY used, id")
        while rest > 0, let row = try rows.next() {
            guard let victim = row.integer(0) else { continue }
            victims.append(victim)
            rest = rest.subtractingReportingOverflow(max(0, row.count(1))).partialValue
        }
        let delete = try database.cachedStatement(sql: "DELETE FROM embedding WHERE id = ?")
        for victim in victims { try delete.execute(arguments: [victim]) }
    }
}
