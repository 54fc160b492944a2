import Foundation
import GRDB

/// Vectors that models gave before, in an SQLite file of their own: losing it costs time, nothing else.
///
/// Holds vectors under 32-byte keys up to a number of bytes; those that were not used for longest go first. Several
/// processes may have it open. Every method may be called from any task.
public final class EmbeddingCacheFile: Sendable {
    /// What the file holds.
    public struct Size: Sendable, Hashable {
        /// Vectors.
        public var entries: Int
        /// Bytes that they count for.
        public var bytes: Int
    }

    /// Bytes that a vector counts for beside its numbers: key, row and both indexes.
    public static let overhead = 160
    /// A use is noted only when the last one is older, in seconds, so that most reads write nothing.
    static let useGranularity: Int64 = 60
    /// Marks a file as ours: "SeEC".
    private static let applicationID: Int64 = 0x5365_4543
    private static let version: Int64 = 1

    /// The file.
    public let path: String
    /// Bytes of vectors that it holds at most.
    public let maxBytes: Int
    private let pool: DatabasePool
    private let now: @Sendable () -> Int64

    /// Opens a file, making it when it is missing.
    ///
    /// - Parameters:
    ///   - path: Where it is; beside the notes database by custom, with `.cache` at its end.
    ///   - maxBytes: Bytes of vectors that it holds at most, each counted with ``overhead``; 512 MiB is room for 160,000
    ///     vectors of 768 numbers.
    /// - Throws: ``StorageError``: it cannot be opened, is damaged, or is a database of something else.
    public convenience init(path: String, maxBytes: Int = 512 << 20) throws(StorageError) {
        try self.init(path: path, maxBytes: maxBytes) { Int64(Date().timeIntervalSince1970) }
    }

    /// Opens a file with a clock of one's own, in seconds.
    init(path: String, maxBytes: Int, now: @escaping @Sendable () -> Int64) throws(StorageError) {
        self.path = path
        self.maxBytes = max(0, maxBytes)
        self.now = now
        PrivateFile.create(path)
        do {
            pool = try DatabasePool(path: path, configuration: Self.configuration)
            try pool.write(Self.prepare)
        } catch let error as StorageError {
            throw error
        } catch let error as DatabaseError {
            throw StorageError(error, path: path)
        } catch {
            throw StorageError(.cannotOpen, "cannot open the embedding cache \(path): \(error)")
        }
    }

    /// The vectors that are there.
    ///
    /// - Throws: ``StorageError``, `CancellationError`.
    public func vectors(for keys: [[UInt8]]) async throws -> [[UInt8]: [Float]] {
        try await translatingErrors {
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

    /// Keeps vectors, notes which others were used, and evicts what is too much, in one transaction.
    ///
    /// Evicts a tenth more than it must, so that this happens rarely.
    /// - Returns: What the file holds now, and how many vectors were evicted.
    /// - Throws: ``StorageError``; nothing was changed then.
    @discardableResult public func store(
        _ vectors: [[UInt8]: [Float]], used: Set<[UInt8]> = []
    ) async throws -> (size: Size, evicted: Int) {
        let (now, maxBytes) = (now(), maxBytes)
        return try await translatingErrors {
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
                    // Uses that lie ahead are of a clock that was set back since; they would outlive all that is new.
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

    /// What the file holds.
    ///
    /// - Throws: ``StorageError``.
    public func size() async throws -> Size {
        try await translatingErrors { try await pool.read(Self.size) }
    }

    /// Closes the file; later calls fail.
    public func close() throws(StorageError) {
        do {
            try pool.close()
        } catch {
            throw StorageError(.busy, "the embedding cache \(path) is still in use: \(error)")
        }
    }

    // MARK: Inside

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 2
        configuration.label = "selene-cache"
        configuration.prepareDatabase { database in
            // After a power cut the last batches may be missing; the file stays whole.
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
        }
        return configuration
    }

    /// Makes the table in an empty file, and leaves any other file alone.
    private static func prepare(_ database: Database) throws {
        let id = try Scalar.integer(database, sql: "PRAGMA application_id") ?? 0
        if id == applicationID {
            let found = try Scalar.integer(database, sql: "PRAGMA user_version") ?? 0
            guard found == version else {
                throw StorageError(
                    .invalid, "the embedding cache is of version \(found), not \(version); delete it to start anew")
            }
            return
        }
        let tables = try Scalar.count(database, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
        guard id == 0, tables == 0 else {
            throw StorageError(.invalid, "the file is a database, but not an embedding cache")
        }
        try database.execute(
            sql: """
                CREATE TABLE embedding (
                    id INTEGER PRIMARY KEY,
                    key BLOB NOT NULL UNIQUE,
                    used INTEGER NOT NULL,
                    bytes INTEGER NOT NULL,
                    vector BLOB NOT NULL
                );
                CREATE INDEX embedding_use ON embedding (used, bytes);
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(version);
                """)
    }

    /// Read from the index alone: the vectors are not touched.
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

    private func translatingErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as DatabaseError {
            throw StorageError(error, path: path)
        }
    }
}
