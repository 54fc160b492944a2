import GRDB
import Machine

/// An SQLite file of our own beside the notes, whose loss costs no notes: a cache, a log.
struct SideFile: Sendable {
    /// What kind of file it is.
    struct Kind: Sendable {
        /// Its name in errors, such as `embedding cache`.
        var name: String
        /// The name of its connections in logs.
        var label: String
        /// The `application_id` that tells it from other files.
        var applicationID: Int64
        /// The version of its tables.
        var version: Int64 = 1
        /// Creates the tables in an empty file.
        var schema: String
    }

    let path: String
    let pool: DatabasePool
    private let kind: Kind

    /// Opens a file; creates it when it is missing.
    ///
    /// - Throws: ``StorageError`` when the file cannot be opened, is damaged, has another version, or is of another kind;
    ///   it is not changed then.
    init(_ kind: Kind, path: String) throws(StorageError) {
        (self.kind, self.path) = (kind, path)
        PrivateFile.create(path)
        do {
            pool = try DatabasePool(path: path, configuration: Self.configuration(kind.label))
            try pool.write { try Self.prepare($0, kind) }
        } catch let error as StorageError {
            throw error
        } catch let error as DatabaseError {
            throw StorageError(error, path: path)
        } catch {
            throw StorageError(.cannotOpen, "cannot open the \(kind.name) \(path): \(error)")
        }
    }

    /// Closes the file; later calls fail.
    func close() throws(StorageError) {
        do {
            try pool.close()
        } catch {
            throw StorageError(.busy, "the \(kind.name) \(path) is still in use: \(error)")
        }
    }

    /// Runs work on the file; errors of SQLite become ``StorageError``.
    func translatingErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as DatabaseError {
            throw StorageError(error, path: path)
        }
    }

    private static func configuration(_ label: String) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 2
        configuration.label = label
        configuration.prepareDatabase { database in
            // A power cut may lose the last batches but does not damage the file.
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
        }
        return configuration
    }

    /// Creates the tables in an empty file; rejects any other file without changing it.
    private static func prepare(_ database: Database, _ kind: Kind) throws {
        let id = try Scalar.integer(database, sql: "PRAGMA application_id") ?? 0
        if id == kind.applicationID {
            let found = try Scalar.integer(database, sql: "PRAGMA user_version") ?? 0
            guard found == kind.version else {
                throw StorageError(
                    .invalid,
                    "the \(kind.name) has version \(found), expected \(kind.version); delete the file to start empty")
            }
            return
        }
        let tables = try Scalar.count(database, sql: "SELECT COUNT(*) FROM sqlite_master") ?? 0
        guard id == 0, tables == 0 else {
            throw StorageError(.invalid, "the file is an SQLite database, but no \(kind.name)")
        }
        try database.execute(
            sql: kind.schema
                + "PRAGMA application_id = \(kind.applicationID); PRAGMA user_version = \(kind.version);")
    }
}
