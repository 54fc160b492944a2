import Database
import GatewayAPI
import Machine

/// Who holds which run.
extension AnswerRoom {
    /// Marks runs as interrupted that nobody holds any more. Their text becomes the answer's message.
    package func interruptDeadRuns() async throws {
        try await interruptDeadRuns(HolderWatch(worker: nil, isLive: { _ in true }, lease: lease))
    }

    func interruptDeadRuns(_ watch: HolderWatch) async throws {
        let running = try await store.rows("SELECT 1 FROM gateway_chat_runs WHERE owner IS NOT NULL LIMIT 1", [])
        guard !running.isEmpty else { return }
        let dead = try await store.snapshot { session in
            let clock = try session.clock()
            return try RunningAnswer.all(session).filter { watch.isDead($0, at: clock, in: session.dialect) }
        }
        for run in dead {
            try await store.transaction { session in
                // The holder may have given a sign of life meanwhile, or another process may have ended the run.
                guard let held = try locked(run.id, session), let running = held.running,
                    watch.isDead(running, at: try session.clock(), in: session.dialect)
                else { return }
                let progress = ChatRunProgress(state: .interrupted, text: held.run.text, record: held.run.record)
                _ = try Self.end(held, progress, try held.run.record.json(), session)
            }
        }
    }

    /// Locks a run's session, then the run; nil when it does not exist, or another program made it unreadable.
    func locked(_ id: String, _ session: any SQLSession) throws -> HeldAnswer? {
        func find(_ lock: String) throws -> (run: StoredChatRun, row: SQLRow)? {
            let row = try session.first(
                "SELECT \(StoredChatRun.columns), owner, lease, owner IS NOT NULL FROM gateway_chat_runs WHERE id = $1"
                    + lock, [.text(id)])
            return row.flatMap { row in StoredChatRun(row).map { ($0, row) } }
        }
        guard var found = try find("") else { return nil }
        let tables = try store.conversations(in: session)
        let hasSession = try tables.lock(found.run.session)
        if !session.dialect.locksRows.isEmpty {
            // Another process may have changed the run before it was locked.
            guard let locked = try find(session.dialect.locksRows) else { return nil }
            found = locked
        }
        let lease = Lease(owner: found.row.text(16).map { WorkerName($0) }, end: found.row.integer(17))
        let running = RunningAnswer(id: id, session: found.run.session, lease: lease)
        return HeldAnswer(
            run: found.run, running: found.row.bool(18) ? running : nil, hasSession: hasSession, tables: tables)
    }
}

/// A run whose session and row are locked.
struct HeldAnswer {
    let run: StoredChatRun
    /// Who holds it; nil after its end.
    let running: RunningAnswer?
    let hasSession: Bool
    let tables: any ConversationTables
}

/// A run that has not ended.
struct RunningAnswer: Sendable {
    let id: String
    let session: String
    let lease: Lease

    /// The runs of all processes.
    static func all(_ session: any SQLSession) throws -> [Self] {
        try session.rows("SELECT id, session_id, owner, lease FROM gateway_chat_runs WHERE owner IS NOT NULL")
            .compactMap { row in
                guard let id = row.text(0), let name = row.text(1) else { return nil }
                let lease = Lease(owner: row.text(2).map { WorkerName($0) }, end: row.integer(3))
                return Self(id: id, session: name, lease: lease)
            }
    }
}

/// Tells whether a run is still held.
struct HolderWatch: Sendable {
    /// This process, which holds only its live runs; nil for none.
    let worker: WorkerName?
    /// Whether this process works on the run with an id.
    let isLive: @Sendable (String) -> Bool
    let lease: Duration

    func isDead(_ run: RunningAnswer, at clock: StoreClock, in dialect: SQLDialect) -> Bool {
        if let worker, run.lease.owner == worker { return !isLive(run.id) }
        return run.lease.state(at: clock, length: lease, in: dialect) != .held
    }
}
