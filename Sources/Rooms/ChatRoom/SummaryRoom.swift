package import Database

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Stores summaries of old messages, and which sessions wait for one. Messages are never changed.
///
/// Methods throw ``StorageError``, and a server's own error while it is away.
package struct SummaryRoom: Sendable {
    let store: any ChatStore

    // MARK: Reading

    /// Returns the summary that reaches furthest along a branch.
    ///
    /// - Parameter branch: The ids of messages that follow each other, oldest first.
    package func reaching(furthestIn branch: [Int64], of session: String) async throws -> ChatSummary? {
        guard !branch.isEmpty else { return nil }
        return try await store.snapshot { try Self.reaching(furthestIn: branch, of: session, $0) }
    }

    static func reaching(
        furthestIn branch: [Int64], of session: String, _ reader: any SQLSession
    ) throws -> ChatSummary? {
        guard !branch.isEmpty else { return nil }
        let places = Dictionary(branch.enumerated().map { ($1, $0) }) { first, _ in first }
        let known = try reader.rows("SELECT message_id FROM gateway_summaries WHERE session_id = $1", [.text(session)])
            .compactMap { $0.integer(0) }
        let found = known.compactMap { id in places[id].map { (place: $0, id: id) } }.max { $0.place < $1.place }
        guard let found else { return nil }
        return try reader.first(
            "SELECT \(ChatSummary.columns) FROM gateway_summaries WHERE message_id = $1", [.integer(found.id)]
        ).flatMap { ChatSummary($0) }
    }

    /// Returns the summary of a session that another program wrote; nil when there is none.
    package func foreignSummary(of session: String) async throws -> String? {
        try await store.snapshot { try store.conversations(in: $0).foreignSummary(of: session) }
    }

    /// Returns the session whose attempt is due first, also when that is in the future; nil when none waits.
    package func next() async throws -> PendingCompression? {
        try await store.rows(
            """
            SELECT \(PendingCompression.columns) FROM gateway_compressions WHERE due_at IS NOT NULL
            ORDER BY due_at, session_id LIMIT 1
            """, []
        ).first.flatMap { PendingCompression($0) }
    }

    /// Returns what a session waits for; nil when it does not wait.
    package func pending(_ session: String) async throws -> PendingCompression? {
        try await store.rows(
            """
            SELECT \(PendingCompression.columns) FROM gateway_compressions
            WHERE session_id = $1 AND due_at IS NOT NULL
            """, [.text(session)]
        ).first.flatMap { PendingCompression($0) }
    }

    // MARK: Writing

    /// Requests a summary of a message and all that it follows.
    ///
    /// A session that waits already gets the new message and model. Unless `promptly` is set, failed attempts keep their
    /// pause.
    /// - Returns: false when the session or the message does not exist.
    package func request(
        _ name: String, through message: Int64, model: String, key: Int64?, promptly: Bool
    ) async throws -> Bool {
        try await store.transaction { session in
            let tables = try store.conversations(in: session)
            guard try tables.lock(name), try tables.contains(message, of: name) else { return false }
            let before = try tables.compression(of: name).state
            try session.run(
                """
                INSERT INTO gateway_compressions (session_id, message_id, model, key_id, state_before, due_at)
                VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (session_id) DO UPDATE SET message_id = excluded.message_id, model = excluded.model,
                    key_id = excluded.key_id,
                    attempts = CASE WHEN $7 OR gateway_compressions.due_at IS NULL THEN 0
                        ELSE gateway_compressions.attempts END,
                    due_at = CASE WHEN $7 OR gateway_compressions.due_at IS NULL THEN excluded.due_at
                        ELSE gateway_compressions.due_at END,
                    error = CASE WHEN gateway_compressions.due_at IS NULL THEN NULL ELSE gateway_compressions.error END
                """,
                [
                    .text(name), .integer(message), .text(model), .integer(key),
                    .text(before == "processing" ? nil : before), .integer(try session.clock().now), .bool(promptly),
                ])
            try tables.show(state: "processing", of: name)
            return true
        }
    }

    /// Stores a summary and shows it in the session. A session that is gone keeps none.
    package func keep(_ summary: ChatSummary, of name: String) async throws {
        try await store.transaction { session in
            let tables = try store.conversations(in: session)
            guard try tables.lock(name) else { return }
            try Self.keep(summary, of: name, at: try session.clock().text, session)
            try tables.show(summary: summary.text, of: name)
        }
    }

    /// Stores a summary, in place of another one of its message.
    package static func keep(
        _ summary: ChatSummary, of name: String, at time: String, _ session: any SQLSession
    ) throws {
        try session.run(
            """
            INSERT INTO gateway_summaries (message_id, session_id, text, notes, model, created_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (message_id) DO UPDATE SET session_id = excluded.session_id, text = excluded.text,
                notes = excluded.notes, model = excluded.model, created_at = excluded.created_at
            """,
            [
                .integer(summary.message), .text(name), .text(summary.text),
                .text(String(decoding: try JSONEncoder().encode(summary.notes), as: UTF8.self)), .text(summary.model),
                .text(time),
            ])
    }

    /// Ends the wait of a session: its summary is complete. A request that came since goes on.
    package func finish(_ pending: PendingCompression) async throws {
        try await store.transaction { session in
            let tables = try store.conversations(in: session)
            _ = try tables.lock(pending.session)
            let ended = try session.run(
                "DELETE FROM gateway_compressions WHERE session_id = $1 AND message_id = $2",
                [.text(pending.session), .integer(pending.message)])
            guard ended > 0 else { return }
            // The messages are all there, and a summary of the old ones.
            let hasSummary = try tables.compression(of: pending.session).hasSummary
            try tables.show(state: hasSummary ? "hybrid" : "full", of: pending.session)
        }
    }

    /// Records a failed attempt.
    ///
    /// - Parameter retryAt: When the next attempt is due, in milliseconds since 1970; nil gives up.
    package func fail(_ pending: PendingCompression, _ error: String, retryAt: Int64?) async throws {
        try await store.transaction { session in
            let tables = try store.conversations(in: session)
            _ = try tables.lock(pending.session)
            let failed = try session.first(
                """
                UPDATE gateway_compressions SET attempts = attempts + 1, due_at = $1, error = $2 WHERE session_id = $3
                RETURNING state_before
                """, [.integer(retryAt), .text(error), .text(pending.session)])
            guard let failed, retryAt == nil else { return }
            try tables.show(state: failed.text(0) ?? "full", of: pending.session)
        }
    }
}

extension ChatSummary {
    /// The columns that ``init(_:)`` reads, in their order.
    package static let columns = "message_id, text, notes, model"

    /// Nil for a row that another program wrote or changed beyond reading.
    package init?(_ row: SQLRow) {
        guard let message = row.integer(0), let text = row.text(1) else { return nil }
        let notes = row.bytes(2).flatMap { try? JSONDecoder().decode([Int64].self, from: Data($0)) }
        self.init(message: message, text: text, notes: notes ?? [], model: row.text(3) ?? "")
    }
}

extension PendingCompression {
    /// The columns that ``init(_:)`` reads, in their order.
    static let columns = "session_id, message_id, model, key_id, attempts, due_at"

    /// Nil for a row that another program wrote or changed beyond reading.
    init?(_ row: SQLRow) {
        guard let session = row.text(0), let message = row.integer(1) else { return nil }
        self.init(
            session: session, message: message, model: row.text(2) ?? "", key: row.integer(3), attempts: row.count(4),
            dueAt: row.integer(5))
    }
}
