import Foundation
import GRDB
package import GatewayAPI
package import Machine

/// Stores the runs that answer questions, with their messages. One process works on a run; any process may read it.
package struct ChatRunStore: Sendable {
    let database: GatewayDatabase

    /// The maximum number of messages of a session that are followed back from one message.
    package static let maxHistory = 2000

    /// Stores a new run and its question's message, and creates the session if there is none.
    ///
    /// - Parameters:
    ///   - title: The title of a new session.
    ///   - isLive: Whether this process works on the run with an id; its other runs could not be stored to their ends.
    /// - Throws: ``StorageError``.
    package func begin(
        _ draft: ChatRunDraft, title: String, as worker: WorkerName, isLive: @escaping @Sendable (String) -> Bool
    ) async throws -> ChatRunStart {
        let start = try await database.write { database, layout -> ChatRunStart? in
            let running = try ChatRunRows.running(database)
            guard !running.contains(where: { $0.isDead(for: worker, isLive) }) else { return nil }
            return try begin(draft, title: title, as: worker, beside: running, database, layout)
        }
        if let start { return start }
        try await interruptDeadRuns(of: worker, isLive: isLive)
        return try await database.write { database, layout in
            let running = try ChatRunRows.running(database)
            return try begin(draft, title: title, as: worker, beside: running, database, layout)
        }
    }

    private func begin(
        _ draft: ChatRunDraft, title: String, as worker: WorkerName, beside running: [ChatRunRows.Running],
        _ database: Database, _ layout: FileLayout
    ) throws -> ChatRunStart {
        if let known = try ChatRunRows.find(database, draft.id) {
            let isSame = known.question == draft.question && (draft.session.map { $0 == known.session } ?? true)
            return isSame ? .known(known) : .idInUse
        }
        let session = draft.session ?? "chat-" + draft.id
        if let other = running.first(where: { $0.session == session }) { return .busy(run: other.id) }
        let messages = MessageRows(table: layout.schema.messages)
        let isNew = try !SessionRows.contain(session, in: database)
        let parent: Int64?
        switch draft.parent {
        case .keep where isNew && draft.session == nil: parent = nil
        case .keep: parent = try ChatRunRows.lastMessage(database, session, messages)
        case .clear: parent = nil
        case .set(let id):
            guard try messages.find(database, id)?.sessionID == session else { return .unknownParent }
            parent = id
        }
        var change = SessionChange()
        if isNew { change.title = title }
        try SessionRows(table: layout.schema.sessions).write(database, session, change, isNew: isNew)
        let message = try messages.insert(database, session, role: "user", draft.question)
        try ChatRunRows.link(database, message, parent: parent, run: nil)
        let now = Timestamp.now
        try database.executeCompiled(
            """
            INSERT INTO gateway_chat_runs
            (id, number, session_id, key_id, owner, state, question, request, model, user_message, created_at, updated_at)
            VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM gateway_chat_runs), ?, ?, ?, 'queued', ?, ?, ?, ?, ?9, ?9)
            """,
            [
                draft.id, session, draft.key, worker.description, draft.question, draft.request, draft.model,
                message.id, now,
            ])
        return .begun(
            StoredChatRun(
                id: draft.id, session: session, question: draft.question, model: draft.model,
                request: draft.request, key: draft.key, state: .queued, text: "", record: ChatRecord(), life: 0,
                userMessage: message.id, createdAt: now, updatedAt: now))
    }

    /// Takes over an interrupted run to continue it.
    ///
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/conflict`` when the run is not interrupted or
    ///   another run of its session has not ended.
    package func takeOver(_ id: String, as worker: WorkerName) async throws -> StoredChatRun {
        try await interruptDeadRuns()
        return try await database.write { database in
            let run = try ChatRunRows.required(database, id)
            guard run.state == .interrupted else {
                throw StorageError(.conflict, "run \(id) is \(run.state.rawValue); only an interrupted run continues")
            }
            let running = try Row.fetchOne(
                database, sql: "SELECT id FROM gateway_chat_runs WHERE session_id = ? AND owner IS NOT NULL LIMIT 1",
                arguments: [run.session])
            if let other = running?.text(0) {
                throw StorageError(.conflict, "run \(other) of the same session has not ended")
            }
            try database.execute(
                sql: """
                    UPDATE gateway_chat_runs SET state = 'queued', owner = ?, life = life + 1, updated_at = ?
                    WHERE id = ?
                    """, arguments: [worker.description, Timestamp.now, id])
            return try ChatRunRows.required(database, id)
        }
    }

    /// Stores the progress of a run that a worker holds.
    ///
    /// - Returns: false when the worker no longer holds the run, because it was deleted.
    package func update(_ id: String, _ progress: ChatRunProgress, as worker: WorkerName) async throws -> Bool {
        let record = try progress.record.json()
        return try await database.writeRelaxed { database in
            try database.executeCompiled(
                """
                UPDATE gateway_chat_runs SET state = ?, text = ?, record = ?, updated_at = ?
                WHERE id = ? AND owner = ?
                """, [progress.state.rawValue, progress.text, record, Timestamp.now, id, worker.description])
            return database.changesCount > 0
        }
    }

    /// Stores the end of a run and the answer's message, and releases the run.
    ///
    /// - Returns: The id of the answer's message; nil without text, and when the session was deleted meanwhile.
    package func end(_ id: String, _ progress: ChatRunProgress, as worker: WorkerName) async throws -> Int64? {
        let record = try progress.record.json()
        return try await database.write { database, layout in
            guard let run = try ChatRunRows.place(of: id, database) else { return nil }
            guard run.hasSession else {
                try database.execute(sql: "DELETE FROM gateway_chat_runs WHERE id = ?", arguments: [id])
                return nil
            }
            let messages = MessageRows(table: layout.schema.messages)
            var message = run.message
            if let known = message {
                try database.execute(
                    sql: "UPDATE conversations SET content = ? WHERE id = ? AND session_id = ?",
                    arguments: [progress.text, known, run.session])
                if database.changesCount == 0 { message = nil }
            }
            if message == nil, !progress.text.isEmpty {
                let answer = try messages.insert(database, run.session, role: "assistant", progress.text)
                try ChatRunRows.link(database, answer, parent: run.userMessage, run: id)
                message = answer.id
            }
            try database.executeCompiled(
                """
                UPDATE gateway_chat_runs SET state = ?, text = ?, record = ?, error = ?, stop_reason = ?, message = ?,
                owner = NULL, updated_at = ? WHERE id = ? AND (owner = ? OR owner IS NULL)
                """,
                [
                    progress.state.rawValue, progress.text, record, progress.error, progress.stopReason, message,
                    Timestamp.now, id, worker.description,
                ])
            var change = SessionChange()
            change.messageCount = try database.compiledRow(
                "SELECT count(*) FROM conversations WHERE session_id = ?", [run.session])?.count(0)
            try SessionRows(table: layout.schema.sessions).write(database, run.session, change, isNew: false)
            return message
        }
    }

    /// Returns a run; nil when there is none with that id.
    package func find(_ id: String) async throws -> StoredChatRun? {
        let found = try await database.read { try ChatRunRows.find($0, id) }
        guard let found, !found.state.isFinal else { return found }
        try await interruptDeadRuns()
        return try await database.read { try ChatRunRows.find($0, id) }
    }

    /// Returns a page of runs, latest first, without their texts and records.
    ///
    /// - Parameters:
    ///   - running: Whether to return only runs that have not ended; false for all.
    ///   - session: Only runs of this session; nil for all.
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func page(
        running: Bool, session: String?, after cursor: PageCursor?, limit: Int
    ) async throws -> Page<StoredChatRun> {
        try cursor?.check(numbers: 1)
        try await interruptDeadRuns()
        return try await database.read { database in
            try ChatRunRows.page(database, running: running, session: session, after: cursor, limit: limit)
        }
    }

    /// Returns a message and those that it follows, oldest first, at most ``maxHistory``.
    package func history(through message: Int64?, of session: String) async throws -> [Message] {
        guard let message else { return [] }
        return try await database.read { database, layout in
            try Self.history(through: message, of: session, database, layout)
        }
    }

    /// Returns the messages before a question, oldest first, at most ``maxHistory``, with their summary, from one snapshot.
    ///
    /// - Parameter question: The message with the question; nil for none.
    package func conversation(before question: Int64?, of session: String) async throws -> ChatConversation {
        guard let question else { return ChatConversation(messages: []) }
        return try await database.read { database, layout in
            var messages = try Self.history(through: question, of: session, database, layout)[...]
            if messages.last?.id == question { messages.removeLast() }
            return ChatConversation(
                messages: messages,
                summary: try SummaryStore.reaching(furthestIn: messages.map(\.id), of: session, database),
                foreignSummary: try SummaryStore.foreignSummary(of: session, database, layout))
        }
    }

    private static func history(
        through message: Int64, of session: String, _ database: Database, _ layout: FileLayout
    ) throws -> [Message] {
        let rows = MessageRows(table: layout.schema.messages)
        var (chain, seen) = ([Message](), Set<Int64>())
        var next: Int64? = message
        var bytes = 0
        while let id = next, chain.count < Self.maxHistory, bytes < ValueLimit.batch, seen.insert(id).inserted {
            guard let found = try rows.find(database, id), found.sessionID == session else { break }
            chain.append(found)
            bytes += found.content.utf8.count
            next = found.parent
            if next == nil, try !ChatRunRows.isLinked(database, id) {
                // Another program wrote the message; it follows the one before it.
                next = try ChatRunRows.message(before: id, in: session, database, rows)
            }
        }
        return chain.reversed()
    }

    /// Returns a session's latest message and those that it follows, oldest first, at most ``maxHistory``.
    package func latestBranch(of session: String) async throws -> [Message] {
        let last = try await database.read { database, layout in
            try ChatRunRows.lastMessage(database, session, MessageRows(table: layout.schema.messages))
        }
        return try await history(through: last, of: session)
    }

    /// Returns what is known of the notes in the answers of runs, by run. Runs that cannot be read are missing.
    package func sources(of runs: [String]) async throws -> [String: ChatRunSources] {
        try await database.read { database in
            var found: [String: ChatRunSources] = [:]
            for id in runs {
                guard let run = try ChatRunRows.find(database, id) else { continue }
                found[id] = ChatRunSources(run.record, request: run.request, model: run.model)
            }
            return found
        }
    }

    /// Returns the requests of a session's runs, latest first.
    package func requests(of session: String, limit: Int) async throws -> [String] {
        try await database.read { database in
            try database.compiledRows(
                "SELECT request FROM gateway_chat_runs WHERE session_id = ? ORDER BY number DESC LIMIT ?",
                [session, limit]
            ).compactMap { $0.text(0) }
        }
    }

    /// Marks runs as interrupted whose process is known to have ended. Their text becomes the answer's message.
    ///
    /// - Parameters:
    ///   - worker: This process, whose runs that are not live have ended, too; nil for none.
    ///   - isLive: Whether this process works on the run with an id.
    package func interruptDeadRuns(
        of worker: WorkerName?, isLive: @Sendable (String) -> Bool = { _ in true }
    ) async throws {
        for run in try await database.read(ChatRunRows.running) where run.isDead(for: worker, isLive) {
            guard let stored = try await database.read({ try ChatRunRows.find($0, run.id) }), !stored.state.isFinal
            else { continue }
            _ = try await end(
                run.id, ChatRunProgress(state: .interrupted, text: stored.text, record: stored.record), as: run.owner)
        }
    }
}
