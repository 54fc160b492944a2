import GatewayAPI

/// A connection of either engine while it is lent: statements run one after another, each with parameters `$1`, `$2` and so on.
///
/// Statements use what both engines have: `RETURNING`, `ON CONFLICT`, `WITH RECURSIVE`. Times and random values are parameters.
/// What is left of differences is in ``SQLDialect``.
package protocol SQLSession {
    var dialect: SQLDialect { get }

    /// Runs a statement.
    ///
    /// - Returns: The number of rows that it changed.
    /// - Throws: ``StorageError``, or a server's own error, which is a ``TransientError`` while the server is away.
    @discardableResult
    func run(_ sql: String, _ values: [SQLValue]) throws -> Int

    /// Runs a statement and returns its rows.
    ///
    /// - Throws: Like ``run(_:_:)``.
    func rows(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow]

    /// Runs a statement and passes its rows one by one. Those of a file are not all in memory at once.
    ///
    /// - Throws: Like ``run(_:_:)``, and the errors of the body.
    func each(_ sql: String, _ values: [SQLValue], _ body: (SQLRow) throws -> Void) throws

    /// The clock of the store, the same for all processes on it.
    func clock() throws -> StoreClock

    /// Waits until no other transaction has the lock of this name; keeps it until the end of the transaction. A file has one
    /// writer anyway.
    func lock(_ name: String) throws

    /// The notes and threads of the store.
    func noteTables() throws -> any NoteTables
}

extension SQLSession {
    @discardableResult
    package func run(_ sql: String) throws -> Int { try run(sql, []) }

    package func rows(_ sql: String) throws -> [SQLRow] { try rows(sql, []) }

    package func each(_ sql: String, _ values: [SQLValue], _ body: (SQLRow) throws -> Void) throws {
        for row in try rows(sql, values) { try body(row) }
    }

    /// The first row of an answer.
    package func first(_ sql: String, _ values: [SQLValue] = []) throws -> SQLRow? { try rows(sql, values).first }
}

/// A database in either engine.
///
/// A body runs on a thread that may wait, not in the pool of Swift's tasks. It may run again after a failure of the connection
/// or a conflict with another transaction, so it only uses its session.
package protocol SQLStore: Sendable {
    var dialect: SQLDialect { get }

    /// Reads in one snapshot.
    func snapshot<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value

    /// Reads little in one snapshot, without waiting for long reads: a file has a connection for this alone, since every request
    /// needs the keys.
    func quickSnapshot<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value

    /// Runs a transaction; returns when it would survive a power cut.
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value

    /// Runs a transaction of data that can be made again. A power cut may lose the last such ones of a file.
    func relaxedTransaction<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value

    /// A text that changes with every commit, of this process or another. It means nothing to other processes.
    func commitMark() async throws -> String

    /// Runs one statement that only reads.
    func rows(_ sql: String, _ values: [SQLValue]) async throws -> [SQLRow]
}

extension SQLStore {
    package func quickSnapshot<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await snapshot(body)
    }

    package func rows(_ sql: String, _ values: [SQLValue]) async throws -> [SQLRow] {
        try await snapshot { try $0.rows(sql, values) }
    }

    /// Runs one statement in a transaction of its own. Returns the number of rows that it changed.
    @discardableResult
    package func run(_ sql: String, _ values: [SQLValue] = []) async throws -> Int {
        try await transaction { try $0.run(sql, values) }
    }
}

/// What the clock of a store says.
package struct StoreClock: Sendable, Hashable {
    /// The time in milliseconds since 1970.
    package var now: Int64
    /// Since when the clock runs without a break, in milliseconds since 1970: before, nobody could renew a lease.
    package var steadySince: Int64

    package init(now: Int64, steadySince: Int64) { (self.now, self.steadySince) = (now, steadySince) }

    /// The time as the text of a row, `YYYY-MM-DD HH:MM:SS` in UTC.
    package var text: String { Timestamp.text(now / 1000) }
}
