import ChatRoom
package import Database
import GatewayAPI

/// The summaries of a chat session in a store of either engine, for a migration.
package struct SummaryTable: TransferTable {
    private static let columns = "\(ChatSummary.columns), created_at"

    let session: TransferSession

    package init(_ session: TransferSession) { self.session = session }

    package func page(after key: Int64?, through last: Int64?) async throws -> TransferRows<SummaryRecord> {
        let rows = try await session.store.rows(
            """
            SELECT \(Self.columns) FROM gateway_summaries WHERE session_id = $1 AND message_id > $2 AND message_id <= $3
            ORDER BY message_id LIMIT $4
            """,
            [
                .text(session.id), .integer(key ?? .min), .integer(last ?? .max), .count(FileConversations.mostRows),
            ])
        return TransferRows(rows.compactMap { SummaryRecord($0) }, last: rows.last?.integer(0))
    }

    package func rows(_ keys: [Int64]) async throws -> [SummaryRecord] {
        try await session.store.snapshot { [session] reader in
            try keys.sorted().compactMap { key in
                try reader.first(
                    "SELECT \(Self.columns) FROM gateway_summaries WHERE session_id = $1 AND message_id = $2",
                    [.text(session.id), .integer(key)]
                ).flatMap { SummaryRecord($0) }
            }
        }
    }

    package func apply(_ rows: [SummaryRecord], removing: [Int64], _ state: TransferState) async throws {
        try await session.apply(state) { [session] writer, hasSession in
            for message in removing {
                try writer.run(
                    "DELETE FROM gateway_summaries WHERE session_id = $1 AND message_id = $2",
                    [.text(session.id), .integer(message)])
            }
            for row in rows where hasSession {
                try SummaryRoom.keep(
                    ChatSummary(message: row.key, text: row.text, notes: row.notes, model: row.model),
                    of: session.id, at: Timestamp.text(row.created), writer)
            }
        }
    }
}

extension SummaryRecord {
    fileprivate init?(_ row: SQLRow) {
        guard let summary = ChatSummary(row) else { return nil }
        self.init(summary, created: row.date(4).flatMap(Timestamp.unixSeconds) ?? 0)
    }
}

/// A chat session of a store whose rows move.
package struct TransferSession: Sendable {
    let store: any SQLStore
    let id: String
    private let states: String

    /// - Parameter states: See ``RoomTransfer/states``.
    package init(_ store: any SQLStore, _ key: TextKey, states: String) {
        (self.store, id, self.states) = (store, key.text, states)
    }

    /// Writes rows in one transaction, if the migration's run still holds the store. A session that is gone takes none.
    func apply(
        _ state: TransferState, _ body: @escaping @Sendable (any SQLSession, _ hasSession: Bool) throws -> Void
    ) async throws {
        try await store.transaction { writer in
            try state.check(in: states, writer)
            let known = try writer.first(
                "SELECT 1 FROM chat_sessions WHERE id = $1\(writer.dialect.locksRows)", [.text(id)])
            try body(writer, known != nil)
        }
    }
}
