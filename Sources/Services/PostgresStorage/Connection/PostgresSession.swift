package import Database
import Dispatch
import Foundation
import Synchronization

/// A connection as the rooms see it: each statement waits on the session's own thread for the connection's answer.
struct PostgresSession: SQLSession {
    let connection: PostgresConnection
    fileprivate let statement: RunningStatement

    var dialect: SQLDialect { .postgres }

    @discardableResult
    func run(_ sql: String, _ values: [SQLValue]) throws -> Int { try exchange(sql, values).changed }

    func rows(_ sql: String, _ values: [SQLValue]) throws -> [SQLRow] { try exchange(sql, values).all }

    func clock() throws -> StoreClock {
        let row = try first(
            """
            SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
                (extract(epoch FROM pg_postmaster_start_time()) * 1000)::bigint
            """)
        guard let now = row?.integer(0), let start = row?.integer(1) else {
            throw PostgresError(.failed, "the server's clock cannot be read")
        }
        return StoreClock(now: now, steadySince: start)
    }

    func lock(_ name: String) throws {
        try run(
            "SELECT pg_advisory_xact_lock(hashtextextended($1, $2))", [.text(name), .integer(PostgresSchema.lock)])
    }

    func noteTables() throws -> any NoteTables { PostgresNoteTables(session: self) }

    private func exchange(_ sql: String, _ values: [SQLValue]) throws -> PostgresRows {
        let (connection, values) = (connection, values.map { PostgresValue($0) })
        return try statement.wait { try await connection.run(sql, values) }
    }
}

/// The statement that a session waits for, which the end of the caller's task cancels.
fileprivate final class RunningStatement: Sendable {
    private let state = Mutex<(task: Task<Void, Never>?, isCancelled: Bool)>((nil, false))

    /// Runs a task and waits for its outcome, without a place in the pool of tasks.
    func wait<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
        let (outcome, done) = (Outcome<Value>(), DispatchSemaphore(value: 0))
        let task = Task {
            do { outcome.set(.success(try await work())) } catch { outcome.set(.failure(error)) }
            done.signal()
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
        done.wait()
        return try outcome.get()
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}

private final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    func set(_ new: Result<Value, any Error>) { result.withLock { $0 = new } }

    func get() throws -> Value {
        guard let result = result.withLock({ $0 }) else { throw PostgresError(.failed, "a statement did not run") }
        return try result.get()
    }
}

extension PostgresConnection {
    /// Runs a body on a thread of its own. There are as many such threads as lent connections.
    nonisolated func onThread<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        let statement = RunningStatement()
        let session = PostgresSession(connection: self, statement: statement)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result { try body(session) }) }
            }
        } onCancel: {
            statement.cancel()
        }
    }
}

extension PostgresStore: SQLStore {
    package var dialect: SQLDialect { .postgres }

    package func snapshot<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await read { connection in
            try await connection.onThread { session in
                // Statements of one transaction see one state.
                try session.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                do {
                    let value = try body(session)
                    try session.run("COMMIT")
                    return value
                } catch {
                    // The pool closes a connection whose transaction is still open.
                    _ = try? session.run("ROLLBACK")
                    throw error
                }
            }
        }
    }

    package func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await write { try await $0.onThread(body) }
    }

    package func relaxedTransaction<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await transaction(body)
    }

    /// Transactions that the server runs and has run: as long as these are the same, all that can be read is the same.
    package func commitMark() async throws -> String {
        try await rows("SELECT pg_current_snapshot()::text", [SQLValue]()).first?.text(0) ?? ""
    }

    /// One statement sees one state anyway.
    package func rows(_ sql: String, _ values: [SQLValue]) async throws -> [SQLRow] {
        try await rows(sql, values.map { PostgresValue($0) }).all
    }
}
