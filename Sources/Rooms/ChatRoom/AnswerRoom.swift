import Database
import GatewayAPI
package import Machine

/// Stores the runs that answer questions, with their messages. One process works on a run; any process may read it.
///
/// A run that has not ended is held by a ``Lease``, which ``update(_:_:as:)`` and ``renew(_:)`` lengthen. One that nobody holds
/// is interrupted at the next look of any process. Each change of a run's messages locks the session first, so the messages of
/// a session are stored in the order of their ids, and of two processes one begins a run.
///
/// Methods throw ``StorageError``, and a server's own error while it is away.
package struct AnswerRoom: Sendable {
    /// The maximum number of messages of a session that are followed back from one message.
    package static let maxHistory = 2000

    let store: any ChatStore
    let lease: Duration
    /// The time between two signs of life.
    package var renewalInterval: Duration { lease / 12 }

    /// - Parameter lease: How long a run is held without a sign of life.
    package init(_ store: any ChatStore, lease: Duration = .seconds(60)) { (self.store, self.lease) = (store, lease) }

    // MARK: Beginning

    /// Stores a new run and its question's message, and creates the session if there is none.
    ///
    /// - Parameters:
    ///   - title: The title of a new session.
    ///   - isLive: Whether this process works on the run with an id; its other runs could not be stored to their ends.
    package func begin(
        _ draft: ChatRunDraft, title: String, as worker: WorkerName, isLive: @escaping @Sendable (String) -> Bool
    ) async throws -> ChatRunStart {
        let watch = HolderWatch(worker: worker, isLive: isLive, lease: lease)
        let start = try await store.transaction { try begin(draft, title, as: worker, watch, $0) }
        if let start { return start }
        try await interruptDeadRuns(watch)
        let second = try await store.transaction { try begin(draft, title, as: worker, nil, $0) }
        guard let second else { throw StorageError(.failed, "the run \(draft.id) did not begin") }
        return second
    }

    /// - Parameter watch: With a run that nobody holds nothing begins, and nil is returned; nil begins beside such runs.
    private func begin(
        _ draft: ChatRunDraft, _ title: String, as worker: WorkerName, _ watch: HolderWatch?,
        _ session: any SQLSession
    ) throws -> ChatRunStart? {
        // Of two that send the same run, or begin in the same session, the second finds what the first made.
        try session.lock("gateway_chat_runs")
        let tables = try store.conversations(in: session)
        let name = draft.session ?? "chat-" + draft.id
        let isNew = try !tables.lock(name)
        let (running, clock) = (try RunningAnswer.all(session), try session.clock())
        guard !running.contains(where: { watch?.isDead($0, at: clock, in: session.dialect) == true }) else {
            return nil
        }
        if let known = try Self.find(draft.id, session) {
            let isSame = known.question == draft.question && (draft.session.map { $0 == known.session } ?? true)
            return isSame ? .known(known) : .idInUse
        }
        if let other = running.first(where: { $0.session == name }) { return .busy(run: other.id) }
        var parent: Int64?
        switch draft.parent {
        case .keep where isNew && draft.session == nil: parent = nil
        case .keep: parent = try tables.lastMessage(of: name)
        case .clear: parent = nil
        case .set(let id):
            guard try tables.contains(id, of: name) else { return .unknownParent }
            parent = id
        }
        if isNew { try tables.create(name, title: title) } else { try tables.touch(name) }
        for earlier in draft.earlier {
            parent = try tables.add(earlier.role, earlier.text, to: name, after: parent, run: nil)
        }
        let message = try tables.add("user", draft.question, to: name, after: parent, run: nil)
        try session.run(
            """
            INSERT INTO gateway_chat_runs (id, number, session_id, key_id, owner, lease, state, question, request,
                model, user_message, created_at, updated_at)
            VALUES ($1, \(Self.number(in: session.dialect)), $2, $3, $4, $5, 'queued', $6, $7, $8, $9, $10, $10)
            """,
            [
                .text(draft.id), .text(name), .integer(draft.key), .text(worker.description),
                .integer(Lease.end(at: clock, length: lease)), .text(draft.question), .text(draft.request),
                .text(draft.model), .integer(message), .text(clock.text),
            ])
        return .begun(
            StoredChatRun(
                id: draft.id, session: name, question: draft.question, model: draft.model, request: draft.request,
                key: draft.key, state: .queued, text: "", record: ChatRecord(), life: 0, userMessage: message,
                createdAt: clock.text, updatedAt: clock.text))
    }

    /// A server counts runs that are gone, too: a migration into it reserves numbers.
    private static func number(in dialect: SQLDialect) -> String {
        dialect == .sqlite ? "(SELECT coalesce(max(number), 0) + 1 FROM gateway_chat_runs)" : "DEFAULT"
    }

    /// Takes over an interrupted run to continue it.
    ///
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/conflict`` when the run is not interrupted or
    ///   another run of its session has not ended.
    package func takeOver(_ id: String, as worker: WorkerName) async throws -> StoredChatRun {
        try await interruptDeadRuns()
        return try await store.transaction { session in
            guard let run = try locked(id, session)?.run else { throw Self.noRun(id) }
            guard run.state == .interrupted else {
                throw StorageError(.conflict, "run \(id) is \(run.state.rawValue); only an interrupted run continues")
            }
            if let other = try Self.running(in: run.session, session) {
                throw StorageError(.conflict, "run \(other) of the same session has not ended")
            }
            let clock = try session.clock()
            try session.run(
                """
                UPDATE gateway_chat_runs SET state = 'queued', owner = $1, lease = $2, life = life + 1, is_stopping = 0,
                updated_at = $3 WHERE id = $4
                """,
                [
                    .text(worker.description), .integer(Lease.end(at: clock, length: lease)), .text(clock.text),
                    .text(id),
                ])
            guard let taken = try Self.find(id, session) else { throw Self.noRun(id) }
            return taken
        }
    }

    private static func noRun(_ id: String) -> StorageError { StorageError(.notFound, "there is no run \"\(id)\"") }

    /// A run of a session that has not ended.
    private static func running(in name: String, _ session: any SQLSession) throws -> String? {
        try session.first(
            "SELECT id FROM gateway_chat_runs WHERE session_id = $1 AND owner IS NOT NULL LIMIT 1", [.text(name)]
        )?.text(0)
    }

    // MARK: Running

    /// Stores the progress of a run that a worker holds.
    ///
    /// - Returns: false when the worker no longer holds the run, for example because it was deleted.
    package func update(_ id: String, _ progress: ChatRunProgress, as worker: WorkerName) async throws -> Bool {
        let record = try progress.record.json()
        return try await store.relaxedTransaction { session in
            let clock = try session.clock()
            return try session.run(
                """
                UPDATE gateway_chat_runs SET state = $1, text = $2, record = $3, lease = $4, updated_at = $5
                WHERE id = $6 AND owner = $7
                """,
                [
                    .text(progress.state.rawValue), .text(progress.text), .text(record),
                    .integer(Lease.end(at: clock, length: lease)), .text(clock.text), .text(id),
                    .text(worker.description),
                ]) > 0
        }
    }

    /// Gives a sign of life for all runs of a worker, which is due every ``renewalInterval``.
    package func renew(_ worker: WorkerName) async throws {
        try await store.relaxedTransaction { session in
            let end = Lease.end(at: try session.clock(), length: lease)
            try session.run(
                "UPDATE gateway_chat_runs SET lease = $1 WHERE owner = $2", [.integer(end), .text(worker.description)])
        }
    }

    /// Returns a worker's runs that other gateways were asked to stop.
    package func stopRequests(to worker: WorkerName) async throws -> [String] {
        try await store.rows(
            "SELECT id FROM gateway_chat_runs WHERE owner = $1 AND is_stopping <> 0", [.text(worker.description)]
        ).compactMap { $0.text(0) }
    }

    /// Asks the gateway that works on a run to stop it. Returns false in a file, whose other processes cannot be asked.
    package func askToStop(_ id: String) async throws -> Bool {
        guard store.dialect == .postgres else { return false }
        try await store.run(
            "UPDATE gateway_chat_runs SET is_stopping = 1 WHERE id = $1 AND owner IS NOT NULL", [.text(id)])
        return true
    }

    /// Stores the end of a run and the answer's message, and releases the run.
    ///
    /// - Returns: The id of the answer's message; nil without text, when the session was deleted meanwhile, and when another
    ///   worker has taken the run over.
    package func end(_ id: String, _ progress: ChatRunProgress, as worker: WorkerName) async throws -> Int64? {
        let record = try progress.record.json()
        return try await store.transaction { session in
            guard let held = try locked(id, session), (held.running?.lease.owner ?? worker) == worker else {
                return nil
            }
            return try Self.end(held, progress, record, session)
        }
    }

    /// Stores the end of a run whose rows are locked.
    static func end(
        _ held: HeldAnswer, _ progress: ChatRunProgress, _ record: String, _ session: any SQLSession
    ) throws -> Int64? {
        let (run, tables) = (held.run, held.tables)
        guard held.hasSession else {
            try session.run("DELETE FROM gateway_chat_runs WHERE id = $1", [.text(run.id)])
            return nil
        }
        var message = run.message
        if let known = message, try !tables.change(known, of: run.session, to: progress.text) { message = nil }
        if message == nil, !progress.text.isEmpty {
            message = try tables.add(
                "assistant", progress.text, to: run.session, after: run.userMessage, run: run.id)
        }
        try session.run(
            """
            UPDATE gateway_chat_runs SET state = $1, text = $2, record = $3, error = $4, stop_reason = $5, message = $6,
            owner = NULL, lease = NULL, is_stopping = 0, updated_at = $7 WHERE id = $8
            """,
            [
                .text(progress.state.rawValue), .text(progress.text), .text(record), .text(progress.error),
                .text(progress.stopReason), .integer(message), .text(try session.clock().text), .text(run.id),
            ])
        try tables.touch(run.session)
        return message
    }
}
