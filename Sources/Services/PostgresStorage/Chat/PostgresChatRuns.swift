import GatewayAPI
package import Machine
package import Storage

/// Runs that all gateways on the database share, as ``ChatRunStore`` keeps them in a file.
///
/// Whether a process of another machine has ended is not known. So a run has a lease by the server's clock, which
/// ``keepAlive(_:)`` and ``update(_:_:as:)`` renew. A run whose lease ended is interrupted at the next look of any gateway.
///
/// Each change of a run's messages locks the session's row first. So the messages of a session are committed in the order of
/// their ids, and of two gateways one begins a run.
package struct PostgresChatRuns: ChatRunRecords {
    /// The maximum number of tries when other gateways begin and delete the same runs and sessions meanwhile.
    private static let attempts = 5

    let store: PostgresStore
    private let lease: Double

    /// - Parameter lease: How long a run is held without a sign of life.
    package init(_ store: PostgresStore, lease: Duration = .seconds(60)) {
        self.store = store
        self.lease = lease / .seconds(1)
    }

    // MARK: Beginning

    package func begin(
        _ draft: ChatRunDraft, title: String, as worker: WorkerName, isLive: @escaping @Sendable (String) -> Bool
    ) async throws -> ChatRunStart {
        try await interruptDeadRuns(of: worker, isLive)
        for _ in 0..<Self.attempts {
            do {
                return try await store.write { try await begin(draft, title, worker, $0) }
            } catch let error as PostgresError where error.code == .conflict {
                // Another gateway created the run or the session meanwhile; the next attempt finds it.
            }
        }
        throw PostgresError(.serialization, "the session of the run \(draft.id) changes all the time")
    }

    private func begin(
        _ draft: ChatRunDraft, _ title: String, _ worker: WorkerName, _ connection: PostgresConnection
    ) async throws -> ChatRunStart {
        let name = draft.session ?? "chat-" + draft.id
        // Behind the lock, so that a repeated request finds the run that another gateway is beginning.
        let known = try await Self.lockedSession(name, connection)
        if let run = try await Self.find(draft.id, connection) {
            let isSame = run.question == draft.question && (draft.session.map { $0 == run.session } ?? true)
            return isSame ? .known(run) : .idInUse
        }
        let place: (session: Int64, parent: Int64?)
        if let session = known {
            let running = try await connection.run(
                "SELECT id FROM chat_runs WHERE session = $1 AND owner IS NOT NULL", [.integer(session)])
            if let other = running.text(0, 0) { return .busy(run: other) }
            switch draft.parent {
            case .keep: place = (session, try await Self.lastMessage(session, connection))
            case .clear: place = (session, nil)
            case .set(let id):
                let known = try await connection.run(
                    "SELECT 1 FROM chat_messages WHERE session = $1 AND id = $2", [.integer(session), .integer(id)])
                guard known.count > 0 else { return .unknownParent }
                place = (session, id)
            }
        } else {
            if case .set = draft.parent { return .unknownParent }
            let created = try await connection.run(
                """
                INSERT INTO chat_sessions (id, title, created, updated, is_pinned, compression_state, messages_json,
                    message_count)
                VALUES ($1, $2, \(PostgresSessions.now), \(PostgresSessions.now), false, 'full', '[]', 0)
                RETURNING number
                """, [.text(name), .text(title)])
            guard let session = created.integer(0, 0) else { throw PostgresError(.failed, "a session has no number") }
            place = (session, nil)
        }
        let rows = try await connection.run(
            """
            WITH m AS (
                INSERT INTO chat_messages (session, role, content, created, is_linked, parent)
                VALUES ($2, 'user', $4, \(PostgresSessions.now), true, $9::bigint) RETURNING id, created
            )
            INSERT INTO chat_runs (id, session, key_id, owner, lease, state, question, request, model, user_message,
                created, updated)
            SELECT $1, $2, $3::bigint, $5, \(PostgresLease.time("$6")), 'queued', $4, $7, $8, m.id, m.created, m.created
            FROM m RETURNING user_message, created
            """,
            [
                .text(draft.id), .integer(place.session), PostgresValue(draft.key), .text(draft.question),
                .text(worker.description), .double(lease), .text(draft.request), .text(draft.model),
                PostgresValue(place.parent),
            ])
        try await Self.touch(place.session, connection)
        let now = rows.integer(0, 1).map(Timestamp.text) ?? ""
        return .begun(
            StoredChatRun(
                id: draft.id, session: name, question: draft.question, model: draft.model, request: draft.request,
                key: draft.key, state: .queued, text: "", record: ChatRecord(), life: 0,
                userMessage: rows.integer(0, 0), createdAt: now, updatedAt: now))
    }

    package func takeOver(_ id: String, as worker: WorkerName) async throws -> StoredChatRun {
        try await interruptDeadRuns()
        return try await store.write { connection in
            guard let held = try await Self.held(id, connection, lease) else { throw Self.noRun(id) }
            guard held.state == .interrupted else {
                let state = held.state?.rawValue ?? "unreadable"
                throw StorageError(.conflict, "run \(id) is \(state); only an interrupted run continues")
            }
            let running = try await connection.run(
                "SELECT id FROM chat_runs WHERE session = $1 AND owner IS NOT NULL", [.integer(held.session)])
            if let other = running.text(0, 0) {
                throw StorageError(.conflict, "run \(other) of the same session has not ended")
            }
            try await connection.run(
                """
                UPDATE chat_runs SET state = 'queued', owner = $2, lease = \(PostgresLease.time("$3")), life = life + 1,
                    is_stopping = false, updated = \(PostgresSessions.now) WHERE id = $1
                """, [.text(id), .text(worker.description), .double(lease)])
            guard let run = try await Self.find(id, connection) else { throw Self.noRun(id) }
            return run
        }
    }

    // MARK: Running

    package func update(_ id: String, _ progress: ChatRunProgress, as worker: WorkerName) async throws -> Bool {
        let record = try progress.record.json()
        return try await store.write { connection in
            try await connection.run(
                """
                UPDATE chat_runs SET state = $3, text = $4, record = $5, lease = \(PostgresLease.time("$6")),
                    updated = \(PostgresSessions.now)
                WHERE id = $1 AND owner = $2
                """,
                [
                    .text(id), .text(worker.description), .text(progress.state.rawValue), .text(progress.text),
                    .text(record), .double(lease),
                ])
        }.changed > 0
    }

    package func keepAlive(_ worker: WorkerName) async throws -> [String] {
        let values: [PostgresValue] = [.text(worker.description), .double(lease)]
        let rows = try await store.rows(
            "SELECT id, is_stopping, lease < \(PostgresLease.time("$2 / 2")) FROM chat_runs WHERE owner = $1", values)
        if rows.indices.contains(where: { rows.bool($0, 2) ?? true }) {
            try await store.write {
                try await $0.run("UPDATE chat_runs SET lease = \(PostgresLease.time("$2")) WHERE owner = $1", values)
            }
        }
        return rows.indices.filter { rows.bool($0, 1) ?? false }.compactMap { rows.text($0, 0) }
    }

    package func askToStop(_ id: String) async throws -> Bool {
        try await store.write {
            try await $0.run("UPDATE chat_runs SET is_stopping = true WHERE id = $1 AND owner IS NOT NULL", [.text(id)])
        }
        return true
    }

    package func end(_ id: String, _ progress: ChatRunProgress, as worker: WorkerName) async throws -> Int64? {
        let record = try progress.record.json()
        return try await store.write { connection in
            guard let held = try await Self.held(id, connection, lease), held.state != nil,
                held.owner == nil || held.owner == worker.description
            else { return nil }
            return try await Self.end(id, held, progress, record: record, connection)
        }
    }

    /// Stores the end of a run whose rows are locked.
    private static func end(
        _ id: String, _ held: Held, _ progress: ChatRunProgress, record: String, _ connection: PostgresConnection
    ) async throws -> Int64? {
        var message = held.message
        if let known = message {
            let changed = try await connection.run(
                "UPDATE chat_messages SET content = $3 WHERE session = $1 AND id = $2",
                [.integer(held.session), .integer(known), .text(progress.text)]
            ).changed
            if changed == 0 { message = nil }
        }
        if message == nil, !progress.text.isEmpty {
            message = try await connection.run(
                """
                INSERT INTO chat_messages (session, role, content, created, is_linked, parent, run)
                VALUES ($1, 'assistant', $2, \(PostgresSessions.now), true, $3::bigint, $4) RETURNING id
                """,
                [.integer(held.session), .text(progress.text), PostgresValue(held.userMessage), .text(id)]
            ).integer(0, 0)
        }
        try await connection.run(
            """
            UPDATE chat_runs SET state = $2, text = $3, record = $4, error = $5::text, stop_reason = $6::text,
                message = $7::bigint, owner = NULL, lease = NULL, is_stopping = false,
                updated = \(PostgresSessions.now)
            WHERE id = $1
            """,
            [
                .text(id), .text(progress.state.rawValue), .text(progress.text), .text(record),
                PostgresValue(progress.error), PostgresValue(progress.stopReason), PostgresValue(message),
            ])
        try await touch(held.session, connection)
        return message
    }

    /// Counts the messages of a session that has just got one.
    private static func touch(_ session: Int64, _ connection: PostgresConnection) async throws {
        try await connection.run(
            """
            UPDATE chat_sessions SET updated = \(PostgresSessions.now),
                message_count = (SELECT count(*) FROM chat_messages WHERE session = $1) WHERE number = $1
            """, [.integer(session)])
    }

    // MARK: Dead runs

    package func interruptDeadRuns() async throws { try await interruptDeadRuns(of: nil) { _ in true } }

    /// Marks runs as interrupted whose lease or process has ended. Their text becomes the answer's message.
    ///
    /// - Parameters:
    ///   - worker: This process, whose runs that are not live have ended, too; nil for none.
    ///   - isLive: Whether this process works on the run with an id.
    func interruptDeadRuns(of worker: WorkerName?, _ isLive: @Sendable (String) -> Bool) async throws {
        let rows = try await store.rows(
            "SELECT id, owner, \(PostgresLease.isOver) FROM chat_runs WHERE owner IS NOT NULL", [.double(lease)])
        for row in rows.indices {
            guard let id = rows.text(row, 0), let owner = rows.text(row, 1) else { continue }
            let isGone =
                owner == worker?.description ? !isLive(id) : WorkerName(owner).isGoneFromThisBoot
            guard isGone || rows.bool(row, 2) == true else { continue }
            try await store.write { connection in
                // The holder may have renewed the lease meanwhile, or another gateway may have ended the run.
                guard let held = try await Self.held(id, connection, lease), held.owner == owner, isGone || held.isOver,
                    let stored = try await Self.find(id, connection)
                else { return }
                let progress = ChatRunProgress(state: .interrupted, text: stored.text, record: stored.record)
                _ = try await Self.end(id, held, progress, record: try stored.record.json(), connection)
            }
        }
    }
}
