package import Database
package import GatewayAPI

/// Reading runs and the messages that follow each other.
extension AnswerRoom {
    /// Reads a run; nil when there is none, and when another program made it unreadable.
    package static func find(_ id: String, _ session: any SQLSession) throws -> StoredChatRun? {
        try session.first("SELECT \(StoredChatRun.columns) FROM gateway_chat_runs WHERE id = $1", [.text(id)])
            .flatMap { StoredChatRun($0) }
    }

    /// Returns a run; nil when there is none with that id.
    package func find(_ id: String) async throws -> StoredChatRun? {
        let found = try await stored(id)
        guard let found, !found.state.isFinal else { return found }
        try await interruptDeadRuns()
        return try await stored(id)
    }

    private func stored(_ id: String) async throws -> StoredChatRun? {
        try await store.rows("SELECT \(StoredChatRun.columns) FROM gateway_chat_runs WHERE id = $1", [.text(id)])
            .first.flatMap { StoredChatRun($0) }
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
        let before = cursor.map { $0.numbers[0] } ?? Int64.max
        var (conditions, values) = (["number < $1"], [SQLValue.integer(before), SQLValue.count(limit + 1)])
        if running { conditions.append("owner IS NOT NULL") }
        if let session {
            conditions.append("session_id = $3")
            values.append(.text(session))
        }
        let rows = try await store.rows(
            """
            SELECT \(StoredChatRun.listed), NULL, NULL, number FROM gateway_chat_runs
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY number DESC LIMIT $2
            """, values)
        let found = rows.compactMap { row in
            StoredChatRun(row).map { (item: $0, cursor: PageCursor(row.integer(16) ?? 0)) }
        }
        return Page(found, limit: limit) { $0.question.utf8.count + $0.request.utf8.count + 512 }
    }

    /// The runs that one statement looks for.
    private static let batch = 64

    /// Returns what is known of the notes in the answers of runs, by run. Runs that cannot be read are missing.
    package func sources(of runs: [String]) async throws -> [String: ChatRunSources] {
        try await stored(runs) { ChatRunSources($0.record, request: $0.request, model: $0.model) }
    }

    /// Returns the passages of runs with their requests (``ChatRunDraft/request``), by run. Runs that cannot be read are missing.
    package func passages(of runs: [String]) async throws -> [String: (request: String, passages: [ChatPassage])] {
        try await stored(runs) { ($0.request, $0.record.passages) }
    }

    private func stored<Part>(_ runs: [String], _ part: (StoredChatRun) -> Part) async throws -> [String: Part] {
        var found: [String: Part] = [:]
        let places = (1...Self.batch).map { "$\($0)" }.joined(separator: ", ")
        for start in stride(from: 0, to: runs.count, by: Self.batch) {
            let ids = runs[start...].prefix(Self.batch).map { SQLValue.text($0) }
            let rows = try await store.rows(
                "SELECT \(StoredChatRun.columns) FROM gateway_chat_runs WHERE id IN (\(places))",
                ids + Array(repeating: SQLValue.text(nil), count: Self.batch - ids.count))
            for run in rows.compactMap({ StoredChatRun($0) }) { found[run.id] = part(run) }
        }
        return found
    }

    /// The latest answers to a question that have ended, newest first, among the latest ``recent`` runs.
    ///
    /// - Parameter key: The key that asked; nil for none.
    package func answers(to question: String, of key: Int64?, limit: Int) async throws -> [PastAnswer] {
        try await store.rows(
            """
            SELECT id, session_id, message, text, state FROM gateway_chat_runs
            WHERE question = $1 AND owner IS NULL AND message IS NOT NULL AND coalesce(key_id, 0) = $2
            AND number > (SELECT coalesce(max(number), 0) - \(Self.recent) FROM gateway_chat_runs)
            ORDER BY number DESC LIMIT $3
            """, [.text(question), .integer(key ?? 0), .count(limit)]
        ).compactMap { row in
            guard let id = row.text(0), let session = row.text(1), let message = row.integer(2) else { return nil }
            return PastAnswer(
                run: id, session: session, message: message, text: row.text(3) ?? "",
                isCut: row.text(4) != ChatRun.State.done.rawValue)
        }
    }

    /// The latest interrupted runs with a question, newest first, among the latest ``recent`` runs.
    ///
    /// - Parameter key: The key that asked; nil for none.
    package func interrupted(asking question: String, of key: Int64?, limit: Int) async throws -> [StoredChatRun] {
        try await store.rows(
            """
            SELECT \(StoredChatRun.columns) FROM gateway_chat_runs
            WHERE question = $1 AND state = 'interrupted' AND coalesce(key_id, 0) = $2
            AND number > (SELECT coalesce(max(number), 0) - \(Self.recent) FROM gateway_chat_runs)
            ORDER BY number DESC LIMIT $3
            """, [.text(question), .integer(key ?? 0), .count(limit)]
        ).compactMap { StoredChatRun($0) }
    }

    /// Returns the requests of a session's runs, latest first.
    package func requests(of session: String, limit: Int) async throws -> [String] {
        try await store.rows(
            "SELECT request FROM gateway_chat_runs WHERE session_id = $1 ORDER BY number DESC LIMIT $2",
            [.text(session), .count(limit)]
        ).compactMap { $0.text(0) }
    }

    /// The latest runs that ``done(since:limit:)`` and ``answers(to:of:limit:)`` look at.
    private static let recent = 1000

    /// The answers of the latest runs that were complete at a time or later, newest first.
    ///
    /// - Parameter since: `YYYY-MM-DD HH:MM:SS` in UTC.
    package func done(since: String, limit: Int) async throws -> [(id: String, question: String, session: String)] {
        try await store.rows(
            """
            SELECT id, substr(question, 1, 200), session_id FROM gateway_chat_runs
            WHERE state = 'done' AND updated_at >= $1
            AND number > (SELECT coalesce(max(number), 0) - \(Self.recent) FROM gateway_chat_runs)
            ORDER BY number DESC LIMIT $2
            """, [.text(since), .count(limit)]
        ).compactMap { row in row.text(0).map { ($0, row.text(1) ?? "", row.text(2) ?? "") } }
    }

    // MARK: Messages

    /// Returns a message and those that it follows, oldest first, at most ``maxHistory``.
    package func history(through message: Int64?, of session: String) async throws -> [Message] {
        guard let message else { return [] }
        return try await store.snapshot { try store.conversations(in: $0).history(through: message, of: session) }
    }

    /// Returns the messages before a question, oldest first, with their summary.
    package func conversation(before question: Int64?, of session: String) async throws -> ChatConversation {
        guard let question else { return ChatConversation(messages: []) }
        return try await store.snapshot { reader in
            let tables = try store.conversations(in: reader)
            var messages = try tables.history(through: question, of: session)[...]
            if messages.last?.id == question { messages.removeLast() }
            return try Self.conversation(messages, of: session, tables, reader)
        }
    }

    /// Returns the messages of a session's latest branch, oldest first, with their summary: what is before its next question.
    package func conversation(of session: String) async throws -> ChatConversation {
        try await store.snapshot { reader in
            let tables = try store.conversations(in: reader)
            guard let last = try tables.lastMessage(of: session) else { return ChatConversation(messages: []) }
            return try Self.conversation(tables.history(through: last, of: session)[...], of: session, tables, reader)
        }
    }

    private static func conversation(
        _ messages: ArraySlice<Message>, of session: String, _ tables: any ConversationTables, _ reader: any SQLSession
    ) throws -> ChatConversation {
        ChatConversation(
            messages: messages,
            summary: try SummaryRoom.reaching(furthestIn: messages.map(\.id), of: session, reader),
            foreignSummary: try tables.foreignSummary(of: session))
    }

    /// Returns a session's latest message and those that it follows, oldest first, at most ``maxHistory``.
    package func latestBranch(of session: String) async throws -> [Message] {
        try await store.snapshot { reader in
            let tables = try store.conversations(in: reader)
            guard let last = try tables.lastMessage(of: session) else { return [] }
            return try tables.history(through: last, of: session)
        }
    }
}
