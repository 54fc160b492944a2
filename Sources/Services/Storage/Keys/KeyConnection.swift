import GRDB

/// The connection that reads keys and their usage.
///
/// Scans of notes occupy the readers of the pool for as long as they take. Authentication has this connection to itself, so
/// it never waits behind them. Reads only; each read sees what was committed before it began.
final class KeyConnection: Sendable {
    private let queue: DatabaseQueue

    /// Opens the connection to a database that exists and is in WAL mode.
    init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(1)
        configuration.label = "selene-keys"
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
    /// Reads keys in one snapshot, on the connection of their own.
    func readKeys<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await keyConnection.read(body)
        } catch let error as DatabaseError {
            throw StorageError(error, path: path)
        }
    }
}
