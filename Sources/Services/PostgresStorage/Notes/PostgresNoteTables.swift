import Database
import Storage

/// The store's own tables of notes and threads.
struct PostgresNoteTables: NoteTables {
    let session: PostgresSession

    var notes: String {
        """
        (SELECT id, title, content, created_at, created AS time, content_hash AS hash FROM notes WHERE NOT hidden)
        """
    }

    var threads: String {
        """
        (SELECT id, name, CASE WHEN coalesce(extra::json ->> 'status', 'active') = 'active' THEN 1 ELSE 0 END AS is_active,
            coalesce(created, 0) AS time, extra::json ->> 'why' AS why, extra::json ->> 'summary' AS summary
        FROM threads)
        """
    }

    var members: String { "thread_notes" }

    var tasks: String {
        """
        (SELECT id, thread_id, NULL AS things_task_id, NULL AS title, created_at, NULL AS completed_at,
            created_at AS time
        FROM gateway_tasks)
        """
    }

    var pairs: String { "gateway_associations" }

    var pairTable: (name: String, similarity: String)? { ("gateway_associations", "similarity") }

    var keepsCompletion: Bool { false }

    func threadNames(limit: Int) throws -> [(id: Int64, name: String)] {
        try session.rows(
            """
            SELECT t.id, \(session.dialect.bounded("t.name", 1024)) FROM threads t
            LEFT JOIN gateway_thread_heat h ON h.thread_id = t.id
            ORDER BY coalesce(h.momentum, 0) DESC, t.id DESC LIMIT $1
            """, [.count(limit)]
        ).compactMap { row in
            guard let id = row.integer(0), let name = row.text(1) else { return nil }
            return (id, name)
        }
    }

    func makeThread(_ name: String, why: String, summary: String?, _ notes: [Int64]) throws -> Int64 {
        var columns: [String: ExtraColumns.Cell] = ["why": .text(why), "status": .text("active")]
        columns["summary"] = summary.map { .text($0) }
        let row = try session.first(
            "INSERT INTO threads (name, folded, created, extra) VALUES ($1, $2, $3, $4) RETURNING id",
            [
                .text(name), .text(PostgresNotes.foldedName(name)), .integer(try session.clock().now / 1000),
                .text(ExtraColumns.text(ofThread: columns)),
            ])
        guard let id = row?.integer(0) else { throw PostgresError(.failed, "a new thread cannot be read back") }
        try add(notes, to: id)
        return id
    }

    func add(_ notes: [Int64], to thread: Int64) throws {
        try session.run(
            """
            INSERT INTO thread_notes (thread_id, note_id) SELECT $1, value FROM \(session.dialect.numbers("$2")) AS n
            ON CONFLICT DO NOTHING
            """, [.integer(thread), .numbers(notes)])
    }

    func remove(_ notes: [Int64], from thread: Int64) throws {
        try session.run(
            "DELETE FROM thread_notes WHERE thread_id = $1 AND note_id IN \(session.dialect.numbers("$2"))",
            [.integer(thread), .numbers(notes)])
    }

    /// The score is beside the threads.
    func setMomentum(_ momentum: Double, of thread: Int64) {}

    func addTask(_ title: String, to thread: Int64) throws -> Int64 {
        let row = try session.first(
            "INSERT INTO gateway_tasks (thread_id, created_at) VALUES ($1, $2) RETURNING id",
            [.integer(thread), .integer(try session.clock().now / 1000)])
        guard let id = row?.integer(0) else { throw PostgresError(.failed, "a new task cannot be read back") }
        return id
    }

    func putTask(_ id: Int64, _ title: String?, in thread: Int64, at time: Int64) throws -> Bool {
        try session.run(
            """
            INSERT INTO gateway_tasks (id, thread_id, created_at) SELECT $1, id, $3 FROM threads WHERE id = $2
            ON CONFLICT (id) DO UPDATE SET thread_id = excluded.thread_id, created_at = excluded.created_at
            """, [.integer(id), .integer(thread), .integer(time)]) > 0
    }

    func removeTask(_ id: Int64) throws {
        try session.run("DELETE FROM gateway_tasks WHERE id = $1", [.integer(id)])
    }

    func completeTask(_ id: Int64, at time: String?) {}

    func taskTime() throws -> String { try session.clock().text }

    func keepToken(_ token: String, platform: String?) throws {
        try session.run(
            """
            INSERT INTO device_tokens AS d (token, platform, created_at, last_seen_at) VALUES ($1, coalesce($2, 'ios'), $3, $3)
            ON CONFLICT (token) DO UPDATE SET platform = coalesce($2, d.platform), last_seen_at = $3
            """, [.text(token), .text(platform), .integer(try session.clock().now / 1000)])
    }

    func forgetToken(_ token: String) throws {
        try session.run("DELETE FROM device_tokens WHERE token = $1", [.text(token)])
    }

    func tokens() throws -> [String: String] {
        let rows = try session.rows("SELECT token, platform FROM device_tokens")
        return Dictionary(rows.map { ($0.text(0) ?? "", $0.text(1) ?? "") }) { first, _ in first }
    }
}
