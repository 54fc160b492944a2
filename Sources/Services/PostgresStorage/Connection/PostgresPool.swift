import Foundation
import Synchronization

/// Connections to one server, lent to one task at a time.
///
/// When connecting fails, callers get the error at once until a pause has passed, which grows with each failure. So a
/// server that is away delays nobody and gets no storm of connections when it returns.
package final class PostgresPool: Sendable {
    /// The limits of a pool.
    package struct Options: Sendable, Hashable {
        /// The maximum number of connections.
        package var size = 8
        /// The maximum number of callers that wait for a connection.
        package var maxWaiting = 256
        /// How long a caller waits for a connection.
        package var waitTimeout = Duration.seconds(5)
        /// How long connecting may take.
        package var connectTime = Duration.seconds(5)
        /// How long a statement may take.
        package var statementTime = Duration.seconds(30)
        /// The pauses after failed attempts to connect: the first, which doubles, and the longest.
        package var pauses = Duration.milliseconds(50)...Duration.seconds(5)

        package init() {}
    }

    /// The use of a pool.
    package struct Statistics: Sendable, Hashable {
        /// Open connections, those being opened included.
        package var open: Int
        package var idle: Int
        package var waiting: Int
        /// The last failure to connect; nil after a success.
        package var failure: PostgresError?
    }

    private struct State {
        var idle: [PostgresConnection] = []
        var open = 0
        var waiters: [(number: UInt64, continuation: CheckedContinuation<PostgresConnection?, any Error>)] = []
        var next: UInt64 = 0
        var failures = 0
        var failure: PostgresError?
        var notBefore = ContinuousClock.now
        var isClosed = false
    }

    /// The address of the server.
    package let address: PostgresAddress
    private let options: Options
    private let state = Mutex(State())

    /// Creates a pool; connects on first use.
    package init(_ address: PostgresAddress, options: Options = Options()) {
        self.address = address
        self.options = options
    }

    /// The use of the pool now.
    package var statistics: Statistics {
        state.withLock {
            Statistics(open: $0.open, idle: $0.idle.count, waiting: $0.waiters.count, failure: $0.failure)
        }
    }

    /// Closes the idle connections, and the others when they are given back. Later calls fail.
    package func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            state.open -= state.idle.count
            state.idle = []
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(throwing: Self.closed) }
    }

    private static let closed = PostgresError(.lost, "the pool of connections to PostgreSQL is closed")

    // MARK: Use

    /// Runs statements that only read. A broken connection is replaced, and the body runs once more.
    ///
    /// - Throws: ``PostgresError``, `CancellationError`.
    @discardableResult
    package func read<Value: Sendable>(_ body: (PostgresConnection) async throws -> Value) async throws -> Value {
        do {
            return try await lend(body)
        } catch let error as PostgresError where error.code == .lost {
            return try await lend(body)
        }
    }

    /// Runs a transaction.
    ///
    /// After a serialization failure or a broken connection the body runs again. When the connection breaks during the
    /// commit, the server is asked whether the transaction was committed. So its changes are made once.
    ///
    /// - Throws: ``PostgresError``; nothing was changed then, unless the code is `unknownOutcome`. `CancellationError`.
    @discardableResult
    package func write<Value: Sendable>(_ body: (PostgresConnection) async throws -> Value) async throws -> Value {
        var attempt = 0
        while true {
            var (transaction, result) = (String?.none, Value?.none)
            do {
                return try await lend { connection in
                    let begun = try await connection.script("BEGIN; SELECT pg_current_xact_id()")
                    let value: Value
                    do {
                        value = try await body(connection)
                    } catch {
                        _ = await Self.inPeace { try await connection.script("ROLLBACK") }
                        throw error
                    }
                    (transaction, result) = (begun.text(0, 0), value)
                    // A cancelled commit would leave open whether it took place.
                    if let error = await Self.inPeace({ try await connection.script("COMMIT") }) { throw error }
                    return value
                }
            } catch let error as PostgresError {
                if let transaction, let result, error.code == .lost || error.code == .timeout {
                    if try await wasCommitted(transaction) { return result }
                } else {
                    guard error.code == .serialization || error.code == .lost else { throw error }
                }
                attempt += 1
                guard attempt < Self.attempts else { throw error }
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...10) << attempt))
            }
        }
    }

    /// The maximum number of attempts of a transaction.
    static let attempts = 6
    /// How long to wait for a server that can say what became of a transaction.
    static let outcomeTime = Duration.seconds(15)

    /// Runs a statement whether or not this task is cancelled. Returns its error.
    private static func inPeace(_ body: @escaping @Sendable () async throws -> PostgresRows) async -> (any Error)? {
        await Task {
            do {
                _ = try await body()
                return nil
            } catch { return error }
        }.value
    }

    /// Whether a transaction whose commit was interrupted took place.
    private func wasCommitted(_ transaction: String) async throws -> Bool {
        let end = ContinuousClock.now + Self.outcomeTime
        while ContinuousClock.now < end {
            do {
                let rows = try await lend {
                    try await $0.run("SELECT pg_xact_status($1::text::xid8)", [.text(transaction)])
                }
                switch rows.text(0, 0) {
                case "committed": return true
                case "aborted": return false
                default: break
                }
            } catch let error as PostgresError where error.state == "22023" {
                // The server that took over has not seen the transaction.
                return false
            } catch let error as PostgresError where error.isOutage {}
            try await Task.sleep(for: .milliseconds(100))
        }
        throw PostgresError(
            .unknownOutcome,
            "the connection to PostgreSQL at \(address) broke during a commit, whose outcome is unknown")
    }

    // MARK: Lending

    /// Lends a connection outside a transaction, once.
    @discardableResult
    package func lend<Value: Sendable>(_ body: (PostgresConnection) async throws -> Value) async throws -> Value {
        let connection = try await take()
        do {
            let value = try await body(connection)
            await giveBack(connection)
            return value
        } catch {
            await giveBack(connection)
            throw error
        }
    }

    private enum Step {
        case use(PostgresConnection), open, wait(UInt64), fail(PostgresError)
    }

    private func take() async throws -> PostgresConnection {
        let end = ContinuousClock.now + options.waitTimeout
        while true {
            try Task.checkCancellation()
            switch state.withLock({ next(&$0) }) {
            case .use(let connection):
                if await connection.isUsable { return connection }
                forget()
            case .open: return try await open()
            case .wait(let number):
                if let connection = try await wait(number, until: end) { return connection }
            case .fail(let error): throw error
            }
        }
    }

    private func next(_ state: inout State) -> Step {
        guard !state.isClosed else { return .fail(Self.closed) }
        if let connection = state.idle.popLast() { return .use(connection) }
        guard state.open < options.size else {
            guard state.waiters.count < options.maxWaiting else {
                return .fail(PostgresError(.busy, "too many callers wait for a connection to PostgreSQL"))
            }
            state.next += 1
            return .wait(state.next)
        }
        if let failure = state.failure, ContinuousClock.now < state.notBefore { return .fail(failure) }
        state.open += 1
        return .open
    }

    private func open() async throws -> PostgresConnection {
        do {
            let connection = try await PostgresConnection.open(
                address, within: options.connectTime, timeout: options.statementTime)
            state.withLock { state in
                state.failures = 0
                state.failure = nil
            }
            return connection
        } catch {
            let waiters = state.withLock { state in
                state.open -= 1
                guard let error = error as? PostgresError else {
                    return state.waiters.isEmpty ? [] : [state.waiters.removeFirst()]
                }
                let pause = min(options.pauses.upperBound, options.pauses.lowerBound * (1 << min(state.failures, 16)))
                state.failures += 1
                state.failure = error
                // Spread, so that several gateways do not come at once.
                state.notBefore = .now + pause * Double.random(in: 0.75...1.25)
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters {
                if let error = error as? PostgresError {
                    waiter.continuation.resume(throwing: error)
                } else {
                    waiter.continuation.resume(returning: nil)
                }
            }
            throw error
        }
    }

    /// Waits for a connection; nil when the caller must look again.
    private func wait(_ number: UInt64, until end: ContinuousClock.Instant) async throws -> PostgresConnection? {
        let timer = Task {
            try await Task.sleep(until: end, clock: .continuous)
            dismiss(number, PostgresError(.busy, "all \(options.size) connections to PostgreSQL are in use"))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isUseful = state.withLock { state in
                    // A connection may have been given back meanwhile.
                    guard state.idle.isEmpty, state.open >= options.size, !state.isClosed else { return false }
                    state.waiters.append((number, continuation))
                    return true
                }
                if !isUseful { return continuation.resume(returning: nil) }
                if Task.isCancelled { dismiss(number, CancellationError()) }
            }
        } onCancel: {
            dismiss(number, CancellationError())
        }
    }

    private func dismiss(_ number: UInt64, _ error: any Error) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(throwing: error)
    }

    private func giveBack(_ connection: PostgresConnection) async {
        guard await connection.isUsable, await connection.isIdle else { return forget() }
        let waiter = state.withLock { state -> CheckedContinuation<PostgresConnection?, any Error>? in
            if state.isClosed {
                state.open -= 1
                return nil
            }
            guard state.waiters.isEmpty else { return state.waiters.removeFirst().continuation }
            state.idle.append(connection)
            return nil
        }
        waiter?.resume(returning: connection)
    }

    /// Counts a connection as closed, and lets a waiting caller open another one.
    private func forget() {
        let waiter = state.withLock { state in
            state.open -= 1
            return state.waiters.isEmpty ? nil : state.waiters.removeFirst().continuation
        }
        waiter?.resume(returning: nil)
    }
}
