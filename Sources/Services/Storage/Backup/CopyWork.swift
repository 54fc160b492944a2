import Dispatch
import GRDB
import Machine
import Synchronization

/// The progress of a copy of a database.
package struct CopyProgress: Sendable, Hashable {
    /// Bytes copied.
    package var done: Int
    /// Bytes of the database.
    package var total: Int
}

/// Runs blocking work on SQLite files on a thread outside the cooperative pool. A cancelled task stops the work at the
/// next step of a copy, or within the running statement.
final class CopyWork: Sendable {
    private struct State {
        var isCancelled = false
        var current: DatabaseQueue?
    }

    private let state = Mutex(State())

    /// Runs work on a background thread.
    ///
    /// - Throws: What the work throws; `CancellationError` when the task was cancelled.
    static func run<Value: Sendable>(_ body: @escaping @Sendable (CopyWork) throws -> Value) async throws -> Value {
        let work = CopyWork()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global(qos: .utility).async {
                    let result = Result { try translatingErrors { try body(work) } }
                    continuation.resume(with: work.isCancelled ? .failure(CancellationError()) : result)
                }
            }
        } onCancel: {
            let current = work.state.withLock { state in
                state.isCancelled = true
                return state.current
            }
            current?.interrupt()
        }
    }

    /// Runs work; errors of files become ``StorageError``.
    private static func translatingErrors<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as FileError {
            throw StorageError(error)
        }
    }

    private var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// - Throws: `CancellationError`.
    func check() throws { if isCancelled { throw CancellationError() } }

    /// Opens a file for the closure and closes it afterwards; a cancellation interrupts its statements.
    func with<Value>(
        _ path: String, isReadOnly: Bool, timeout: Double = 10, _ body: (DatabaseQueue) throws -> Value
    ) throws -> Value {
        try check()
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        configuration.busyMode = .timeout(timeout)
        configuration.foreignKeysEnabled = false
        configuration.label = "selene-copy"
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            state.withLock { $0.current = queue }
            defer { state.withLock { $0.current = nil } }
            let value = try body(queue)
            try queue.close()
            return value
        } catch let error as DatabaseError {
            try check()
            throw StorageError(error, path: path)
        }
    }
}
