import Foundation
import GRDB
package import GatewayAPI

/// What happened in the database that the gateway may notify of.
package struct PushOccasion: Sendable, Hashable {
    /// What makes it unique over all servers.
    package var origin: String
    /// A job's kind, a thread's name or the begin of a question.
    package var name: String
    /// What else is known.
    package var detail: String
    /// Milliseconds since 1970 after which it is not worth a message; nil for never.
    package var expires: Int64?

    package init(origin: String, name: String, detail: String, expires: Int64? = nil) {
        self.origin = origin
        self.name = name
        self.detail = detail
        self.expires = expires
    }
}

/// How far triggers have looked.
package struct PushTriggerCursor: Codable, Sendable, Hashable {
    /// Jobs and answers that ended at this time or later are looked at again, as `YYYY-MM-DD HH:MM:SS` in UTC.
    package var since: String
    /// The highest id of a thread.
    package var thread: Int64

    package init(since: String, thread: Int64) {
        self.since = since
        self.thread = thread
    }
}

/// Finds what happened in the tables of other parts. Jobs, answers and threads are where the notes are; of what is off there,
/// nothing happens.
package struct PushTriggerStore: Sendable {
    let database: GatewayDatabase
    let store: any SQLStore

    /// Occasions of one kind that one look returns at most.
    private static let maxOccasions = 100

    /// Where triggers start that never looked before: what happens from now on.
    package func triggerStart() async throws -> PushTriggerCursor {
        let isMissing = try await isWithoutThreads()
        return try await store.snapshot { session in
            let newest = isMissing ? nil : try session.first("SELECT max(id) FROM threads")
            return PushTriggerCursor(since: try session.clock().text, thread: newest?.integer(0) ?? 0)
        }
    }

    /// Whether the tables of threads are not there.
    private func isWithoutThreads() async throws -> Bool {
        guard store.dialect == .sqlite else { return false }
        return try await database.read { try !$0.tableExists("threads") }
    }

    /// Jobs that ended at a time or later.
    ///
    /// - Parameter state: `done` or `failed`.
    package func endedJobs(_ state: Job.State, since: String) async throws -> [PushOccasion] {
        try await store.rows(
            """
            SELECT id, kind, \(store.dialect.bounded("message", 4096)), finished_at FROM gateway_jobs
            WHERE state = $1 AND finished_at >= $2 ORDER BY id DESC LIMIT $3
            """, [.text(state.rawValue), .text(since), .count(Self.maxOccasions)]
        ).compactMap { row in
            row.integer(0).map {
                PushOccasion(
                    origin: "job/\($0)/\(row.text(3) ?? "")", name: row.text(1) ?? "", detail: row.text(2) ?? "")
            }
        }
    }

    /// Answers of chats that ended at a time or later.
    package func readyAnswers(since: String) async throws -> [PushOccasion] {
        try await store.rows(
            """
            SELECT id, substr(question, 1, 200), session_id FROM gateway_chat_runs
            WHERE state = 'done' AND updated_at >= $1 AND number > (SELECT coalesce(max(number), 0) - 1000
            FROM gateway_chat_runs) ORDER BY number DESC LIMIT $2
            """, [.text(since), .count(Self.maxOccasions)]
        ).compactMap { row in
            row.text(0).map {
                PushOccasion(origin: "answer/\($0)", name: row.text(1) ?? "", detail: row.text(2) ?? "")
            }
        }
    }

    /// Briefings that were made at a time or later. A briefing that is made anew is the same occasion.
    package func newBriefings(since: String) async throws -> [PushOccasion] {
        guard let start = Timestamp.unixSeconds(since) else { return [] }
        return try await database.read { database in
            try Row.fetchAll(
                database,
                sql:
                    "SELECT \(ValueLimit.bounded("day", 64)) FROM gateway_briefings WHERE made_at >= ? ORDER BY day DESC LIMIT ?",
                arguments: [start, Self.maxOccasions]
            ).compactMap { row in
                row.text(0).map { PushOccasion(origin: "briefing/\($0)", name: $0, detail: "") }
            }
        }
    }

    /// Pairs of similar notes that a job found for the first time, at a time or later. Pairs with a hidden or deleted note are
    /// left out. The name is the title of the older note, the detail that of the other one.
    package func newPairs(since: String) async throws -> [PushOccasion] {
        guard let start = Timestamp.unixSeconds(since) else { return [] }
        return try await database.read { database, layout in
            let columns = layout.columns
            return try Row.fetchAll(
                database,
                sql: """
                    SELECT p.note_a_id, p.note_b_id, \(ValueLimit.bounded(columns.raw("title", of: "na"), 4096)),
                    \(ValueLimit.bounded(columns.raw("title", of: "nb"), 4096)) FROM gateway_new_pairs p
                    JOIN raw_notes na ON na.id = p.note_a_id JOIN raw_notes nb ON nb.id = p.note_b_id
                    WHERE p.found_at >= ? AND \(columns.isShown("na")) AND \(columns.isShown("nb"))
                    ORDER BY p.found_at DESC, p.similarity DESC, p.note_a_id, p.note_b_id LIMIT ?
                    """, arguments: [start, Self.maxOccasions]
            ).compactMap { row in
                guard let first = row.integer(0), let second = row.integer(1) else { return nil }
                return PushOccasion(
                    origin: "pair/\(first)/\(second)", name: row.text(2) ?? "", detail: row.text(3) ?? "")
            }
        }
    }

    /// Open proposals of new threads that were made at a time or later. A proposal that changes is the same occasion.
    package func proposedThreads(since: String) async throws -> [PushOccasion] {
        guard let start = Timestamp.unixSeconds(since) else { return [] }
        return try await database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT id, \(ValueLimit.bounded("name", 4096)), \(ValueLimit.bounded("why", 4096))
                    FROM gateway_thread_proposals WHERE created_at >= ? AND kind = 'new' AND state = 'open'
                    ORDER BY id DESC LIMIT ?
                    """, arguments: [start, Self.maxOccasions]
            ).compactMap { row in
                row.integer(0).map {
                    PushOccasion(origin: "proposal/\($0)", name: row.text(1) ?? "", detail: row.text(2) ?? "")
                }
            }
        }
    }

    /// Threads that began to heat up at a time or later, each once for every time that it begins.
    package func heatingThreads(since: String) async throws -> [PushOccasion] {
        guard let start = Timestamp.unixSeconds(since) else { return [] }
        return try await database.read { database, layout in
            let threads = layout.schema.threads
            guard threads.names.contains("id") else { return [] }
            return try Row.fetchAll(
                database,
                sql: """
                    SELECT h.thread_id, \(threads.bounded("t", "name", limit: 4096)), h.recent, h.before, h.since
                    FROM gateway_thread_heat h JOIN threads t ON t.id = h.thread_id
                    WHERE h.heat = 'heating' AND h.since >= ? ORDER BY h.since DESC, h.thread_id LIMIT ?
                    """, arguments: [start, Self.maxOccasions]
            ).compactMap { row in
                row.integer(0).map {
                    PushOccasion(
                        origin: "heating/\($0)/\(row.integer(4) ?? 0)", name: row.text(1) ?? "",
                        detail: "\(row.count(2)) notes in the last 7 days, \(row.count(3)) in the 4 weeks before")
                }
            }
        }
    }

    /// Threads after an id that no accepted proposal made, and the highest id now.
    package func newThreads(after id: Int64) async throws -> (occasions: [PushOccasion], newest: Int64) {
        guard try await !isWithoutThreads() else { return ([], 0) }
        return try await store.snapshot { session in
            let words = session.dialect
            let newest = try session.first("SELECT max(id) FROM threads")?.integer(0) ?? 0
            guard newest > id else { return ([], newest) }
            // Proposals are made in files only.
            let proposed =
                """
                 AND id NOT IN (SELECT value FROM gateway_thread_proposals, json_each(made_threads)
                WHERE state = 'accepted' AND json_valid(made_threads))
                """
            let rows = try session.rows(
                """
                SELECT id, \(words.bounded("name", 4096)) FROM threads
                WHERE id > $1\(words == .sqlite ? proposed : "") ORDER BY id LIMIT $2
                """, [.integer(id), .count(Self.maxOccasions)])
            return (
                rows.compactMap { row in
                    row.integer(0).map { PushOccasion(origin: "thread/\($0)", name: row.text(1) ?? "", detail: "") }
                }, newest
            )
        }
    }
}
