import Foundation
import GRDB
import GatewayAPI
import Machine

/// Reads the rows of runs and of links between messages.
enum ChatRunRows {
    static func find(_ database: Database, _ id: String) throws -> StoredChatRun? {
        try database.compiledRow(
            """
            SELECT id, session_id, key_id, state, question, request, model, text, record, error, stop_reason, life,
                user_message, message, created_at, updated_at
            FROM gateway_chat_runs WHERE id = ?
            """, [id]
        ).flatMap { StoredChatRun($0) }
    }

    /// A run that has not ended.
    struct Running {
        let id: String
        let session: String?
        let owner: WorkerName

        /// Whether its process has ended. The system knows of other processes; this one knows its own runs.
        ///
        /// - Parameters:
        ///   - worker: This process; nil counts all its runs as live.
        ///   - isLive: Whether this process works on the run with an id.
        func isDead(for worker: WorkerName?, _ isLive: (String) -> Bool) -> Bool {
            owner == worker ? !isLive(id) : owner.isGone
        }
    }

    /// The runs that have not ended, of all processes.
    static func running(_ database: Database) throws -> [Running] {
        try database.compiledRows("SELECT id, session_id, owner FROM gateway_chat_runs WHERE owner IS NOT NULL")
            .compactMap { row in
                row.text(0).map { Running(id: $0, session: row.text(1), owner: WorkerName(row.text(2) ?? "")) }
            }
    }

    /// Where a run's answer belongs.
    struct Place {
        let session: String
        let hasSession: Bool
        let userMessage: Int64?
        let message: Int64?
    }

    /// Returns where a run's answer belongs; nil for a run that is gone or that another program made unreadable.
    static func place(of id: String, _ database: Database) throws -> Place? {
        let row = try database.compiledRow(
            """
            SELECT r.session_id, EXISTS (SELECT 1 FROM chat_sessions s WHERE s.id = r.session_id), r.user_message,
                r.message, r.state
            FROM gateway_chat_runs r WHERE r.id = ?
            """, [id])
        guard let row, let session = row.text(0), ChatRun.State(rawValue: row.text(4) ?? "") != nil else { return nil }
        return Place(
            session: session, hasSession: row.integer(1) == 1, userMessage: row.integer(2), message: row.integer(3))
    }

    static func required(_ database: Database, _ id: String) throws -> StoredChatRun {
        guard let run = try find(database, id) else { throw StorageError(.notFound, "there is no run \"\(id)\"") }
        return run
    }

    static func page(
        _ database: Database, running: Bool, session: String?, after cursor: PageCursor?, limit: Int
    ) throws -> Page<StoredChatRun> {
        var (conditions, arguments) = (["typeof(number) = 'integer'"], StatementArguments())
        if running { conditions.append("owner IS NOT NULL") }
        if let session {
            conditions.append("session_id = ?")
            arguments += [session]
        }
        if let cursor {
            conditions.append("number < ?")
            arguments += [cursor.numbers[0]]
        }
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT id, number, session_id, key_id, owner, state, question, request, model, error, stop_reason, life,
                    user_message, message, created_at, updated_at
                FROM gateway_chat_runs WHERE \(conditions.joined(separator: " AND ")) ORDER BY number DESC LIMIT ?
                """, arguments: arguments + [limit + 1])
        let found = rows.compactMap { row in
            StoredChatRun(row).map { (item: $0, cursor: PageCursor(row.integer("number") ?? 0)) }
        }
        return Page(found, limit: limit) { $0.question.utf8.count + $0.request.utf8.count + 512 }
    }

    static func link(_ database: Database, _ message: Message, parent: Int64?, run: String?) throws {
        try database.executeCompiled(
            """
            INSERT OR REPLACE INTO gateway_message_links (message_id, session_id, parent_id, run_id)
            VALUES (?, ?, ?, ?)
            """, [message.id, message.sessionID, parent, run])
    }

    static func isLinked(_ database: Database, _ message: Int64) throws -> Bool {
        try database.compiledRow("SELECT 1 FROM gateway_message_links WHERE message_id = ?", [message]) != nil
    }

    static func lastMessage(_ database: Database, _ session: String, _ rows: MessageRows) throws -> Int64? {
        try rows.keys(database, "m.session_id = ? ORDER BY time DESC, m.id DESC LIMIT 1", [session]).first?.key
    }

    /// The message before another in the order of the session; nil for the first.
    static func message(
        before id: Int64, in session: String, _ database: Database, _ rows: MessageRows
    ) throws -> Int64? {
        try rows.keys(database, "m.session_id = ? AND m.id < ? ORDER BY m.id DESC LIMIT 1", [session, id]).first?.key
    }
}

extension StoredChatRun {
    /// Nil for a row that another program wrote or changed beyond reading.
    fileprivate init?(_ row: Row) {
        guard let id = row.text("id"), let session = row.text("session_id"),
            let state = ChatRun.State(rawValue: row.text("state") ?? "")
        else { return nil }
        let record = row.bytes("record").flatMap { ChatRecord(json: $0) }
        self.init(
            id: id, session: session, question: row.text("question") ?? "", model: row.text("model") ?? "",
            request: row.text("request") ?? "{}", key: row.integer("key_id"), state: state,
            text: row.text("text") ?? "", record: record ?? ChatRecord(), error: row.text("error"),
            stopReason: row.text("stop_reason"), life: row.count("life"), userMessage: row.integer("user_message"),
            message: row.integer("message"), createdAt: row.date("created_at") ?? "",
            updatedAt: row.date("updated_at") ?? "")
    }
}
