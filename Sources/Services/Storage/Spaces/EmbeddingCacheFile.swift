import Foundation
import GRDB
import Synchronization

/// Caches embeddings in a separate SQLite file. Losing the file costs time only.
///
/// Maps 32-byte keys to vectors, up to a number of bytes; evicts the least recently used first. Several processes may
/// open the file. Methods may be called from any task.
package final class EmbeddingCacheFile: Sendable {
    /// The number of vectors in the file and their bytes.
    package struct Size: Sendable, Hashable {
        /// The number of vectors.
        package var entries: Int
        /// Their bytes, each vector counted with ``overhead``.
        package var bytes: Int
    }

    /// Bytes counted per vector beside its numbers: key, row and both indexes.
    package static let overhead = 160
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

    package var path: String { file.path }
    /// The maximum size in bytes, each vector counted with ``overhead``.
    package let maxBytes: Int
    private let file: SideFile
    private var pool: DatabasePool { file.pool }
    private let now: @Sendable () -> Int64
    /// The size after this object's last write, and SQLite's `data_version` then, which other connections' writes change.
    /// Counting reads a whole index, which takes longer than to write a batch.
    private let counted = Mutex<(version: Int64, size: Size)?>(nil)

    /// Opens a cache file; creates it when it is missing.
    ///
    /// - Parameters:
    ///   - path: Path of the file; by convention the notes database's path plus `.cache`.
    ///   - maxBytes: The maximum size in bytes, each vector counted with ``overhead``. 512 MiB holds 160,000 vectors of
    ///     768 numbers.
    /// - Throws: ``StorageError`` when the file cannot be opened, is damaged, or is not an embedding cache.
    package convenience init(path: String, maxBytes: Int = 512 << 20) throws(StorageError) {
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
    package func vectors(for keys: [[UInt8]]) async throws -> [[UInt8]: [Float]] {
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
    @discardableResult package func store(
        _ vectors: [[UInt8]: [Float]], used: Set<[UInt8]> = []
    ) async throws -> (size: Size, evicted: Int) {
        let (now, maxBytes) = (now(), maxBytes)
        return try await file.translatingErrors {
            try await pool.writeWithoutTransaction { [self] database in
                let known = counted.withLock { known in
                    defer { known = nil }
                    return known
                }
                var outcome = (size: Size(entries: 0, bytes: 0), evicted: 0)
                var version: Int64 = 0
                try database.inTransaction(.immediate) {
                    version = try Scalar.integer(database, sql: "PRAGMA data_version") ?? 0
                    outcome.size =
                        if let known, known.version == version { known.size } else { try Self.size(database) }
                    try Self.touch(used, at: now, database)
                    try Self.insert(vectors, at: now, database, &outcome.size)
                    if outcome.size.bytes > maxBytes {
                        let before = outcome.size.entries
                        // Uses in the future come from a clock that was set back since; they would outlive all new vectors.
                        try database.execute(
                            sql: "UPDATE embedding SET used = ?1 WHERE used > ?1 + \(Self.useGranularity)",
                            arguments: [now])
                        try Self.evict(database, bytes: outcome.size.bytes - maxBytes / 10 * 9)
                        outcome.size = try Self.size(database)
                        outcome.evicted = before - outcome.size.entries
                    }
                    return .commit
                }
                counted.withLock { $0 = (version, outcome.size) }
                return outcome
            }
        }
    }

    /// Returns the number of vectors in the file and their bytes.
    ///
    /// - Throws: ``StorageError``.
    package func size() async throws -> Size {
        try await file.translatingErrors { try await pool.read(Self.size) }
    }

    /// Closes the file; later calls fail.
    package func close() throws(StorageError) { try file.close() }

    // MARK: Inside

    private static func touch(_ used: Set<[UInt8]>, at now: Int64, _ database: Database) throws {
        let touching = try RowStatement(
            database, "UPDATE embedding SET used = ?1 WHERE key = ?2 AND used < ?1 - \(useGranularity)")
        for key in used {
            try touching.bind(now, at: 1)
            try touching.bind(key, at: 2)
            try touching.run()
        }
    }

    /// Inserts or replaces vectors, and counts what they add to the size.
    private static func insert(
        _ vectors: [[UInt8]: [Float]], at now: Int64, _ database: Database, _ size: inout Size
    ) throws {
        let finding = try RowStatement(database, "SELECT bytes FROM embedding WHERE key = ?")
        let insertion = try RowStatement(
            database,
            """
            INSERT INTO embedding (key, vector, used, bytes) VALUES (?, ?, ?, ?)
            ON CONFLICT (key) DO UPDATE SET vector = excluded.vector, used = excluded.used, bytes = excluded.bytes
            """)
        for (key, vector) in vectors {
            try finding.bind(key, at: 1)
            if let old = try finding.integer() {
                size.entries -= 1
                size.bytes = size.bytes.subtractingReportingOverflow(Int(clamping: old)).partialValue
            }
            let blob = VectorBlob.encode(vector)
            let bytes = blob.count + overhead
            try insertion.bind(key, at: 1)
            try insertion.bind(blob, at: 2)
            try insertion.bind(now, at: 3)
            try insertion.bind(Int64(bytes), at: 4)
            try insertion.run()
            size.entries += 1
            size.bytes = size.bytes.addingReportingOverflow(bytes).partialValue
        }
    }

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
