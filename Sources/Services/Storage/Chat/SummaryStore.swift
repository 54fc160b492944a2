import Foundation
import GRDB
import GatewayAPI

/// Stores summaries of old messages, and which sessions wait for one. Messages are never changed.
package struct SummaryStore: Sendable {
    let database: GatewayDatabase

    /// Returns the summary that reaches furthest along a branch.
    ///
    /// - Parameter branch: The ids of messages that follow each other, oldest first.
    package func reaching(furthestIn branch: [Int64], of session: String) async throws -> ChatSummary? {
        guard !branch.isEmpty else { return nil }
        return try await database.read { try Self.reaching(furthestIn: branch, of: session, $0) }
    }

    static func reaching(
        furthestIn branch: [Int64], of session: String, _ database: Database
    ) throws -> ChatSummary? {
        guard !branch.isEmpty else { return nil }
        let places = Dictionary(branch.enumerated().map { ($1, $0) }) { first, _ in first }
        let known = try database.compiledRows(
            "SELECT message_id FROM gateway_summaries WHERE session_id = ?", [session]
        ).compactMap { $0.integer(0) }
        let found = known.compactMap { id in places[id].map { (place: $0, id: id) } }.max { $0.place < $1.place }
        return try found.flatMap { try find(database, $0.id) }
    }

    /// Returns the summary of a session that another program wrote; nil when there is none.
    package func foreignSummary(of session: String) async throws -> String? {
        try await database.read { try Self.foreignSummary(of: session, $0, $1) }
    }

    static func foreignSummary(of session: String, _ database: Database, _ layout: FileLayout) throws -> String? {
        try SessionRows(table: layout.schema.sessions).foreignSummary(database, session)
    }

    /// Requests a summary of a message and all that it follows.
    ///
    /// A session that waits already gets the new message and model. Unless `promptly` is set, failed attempts keep their
    /// pause.
    /// - Returns: false when the session or the message does not exist.
    package func request(
        _ session: String, through message: Int64, model: String, key: Int64?, promptly: Bool
    ) async throws -> Bool {
        try await database.write { database, layout in
            let messages = MessageRows(table: layout.schema.messages)
            guard try SessionRows.contain(session, in: database),
                try messages.find(database, message)?.sessionID == session
            else { return false }
            let sessions = SessionRows(table: layout.schema.sessions)
            let before = try sessions.find(database, session)?.compressionState
            try database.execute(
                sql: """
                    INSERT INTO gateway_compressions (session_id, message_id, model, key_id, state_before, due_at)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                    ON CONFLICT (session_id) DO UPDATE SET message_id = ?2, model = ?3, key_id = ?4,
                        attempts = iif(?7 OR due_at IS NULL, 0, attempts),
                        due_at = iif(?7 OR due_at IS NULL, ?6, due_at), error = iif(due_at IS NULL, NULL, error)
                    """,
                arguments: [
                    session, message, model, key, before == "processing" ? nil : before, Timestamp.milliseconds,
                    promptly,
                ])
            try sessions.mark(database, session, state: "processing")
            return true
        }
    }

    /// Returns the session whose attempt is due first, also when that is in the future; nil when none waits.
    package func next() async throws -> PendingCompression? {
        try await database.read { database in
            try Row.fetchOne(
                database,
                sql: "SELECT * FROM gateway_compressions WHERE due_at IS NOT NULL ORDER BY due_at, session_id LIMIT 1"
            ).flatMap { PendingCompression($0) }
        }
    }

    /// Returns what a session waits for; nil when it does not wait.
    package func pending(_ session: String) async throws -> PendingCompression? {
        try await database.read { database in
            try Row.fetchOne(
                database, sql: "SELECT * FROM gateway_compressions WHERE session_id = ? AND due_at IS NOT NULL",
                arguments: [session]
            ).flatMap { PendingCompression($0) }
        }
    }

    /// Stores a summary and shows it in the session. A session that is gone keeps none.
    package func keep(_ summary: ChatSummary, of session: String) async throws {
        let notes = String(decoding: try JSONEncoder().encode(summary.notes), as: UTF8.self)
        try await database.write { database, layout in
            guard try SessionRows.contain(session, in: database) else { return }
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO gateway_summaries (message_id, session_id, text, notes, model, created_at)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """, arguments: [summary.message, session, summary.text, notes, summary.model, Timestamp.now])
            try SessionRows(table: layout.schema.sessions).mark(database, session, summary: summary.text)
        }
    }

    /// Ends the wait of a session: its summary is complete. A request that came since goes on.
    package func finish(_ pending: PendingCompression) async throws {
        try await database.write { database, layout in
            try database.execute(
                sql: "DELETE FROM gateway_compressions WHERE session_id = ? AND message_id = ?",
                arguments: [pending.session, pending.message])
            guard database.changesCount > 0 else { return }
            // The messages are all there, and a summary of the old ones.
            let sessions = SessionRows(table: layout.schema.sessions)
            let hasSummary = try sessions.find(database, pending.session)?.summaryText != nil
            try sessions.mark(database, pending.session, state: hasSummary ? "hybrid" : "full")
        }
    }

    /// Records a failed attempt.
    ///
    /// - Parameter retryAt: When the next attempt is due, in milliseconds since 1970; nil gives up.
    package func fail(_ pending: PendingCompression, _ error: String, retryAt: Int64?) async throws {
        try await database.write { database, layout in
            let before = try Row.fetchOne(
                database, sql: "SELECT state_before FROM gateway_compressions WHERE session_id = ?",
                arguments: [pending.session])?.text(0)
            try database.execute(
                sql: """
                    UPDATE gateway_compressions SET attempts = attempts + 1, due_at = ?, error = ? WHERE session_id = ?
                    """, arguments: [retryAt, error, pending.session])
            guard database.changesCount > 0, retryAt == nil else { return }
            try SessionRows(table: layout.schema.sessions).mark(database, pending.session, state: before ?? "full")
        }
    }

    static func find(_ database: Database, _ message: Int64) throws -> ChatSummary? {
        let row = try Row.fetchOne(
            database, sql: "SELECT * FROM gateway_summaries WHERE message_id = ?", arguments: [message])
        guard let row, let text = row.text("text") else { return nil }
        let notes = row.bytes("notes").flatMap { try? JSONDecoder().decode([Int64].self, from: $0) }
        return ChatSummary(message: message, text: text, notes: notes ?? [], model: row.text("model") ?? "")
    }
}

extension PendingCompression {
    /// Nil for a row that another program wrote or changed beyond reading.
    fileprivate init?(_ row: Row) {
        guard let session = row.text("session_id"), let message = row.integer("message_id") else { return nil }
        self.init(
            session: session, message: message, model: row.text("model") ?? "", key: row.integer("key_id"),
            attempts: row.count("attempts"), dueAt: row.integer("due_at"))
    }
}

extension SessionRows {
    /// Changes how a session's compression is shown; its time of change stays, so lists keep their order.
    func mark(_ database: Database, _ id: String, state: String? = nil, summary: String? = nil) throws {
        var values: [(column: String, value: String)] = []
        if let state { values.append(("compression_state", state)) }
        if let summary {
            let style = try DateStyle.of(table, "updated_at", in: database)
            values += [("summary_text", summary), ("compressed_at", style.now)]
        }
        values.removeAll { !table.names.contains($0.column) }
        guard !values.isEmpty else { return }
        try database.execute(
            sql: "UPDATE chat_sessions SET \(values.map { "\($0.column) = ?" }.joined(separator: ", ")) WHERE id = ?",
            arguments: StatementArguments(values.map(\.value)) + [id])
    }
}
