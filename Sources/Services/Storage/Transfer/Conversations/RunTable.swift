import ChatRoom
import Database
import GatewayAPI

/// The answers of a chat session in a store of either engine, for a migration. Those in progress stay where they are.
package struct RunTable: TransferTable {
    private static let columns = "\(StoredChatRun.columns), number"
    private static let isMoved = "session_id = $1 AND owner IS NULL"

    let session: TransferSession

    package init(_ session: TransferSession) { self.session = session }

    package func page(after key: Int64?, through last: Int64?) async throws -> TransferRows<RunRecord> {
        let range = "\(Self.isMoved) AND number > $2 AND number <= $3 ORDER BY number"
        let start: [SQLValue] = [.text(session.id), .integer(key ?? .min)]
        return try await session.store.snapshot { reader in
            // The end of the page is found before texts are loaded.
            let sizes = try reader.rows(
                "SELECT number, length(text) + length(record) FROM gateway_chat_runs WHERE \(range) LIMIT $4",
                start + [.integer(last ?? .max), .count(FileConversations.mostRows)])
            var (end, size) = (Int64?.none, 0)
            for row in sizes where size < FileConversations.mostBytes {
                end = row.integer(0)
                size += row.count(1)
            }
            guard let end else { return TransferRows([], last: nil) }
            let rows = try reader.rows(
                "SELECT \(Self.columns) FROM gateway_chat_runs WHERE \(range)", start + [.integer(end)])
            return TransferRows(rows.compactMap { RunRecord($0) }, last: end)
        }
    }

    package func rows(_ keys: [Int64]) async throws -> [RunRecord] {
        try await session.store.snapshot { [session] reader in
            try keys.sorted().compactMap { key in
                try reader.first(
                    "SELECT \(Self.columns) FROM gateway_chat_runs WHERE \(Self.isMoved) AND number = $2",
                    [.text(session.id), .integer(key)]
                ).flatMap { RunRecord($0) }
            }
        }
    }

    package func apply(_ rows: [RunRecord], removing: [Int64], _ state: TransferState) async throws {
        try await session.apply(state) { writer, hasSession in
            for number in removing {
                try writer.run(
                    "DELETE FROM gateway_chat_runs WHERE \(Self.isMoved) AND number = $2",
                    [.text(session.id), .integer(number)])
            }
            for row in rows where hasSession {
                try writer.run(
                    "DELETE FROM gateway_chat_runs WHERE number = $1 OR id = $2", [.integer(row.key), .text(row.id)])
                try writer.run(Self.insert, values(row))
            }
        }
    }

    private static let insert = """
        INSERT INTO gateway_chat_runs (session_id, number, id, key_id, state, question, request, model, text, record,
            error, stop_reason, life, user_message, message, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
        """

    private func values(_ row: RunRecord) -> [SQLValue] {
        [
            .text(session.id), .integer(row.key), .text(row.id), .integer(row.keyID), .text(row.state),
            .text(row.question), .text(row.request), .text(row.model), .text(row.text), .text(row.record),
            .text(row.error), .text(row.stopReason), .integer(row.life), .integer(row.userMessage),
            .integer(row.message), .text(Timestamp.text(row.created)), .text(Timestamp.text(row.updated)),
        ]
    }
}

extension RunRecord {
    /// Nil for a run that has not ended, or that another program made unreadable.
    fileprivate init?(_ row: SQLRow) {
        guard let run = StoredChatRun(row), run.state.isFinal, let number = row.integer(16) else { return nil }
        self.init(run, number: number, record: row.text(15) ?? "{}")
    }
}
