import Dispatch
import Foundation
import GRDB
import Synchronization

/// Commits writes that survive a power cut (`PRAGMA synchronous = FULL`). Concurrent writes share one transaction, so
/// one fsync serves them all.
///
/// Each write has a savepoint: a failed write is rolled back alone and throws its own error. When SQLite rolls back the
/// whole transaction, the writes of the batch run again one by one. A write must therefore only touch the database.
final class DurableWriter: Sendable {
    /// The maximum number of writes in one transaction.
    static let maxBatch = 256
    /// How long a transaction accepts writes; other processes wait as long for the lock.
    static let maxTime = Duration.milliseconds(50)
    /// The delay between two batches, in which other processes can get the lock.
    private static let gap = DispatchTimeInterval.milliseconds(1)

    private struct Write: Sendable {
        var id: UInt64
        /// Runs within the transaction and stores the value.
        var run: @Sendable (Database) throws -> Void
        /// Delivers the value or the error.
        var finish: @Sendable ((any Error)?) -> Void
    }

    private struct State {
        var waiting: [Write] = []
        var lastID: UInt64 = 0
        /// Whether a batch is scheduled or running.
        var isScheduled = false
    }

    /// Holds the value of a write between its run and the commit.
    private final class Box<Value: Sendable>: Sendable {
        private let value = Mutex<Value?>(nil)
        func set(_ new: Value) { value.withLock { $0 = new } }
        func take() -> Value? { value.withLock { $0.take() } }
    }

    private let pool: DatabasePool
    private let state = Mutex(State())

    private let onRollback: @Sendable () -> Void

    /// - Parameter onRollback: Called after a rollback of a transaction in which writes had succeeded.
    init(_ pool: DatabasePool, onRollback: @escaping @Sendable () -> Void = {}) {
        self.pool = pool
        self.onRollback = onRollback
    }

    /// The number of writes that have not begun.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Runs a write; returns when it is on disk.
    ///
    /// - Throws: What `body` throws, `DatabaseError`, and `CancellationError` when the task is cancelled before the
    ///   write begins. A write that has begun runs to its end and returns its outcome.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        // Once the write is enqueued, the writer's thread may begin it before a cancellation removes it.
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                let box = Box<Value>()
                enqueue(
                    Write(
                        id: id, run: { box.set(try body($0)) },
                        finish: { error in
                            if let error {
                                continuation.resume(throwing: error)
                            } else if let value = box.take() {
                                continuation.resume(returning: value)
                            } else {
                                continuation.resume(throwing: StorageError(.failed, "a write did not run"))
                            }
                        }))
                // A cancellation before the write was enqueued found nothing to remove.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: UInt64) {
        let write = state.withLock { state -> Write? in
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiting.remove(at: index)
        }
        write?.finish(CancellationError())
    }

    private func enqueue(_ write: Write) {
        let mustSchedule = state.withLock { state in
            state.waiting.append(write)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { schedule() }
    }

    /// Queues a batch behind the other writers of this process, one batch at a time.
    private func schedule() {
        pool.asyncWriteWithoutTransaction { [self] database in
            runBatch(database)
            let hasMore = state.withLock { state in
                state.isScheduled = !state.waiting.isEmpty
                return state.isScheduled
            }
            if hasMore {
                DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + Self.gap) { [self] in schedule()
                }
            }
        }
    }

    private func take(_ count: Int) -> [Write] {
        state.withLock { state in
            let taken = Array(state.waiting.prefix(count))
            state.waiting.removeFirst(taken.count)
            return taken
        }
    }

    // MARK: On the writer's queue

    private func runBatch(_ database: Database) {
        var due = take(Self.maxBatch)
        guard !due.isEmpty else { return }
        do {
            try database.execute(sql: "PRAGMA synchronous = FULL")
        } catch {
            return finish(due, error)
        }
        defer { try? database.execute(sql: "PRAGMA synchronous = NORMAL") }
        do {
            try database.beginTransaction(.immediate)
        } catch {
            return finish(due, error)
        }
        let started = ContinuousClock.now
        var done: [(write: Write, error: (any Error)?)] = []
        var isWhole = true
        while isWhole, !due.isEmpty {
            let write = due.removeFirst()
            done.append((write, run(write, in: database)))
            // An error such as a full disk ends the transaction for all writes.
            isWhole = database.isInsideTransaction
            if due.isEmpty, done.count < Self.maxBatch, ContinuousClock.now - started < Self.maxTime {
                due = take(Self.maxBatch - done.count)
            }
        }
        let failure = isWhole ? commit(database) : done.last?.error
        guard let failure else {
            for (write, error) in done { write.finish(error) }
            return finishAlone(due, database)
        }
        onRollback()
        if done.count == 1, due.isEmpty { return finish(done.map(\.write), failure) }
        finishAlone(done.map(\.write) + due, database)
    }

    private func run(_ write: Write, in database: Database) -> (any Error)? {
        do {
            try database.inSavepoint {
                try write.run(database)
                return .commit
            }
            return nil
        } catch {
            return error
        }
    }

    private func commit(_ database: Database) -> (any Error)? {
        do {
            try database.commit()
            return nil
        } catch {
            if database.isInsideTransaction { try? database.rollback() }
            return error
        }
    }

    private func finish(_ writes: [Write], _ error: any Error) { for write in writes { write.finish(error) } }

    /// Runs each write in its own transaction.
    private func finishAlone(_ writes: [Write], _ database: Database) {
        for write in writes {
            do {
                try database.inTransaction(.immediate) {
                    try write.run(database)
                    return .commit
                }
                write.finish(nil)
            } catch {
                write.finish(error)
            }
        }
    }
}
