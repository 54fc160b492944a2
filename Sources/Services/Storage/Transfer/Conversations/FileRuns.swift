import Foundation
import GRDB
import GatewayAPI

/// The answers of a chat session in an SQLite file, for a migration.
struct FileRuns: TransferTable {
    /// SQL over `r`: what has ended and has a number.
    static let isMoved = "typeof(r.number) = 'integer' AND r.owner IS NULL"

    let database: GatewayDatabase
    let session: String

    func page(after key: Int64?, through last: Int64?) async throws -> TransferRows<RunRecord> {
        guard let range = FileConversations.range(after: key, through: last) else { return TransferRows([], last: nil) }
        return try await database.read { database in
            let numbers = try Scalar.integers(
                database,
                sql: """
                    SELECT r.number FROM gateway_chat_runs r
                    WHERE r.session_id = ? AND r.number BETWEEN ? AND ? AND \(Self.isMoved)
                    ORDER BY r.number LIMIT \(FileConversations.mostRows)
                    """, arguments: [session, range.first, range.last])
            return try FileConversations.rows(numbers, size: { $0.text.utf8.count + $0.record.utf8.count }) { number in
                try find(number, database)
            }
        }
    }

    func rows(_ keys: [Int64]) async throws -> [RunRecord] {
        try await database.read { database in try keys.sorted().compactMap { try find($0, database) } }
    }

    private func find(_ number: Int64, _ database: Database) throws -> RunRecord? {
        let row = try database.compiledRow(
            "SELECT r.id, r.record FROM gateway_chat_runs r WHERE r.number = ? AND \(Self.isMoved)", [number])
        guard let row, let id = row.text(0), let run = try ChatRunRows.find(database, id), run.state.isFinal,
            run.session.utf8.elementsEqual(session.utf8)
        else { return nil }
        return RunRecord(run, number: number, record: row.text(1) ?? "{}")
    }

    func apply(_ rows: [RunRecord], removing: [Int64], _ state: TransferState) async throws {
        try await database.write { database, _ in
            try FileTransfer.check(state, database)
            for number in removing {
                try database.execute(
                    sql: "DELETE FROM gateway_chat_runs WHERE number = ? AND session_id = ? AND owner IS NULL",
                    arguments: [number, session])
            }
            for row in rows {
                try database.execute(
                    sql: """
                        INSERT OR REPLACE INTO gateway_chat_runs
                        (id, number, session_id, key_id, state, question, request, model, text, record, error,
                            stop_reason, life, user_message, message, created_at, updated_at)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        row.id, row.key, session, row.keyID, row.state, row.question, row.request, row.model, row.text,
                        row.record, row.error, row.stopReason, row.life, row.userMessage, row.message,
                        Timestamp.text(row.created), Timestamp.text(row.updated),
                    ])
            }
        }
    }
}

/// The summaries of a chat session in an SQLite file, for a migration.
struct FileSummaries: TransferTable {
    let database: GatewayDatabase
    let session: String

    func page(after key: Int64?, through last: Int64?) async throws -> TransferRows<SummaryRecord> {
        guard let range = FileConversations.range(after: key, through: last) else { return TransferRows([], last: nil) }
        return try await database.read { database in
            let ids = try Scalar.integers(
                database,
                sql: """
                    SELECT message_id FROM gateway_summaries WHERE session_id = ? AND message_id BETWEEN ? AND ?
                    ORDER BY message_id LIMIT \(FileConversations.mostRows)
                    """, arguments: [session, range.first, range.last])
            return try FileConversations.rows(ids, size: { $0.text.utf8.count }) { try find($0, database) }
        }
    }

    func rows(_ keys: [Int64]) async throws -> [SummaryRecord] {
        try await database.read { database in try keys.sorted().compactMap { try find($0, database) } }
    }

    private func find(_ message: Int64, _ database: Database) throws -> SummaryRecord? {
        let row = try database.compiledRow(
            "SELECT session_id, created_at FROM gateway_summaries WHERE message_id = ?", [message])
        guard let row, row.text(0)?.utf8.elementsEqual(session.utf8) == true,
            let summary = try SummaryStore.find(database, message)
        else { return nil }
        return SummaryRecord(summary, created: row.date(1).flatMap(Timestamp.unixSeconds) ?? 0)
    }

    func apply(_ rows: [SummaryRecord], removing: [Int64], _ state: TransferState) async throws {
        try await database.write { database, _ in
            try FileTransfer.check(state, database)
            for message in removing {
                try database.execute(
                    sql: "DELETE FROM gateway_summaries WHERE message_id = ? AND session_id = ?",
                    arguments: [message, session])
            }
            for row in rows {
                let notes = String(decoding: try JSONEncoder().encode(row.notes), as: UTF8.self)
                try database.execute(
                    sql: """
                        INSERT OR REPLACE INTO gateway_summaries (message_id, session_id, text, notes, model, created_at)
                        VALUES (?, ?, ?, ?, ?, ?)
                        """, arguments: [row.key, session, row.text, notes, row.model, Timestamp.text(row.created)])
            }
        }
    }
}
