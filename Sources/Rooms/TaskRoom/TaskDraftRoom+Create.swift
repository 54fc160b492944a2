import Cryptography
import Database
package import GatewayAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Drafts that a person asks for, from a message of a chat or a text.
extension TaskDraftRoom {
    /// Stands for the note of a draft that is of none.
    static let noNote = Int64.min

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
        return try await store.transaction { session in
            if let thread { try TaskRoom.check(thread, session) }
            var drafts: [TaskDraft] = []
            for task in tasks {
                let text =
                    "message \(message?.id ?? 0) "
                    + task.source.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map(String.init)
                    .joined(separator: " ")
                let hash = SQLValue.bytes(Array(SHA256.hash(data: Data(text.utf8))))
                // In PostgreSQL an insertion that conflicts would use up an id.
                let known = try session.first(
                    "SELECT 1 FROM gateway_task_drafts WHERE note_id = $1 AND span_hash = $2",
                    [.integer(Self.noNote), hash])
                if known == nil {
                    try session.run(
                        """
                        INSERT INTO gateway_task_drafts
                            (note_id, span_hash, title, due, source, start, stop, thread_id, message_id, session_id, created_at)
                        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (note_id, span_hash) DO NOTHING
                        """,
                        [
                            .integer(Self.noNote), hash, .text(task.title), .text(task.due), .text(task.source),
                            .count(task.range.lowerBound), .count(task.range.upperBound), .integer(thread),
                            .integer(message?.id), .text(message?.sessionID), .integer(time),
                        ])
                }
                try session.run(
                    """
                    UPDATE gateway_task_drafts SET state = 'open', thread_id = coalesce($1, thread_id)
                    WHERE note_id = $2 AND span_hash = $3 AND state <> 'confirmed'
                    """, [.integer(thread), .integer(Self.noNote), hash])
                drafts += try Self.fetch(
                    session, "d.note_id = $1 AND d.span_hash = $2 AND d.state = 'open'",
                    [.integer(Self.noNote), hash])
            }
            guard !drafts.isEmpty else { throw StorageError(.conflict, "these tasks are confirmed already") }
            return drafts.sorted { $0.id > $1.id }
        }
    }
}
