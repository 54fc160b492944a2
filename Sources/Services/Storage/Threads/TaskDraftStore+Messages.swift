import Cryptography
import Foundation
import GRDB
package import GatewayAPI

/// Drafts that a person asks for, from a message of a chat or a text.
extension TaskDraftStore {
    /// Stands for the note of a draft that is of none.
    static let noNote = Int64.min

    /// Returns a message of a chat; nil when there is none.
    package func message(_ id: Int64) async throws -> Message? {
        try await database.read { database, layout in
            try MessageRows(table: layout.schema.messages).find(database, id)
        }
    }

    /// Keeps drafts of a message or a text. Those that exist stay as they are; declined ones are open again.
    ///
    /// - Parameters:
    ///   - message: The message; nil for a text.
    ///   - thread: The thread that they would belong to; nil for none.
    /// - Returns: The drafts, latest first.
    /// - Throws: ``StorageError``: invalid for a thread that does not exist; conflict when the tasks are confirmed, or there are
    ///   ``maxOpen`` drafts.
    package func create(
        _ tasks: [FoundTask], of message: Message?, thread: Int64?, at time: Int64
    ) async throws -> [TaskDraft] {
        guard try await openCount() + tasks.count <= Self.maxOpen else {
            throw StorageError(.conflict, "there are \(Self.maxOpen) open drafts: decide about some first")
        }
        return try await database.write { database, layout in
            if let thread { try TaskStore.check(thread, database, layout) }
            var drafts: [TaskDraft] = []
            for task in tasks {
                let text =
                    "message \(message?.id ?? 0) "
                    + task.source.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map(String.init)
                    .joined(separator: " ")
                let hash = Data(SHA256.hash(data: Data(text.utf8)))
                try database.execute(
                    sql: """
                        INSERT OR IGNORE INTO gateway_task_drafts
                            (note_id, span_hash, title, due, source, start, stop, thread_id, message_id, session_id, created_at)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        Self.noNote, hash, task.title, task.due, task.source, task.range.lowerBound,
                        task.range.upperBound,
                        thread, message?.id, message?.sessionID, time,
                    ])
                try database.execute(
                    sql: """
                        UPDATE gateway_task_drafts SET state = 'open', thread_id = coalesce(?, thread_id)
                        WHERE note_id = ? AND span_hash = ? AND state <> 'confirmed'
                        """, arguments: [thread, Self.noNote, hash])
                drafts += try TaskDraftRows(layout).fetch(
                    database, "d.note_id = ? AND d.span_hash = ? AND d.state = 'open'", [Self.noNote, hash])
            }
            guard !drafts.isEmpty else { throw StorageError(.conflict, "these tasks are confirmed already") }
            return drafts.sorted { $0.id > $1.id }
        }
    }
}
