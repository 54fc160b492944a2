import GRDB

/// The read-only connection for keys and their usage.
///
/// Long scans of notes can occupy all readers of the pool. Authentication uses this separate connection, so it never
/// waits for them. Each read sees all commits made before it began.
final class KeyConnection: Sendable {
    private let queue: DatabaseQueue

    /// Opens a connection to an existing database in WAL mode.
    init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(1)
        configuration.label = "selene-keys"
        configuration.prepareDatabase(StatementTrace.preparation())
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Reads in one snapshot.
    ///
    /// - Throws: `DatabaseError` with `SQLITE_MISUSE` after ``close()``.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await queue.unsafeRead { database in
            // A read of a closed `DatabaseQueue` passes a null pointer to SQLite and ends the process.
            guard unsafe database.sqliteConnection != nil else {
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "Connection is closed")
            }
            var value: Value?
            try database.inTransaction(.deferred) {
                value = try body(database)
                return .commit
            }
            guard let value else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
            return value
        }
    }

    /// Closes the connection; later reads fail.
    func close() throws { try queue.close() }
}

extension GatewayDatabase {
    /// Reads in one snapshot, on the connection for keys.
    func readKeys<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await keyConnection.read(body)
        } catch let error as DatabaseError {
            throw StorageError(error, path: path)
        }
    }
}
