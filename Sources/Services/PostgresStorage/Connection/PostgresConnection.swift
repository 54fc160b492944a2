import CPostgres
import Foundation

/// One connection to a PostgreSQL server, over libpq's non-blocking calls.
///
/// A connection runs one statement at a time; ``PostgresPool`` lends it to one task. Cancelling that task cancels the
/// statement in the server. After an error of the connection ``isUsable`` is false.
package actor PostgresConnection {
    /// The maximum number of prepared statements; later ones are sent in full.
    static let maxPrepared = 200
    /// The maximum number of statements in flight of ``many(_:_:)``.
    static let pipelined = 256
    /// How long a cancelled statement may take to end.
    static let cancelTime = Duration.seconds(2)

    private let handle: PostgresHandle
    private let address: PostgresAddress
    /// How long a statement may take.
    private let timeout: Duration
    private var names: [String: String] = [:]
    /// The number of names that the server may know: those in ``names``, and those whose preparation was cancelled.
    private var prepares = 0
    private var isRunning = false
    private var isBroken = false
    /// The major version of the server.
    package let version: Int
    /// Whether a connection pooler stands between: it gives the client a process number of its own.
    package private(set) var isPooled = false
    /// When the connection was last given back.
    package private(set) var usedAt = ContinuousClock.now

    private var pointer: OpaquePointer { unsafe handle.connection }
    private var socket: Int32 { unsafe PQsocket(pointer) }

    private init(_ handle: PostgresHandle, _ address: PostgresAddress, timeout: Duration) {
        self.handle = handle
        self.address = address
        self.timeout = timeout
        version = unsafe Int(PQserverVersion(handle.connection)) / 10_000
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - connectTimeout: How long connecting may take.
    ///   - timeout: How long each statement may take.
    /// - Throws: ``PostgresError``, `CancellationError`.
    package static func open(
        _ address: PostgresAddress, within connectTimeout: Duration = .seconds(5), timeout: Duration = .seconds(30)
    ) async throws -> PostgresConnection {
        do {
            return try await open(address, within: connectTimeout, timeout: timeout, asOptions: true)
        } catch let error as PostgresError
            where error.message.contains("unsupported startup parameter") && address.settings([:])["options"] == nil
        {
            // pgbouncer takes no options at the start of a session.
            return try await open(address, within: connectTimeout, timeout: timeout, asOptions: false)
        }
    }

    private static func open(
        _ address: PostgresAddress, within connectTimeout: Duration, timeout: Duration, asOptions: Bool
    ) async throws -> PostgresConnection {
        let handle = try begin(address, timeout: timeout, asOptions: asOptions)
        let deadline = ContinuousClock.now + connectTimeout
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            let events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
            // The socket differs from one address of a host to the next.
            let socket = unsafe PQsocket(handle.connection)
            switch await SocketWatch.shared.wait(socket, for: Int16(events), until: deadline) {
            case .ready: break
            case .timedOut:
                throw PostgresError(.refused, "PostgreSQL at \(address) did not answer within \(connectTimeout)")
            case .cancelled: throw CancellationError()
            }
            state = unsafe PQconnectPoll(handle.connection)
            guard state != PGRES_POLLING_FAILED else { throw refusal(handle.message, address) }
        }
        guard unsafe PQsetnonblocking(handle.connection, 1) == 0 else { throw refusal(handle.message, address) }
        handle.established()
        let connection = PostgresConnection(handle, address, timeout: timeout)
        try await connection.configureBehindPooler()
        return connection
    }

    /// The settings of a session.
    private static func session(_ timeout: Duration) -> [(name: String, value: String)] {
        let milliseconds = Int(timeout / .milliseconds(1))
        return [
            ("statement_timeout", "\(milliseconds)"), ("lock_timeout", "\(milliseconds)"),
            ("idle_in_transaction_session_timeout", "\(2 * milliseconds)"), ("search_path", "selene,public"),
        ]
    }

    /// The number of the server's process.
    package func process() async throws -> Int64? {
        try await run("SELECT pg_backend_pid()::bigint", isPrepared: false).integer(0, 0)
    }

    /// Recognizes a pooler, which may ignore the options of a session, and sets them by statements there.
    private func configureBehindPooler() async throws {
        guard try await process() != Int64(unsafe PQbackendPID(pointer)) else { return }
        isPooled = true
        let settings = Self.session(timeout).map { "SET \($0.name) TO \($0.value)" }.joined(separator: "; ")
        // An earlier client of the pooler may have left statements under our names.
        try await script("DEALLOCATE ALL; \(settings)")
    }

    private static func begin(
        _ address: PostgresAddress, timeout: Duration, asOptions: Bool
    ) throws(PostgresError) -> PostgresHandle {
        var pairs = address.settings(["client_encoding": "UTF8"])
        if asOptions {
            let session = session(timeout).map { "-c \($0.name)=\($0.value)" }.joined(separator: " ")
            pairs["options"] = [pairs["options"], session].compactMap { $0 }.joined(separator: " ")
        }
        let strings = unsafe pairs.map { unsafe (strdup($0.key), strdup($0.value)) }
        defer {
            for unsafe(key, value) in unsafe strings {
                unsafe free(key)
                unsafe free(value)
            }
        }
        let keys = unsafe strings.map { unsafe UnsafePointer($0.0) } + [nil]
        let values = unsafe strings.map { unsafe UnsafePointer($0.1) } + [nil]
        guard let pointer = unsafe PQconnectStartParams(keys, values, 0) else {
            throw PostgresError(.refused, "libpq has no memory for a connection")
        }
        let handle = unsafe PostgresHandle(pointer)
        guard unsafe PQstatus(pointer) != CONNECTION_BAD else { throw refusal(handle.message, address) }
        // Notices would go to standard error.
        unsafe PQsetNoticeProcessor(pointer, { _, _ in }, nil)
        return handle
    }

    private static func refusal(_ text: String, _ address: PostgresAddress) -> PostgresError {
        let message = address.redacted(text)
        // libpq gives no SQLSTATE before a connection is established.
        let refusals = [
            "authentication failed", "no pg_hba.conf entry", "no password supplied", "certificate", "role \"",
        ]
        let isRefusal = refusals.contains { message.contains($0) }
        return PostgresError(isRefusal ? .authentication : .refused, "PostgreSQL at \(address): \(message)")
    }

    // MARK: State

    /// Whether the connection can take a statement, without asking the server.
    package var isUsable: Bool {
        guard !isBroken, !isRunning, unsafe PQstatus(pointer) == CONNECTION_OK else { return false }
        var state = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&state, 1, 0) > 0 else { return true }
        // Data without a question: a notice, or the end of the connection.
        return unsafe PQconsumeInput(pointer) == 1 && PQstatus(pointer) == CONNECTION_OK && hasNoAnswer
    }

    private var hasNoAnswer: Bool { unsafe PQtransactionStatus(pointer) == PQTRANS_IDLE }

    /// Whether no transaction is open.
    package var isIdle: Bool { unsafe !isBroken && PQtransactionStatus(pointer) == PQTRANS_IDLE }

    func markUsed() { usedAt = .now }

    // MARK: Statements

    /// Runs a statement with parameters, prepared on first use.
    ///
    /// - Parameters:
    ///   - isPrepared: false for a statement that is not repeated.
    ///   - timeout: How long it may take; nil for the connection's timeout.
    /// - Throws: ``PostgresError``, `CancellationError`.
    @discardableResult
    package func run(
        _ sql: String, _ values: [PostgresValue] = [], isPrepared: Bool = true, timeout: Duration? = nil
    ) async throws -> PostgresRows {
        try await exchange(timeout) {
            if isPrepared, let name = try await prepared(sql, values) {
                return try unsafe send(values) { unsafe PQsendQueryPrepared(pointer, name, $0, $1, $2, $3, 1) }
            }
            try unsafe send(values) { unsafe PQsendQueryParams(pointer, sql, $0, types(values), $1, $2, $3, 1) }
        } receive: { deadline in
            try await self.result(until: deadline)
        }
    }

    /// Runs statements without parameters, separated by semicolons; returns the rows of the last one, in the text format.
    @discardableResult
    package func script(_ sql: String, timeout: Duration? = nil) async throws -> PostgresRows {
        try await exchange(timeout) {
            guard unsafe PQsendQuery(pointer, sql) == 1 else { throw broken() }
        } receive: { deadline in
            try await self.result(until: deadline)
        }
    }

    /// Runs a statement once for each list of parameters, without waiting between them. Stops at the first error.
    ///
    /// - Returns: The number of changed rows of each.
    @discardableResult
    package func many(_ sql: String, _ rows: [[PostgresValue]], timeout: Duration? = nil) async throws -> [Int] {
        guard let first = rows.first else { return [] }
        return try await exchange(timeout) {
            _ = try await prepared(sql, first)
        } receive: { deadline in
            guard unsafe PQenterPipelineMode(self.pointer) == 1 else { throw self.broken() }
            var changed: [Int] = []
            changed.reserveCapacity(rows.count)
            for start in stride(from: 0, to: rows.count, by: Self.pipelined) {
                let part = rows[start..<min(start + Self.pipelined, rows.count)]
                changed += try await self.pipeline(sql, part, until: deadline)
            }
            guard unsafe PQexitPipelineMode(self.pointer) == 1 else { throw self.broken() }
            return changed
        }
    }

    private func pipeline(
        _ sql: String, _ rows: ArraySlice<[PostgresValue]>, until deadline: ContinuousClock.Instant
    ) async throws -> [Int] {
        for values in rows {
            if let name = names[sql] {
                try unsafe send(values) { unsafe PQsendQueryPrepared(pointer, name, $0, $1, $2, $3, 1) }
            } else {
                try unsafe send(values) { unsafe PQsendQueryParams(pointer, sql, $0, types(values), $1, $2, $3, 1) }
            }
        }
        guard unsafe PQpipelineSync(pointer) == 1 else { throw broken() }
        try await flush(until: deadline)
        var (changed, failure) = ([Int](), PostgresError?.none)
        var isSynced = false
        while !isSynced {
            guard let answer = unsafe try await answer(until: deadline) else { continue }
            switch unsafe PQresultStatus(answer) {
            case PGRES_PIPELINE_SYNC:
                unsafe PQclear(answer)
                isSynced = true
            case PGRES_PIPELINE_ABORTED: unsafe PQclear(answer)
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: unsafe changed.append(PostgresRows(answer).changed)
            default:
                if failure == nil { failure = unsafe error(of: answer) }
                unsafe PQclear(answer)
            }
        }
        if let failure {
            _ = unsafe PQexitPipelineMode(pointer)
            throw failure
        }
        return changed
    }

    /// Waits for a notification of a channel that the connection listens to.
    ///
    /// - Returns: The payload; nil after the time.
    package func notification(within time: Duration) async throws -> String? {
        let deadline = ContinuousClock.now + time
        while true {
            if let notification = unsafe PQnotifies(pointer) {
                defer { unsafe PQfreemem(notification) }
                return unsafe String(cString: notification.pointee.extra)
            }
            switch await SocketWatch.shared.wait(socket, for: Int16(POLLIN), until: deadline) {
            case .ready: guard unsafe PQconsumeInput(pointer) == 1 else { throw broken() }
            case .timedOut: return nil
            case .cancelled: throw CancellationError()
            }
        }
    }

    // MARK: The exchange

    /// Sends, receives, and cleans up after a timeout or a cancellation.
    private func exchange<Value: Sendable>(
        _ timeout: Duration?, send: () async throws -> Void,
        receive: (ContinuousClock.Instant) async throws -> Value
    ) async throws -> Value {
        guard !isBroken else { throw PostgresError(.lost, "the connection to PostgreSQL at \(address) is closed") }
        guard !isRunning else { throw PostgresError(.failed, "a connection takes one statement at a time") }
        try Task.checkCancellation()
        isRunning = true
        defer { isRunning = false }
        // The server's own timeout comes first, so that the connection survives.
        let deadline = ContinuousClock.now + (timeout ?? self.timeout) + .seconds(1)
        do {
            try await send()
            return try await receive(deadline)
        } catch let error as Interruption {
            await abandon()
            switch error {
            case .cancelled: throw CancellationError()
            case .timedOut: throw PostgresError(.timeout, "PostgreSQL at \(address) did not answer in time")
            }
        }
    }

    private enum Interruption: Error { case timedOut, cancelled }

    /// Cancels the running statement and reads the rest of its answers. Closes the connection when that fails.
    private func abandon() async {
        let deadline = ContinuousClock.now + Self.cancelTime
        guard await handle.cancel(within: Self.cancelTime) else {
            isBroken = true
            return
        }
        while true {
            while unsafe PQisBusy(pointer) == 0 {
                guard let result = unsafe PQgetResult(pointer) else {
                    if unsafe PQpipelineStatus(pointer) != PQ_PIPELINE_OFF { isBroken = true }
                    return
                }
                unsafe PQclear(result)
            }
            let outcome = await SocketWatch.shared.wait(
                socket, for: Int16(POLLIN), until: deadline, isCancellable: false)
            guard outcome == .ready, unsafe PQconsumeInput(pointer) == 1 else {
                isBroken = true
                return
            }
        }
    }

    /// Waits for the socket.
    private func wait(_ events: Int32, until deadline: ContinuousClock.Instant) async throws(Interruption) {
        switch await SocketWatch.shared.wait(socket, for: Int16(events), until: deadline) {
        case .ready: return
        case .timedOut: throw .timedOut
        case .cancelled: throw .cancelled
        }
    }

    /// Sends what libpq holds, and reads what arrives meanwhile, so that neither side waits for the other.
    private func flush(until deadline: ContinuousClock.Instant) async throws {
        while true {
            let left = unsafe PQflush(pointer)
            guard left != 0 else { return }
            guard left == 1 else { throw broken() }
            try await wait(POLLIN | POLLOUT, until: deadline)
            guard unsafe PQconsumeInput(pointer) == 1 else { throw broken() }
        }
    }

    /// The next result; nil at the end of a statement's results.
    private func answer(until deadline: ContinuousClock.Instant) async throws -> OpaquePointer? {
        while unsafe PQisBusy(pointer) == 1 {
            try await wait(POLLIN, until: deadline)
            guard unsafe PQconsumeInput(pointer) == 1 else { throw broken() }
        }
        return unsafe PQgetResult(pointer)
    }

    /// The last result of a statement.
    private func result(until deadline: ContinuousClock.Instant) async throws -> PostgresRows {
        try await flush(until: deadline)
        var (rows, failure) = (PostgresRows?.none, PostgresError?.none)
        while let answer = unsafe try await answer(until: deadline) {
            switch unsafe PQresultStatus(answer) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: rows = unsafe PostgresRows(answer)
            default:
                if failure == nil { failure = unsafe error(of: answer) }
                unsafe PQclear(answer)
            }
        }
        if let failure { throw failure }
        guard let rows, unsafe PQstatus(pointer) == CONNECTION_OK else { throw broken() }
        return rows
    }

    private func error(of answer: OpaquePointer) -> PostgresError {
        let state = unsafe PQresultErrorField(answer, Int32(UInt8(ascii: "C"))).map { unsafe String(cString: $0) }
        let primary = unsafe PQresultErrorField(answer, Int32(UInt8(ascii: "M"))).map { unsafe String(cString: $0) }
        guard state != nil, unsafe PQstatus(pointer) == CONNECTION_OK else { return broken() }
        let error = PostgresError(state: state, address.redacted(primary ?? "no message"))
        if error.code == .lost { isBroken = true }
        return error
    }

    /// The error of a broken connection, which is then closed to further statements.
    private func broken() -> PostgresError {
        isBroken = true
        let text = address.redacted(handle.message)
        return PostgresError(
            .lost, "the connection to PostgreSQL at \(address) broke\(text.isEmpty ? "" : ": \(text)")")
    }

    // MARK: Parameters

    /// Prepares a statement unless it is known; nil when there are too many.
    private func prepared(_ sql: String, _ values: [PostgresValue]) async throws -> String? {
        if let name = names[sql] { return name }
        guard prepares < Self.maxPrepared else { return nil }
        let name = "s\(prepares)"
        guard unsafe PQsendPrepare(pointer, name, sql, Int32(values.count), types(values)) == 1 else { throw broken() }
        prepares += 1
        do {
            _ = try await result(until: ContinuousClock.now + timeout)
        } catch let error as PostgresError {
            // The server refused the statement and does not know the name.
            prepares -= 1
            throw error
        }
        names[sql] = name
        return name
    }

    private func types(_ values: [PostgresValue]) -> [UInt32] { values.map(\.type) }

    /// Calls a function of libpq with the number, bytes, lengths and formats of parameters.
    private func send(
        _ values: [PostgresValue],
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>
        ) -> Int32
    ) throws {
        let encoded = values.map(\.encoded)
        // One buffer for all bytes. An empty value needs a pointer too, since a null pointer means NULL.
        var bytes: [UInt8] = []
        var starts: [Int?] = []
        for value in encoded {
            starts.append(value.map { _ in bytes.count })
            bytes += value ?? []
        }
        bytes.append(0)
        let lengths = encoded.map { Int32(truncatingIfNeeded: $0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: max(1, values.count))
        let sent = unsafe bytes.withUnsafeBufferPointer { buffer -> Int32 in
            let base = unsafe UnsafeRawPointer(buffer.baseAddress.unsafelyUnwrapped).assumingMemoryBound(to: CChar.self)
            var pointers = unsafe starts.map { start in unsafe start.map { unsafe base + $0 } }
            unsafe pointers.append(nil)
            return unsafe pointers.withUnsafeBufferPointer { pointers in
                unsafe (lengths + [0]).withUnsafeBufferPointer { lengths in
                    unsafe formats.withUnsafeBufferPointer { formats in
                        unsafe body(
                            Int32(values.count), pointers.baseAddress.unsafelyUnwrapped,
                            lengths.baseAddress.unsafelyUnwrapped, formats.baseAddress.unsafelyUnwrapped)
                    }
                }
            }
        }
        guard sent == 1 else { throw broken() }
    }
}
