package import Database

extension TaskRoom {
    /// Tasks move with what only the gateway knows about them.
    package static let tables = [
        RoomTable("tasks", id: "id").with {
            ($0.view, $0.rest) = (tasks, "tasks of no thread stay")
        },
        RoomTable("gateway_task_drafts", id: "id").with { $0.unique = [["note_id", "span_hash"]] },
        RoomTable("gateway_task_scans", key: "note_id"),
    ]

    private static let tasks = RoomView(
        [
            SQLColumn(name: "id", type: "integer"), SQLColumn(name: "thread_id", type: "integer"),
            SQLColumn(name: "created_at", type: "integer"), SQLColumn(name: "title", type: "text"),
            SQLColumn(name: "due", type: "text"), SQLColumn(name: "completed_at", type: "text"),
        ],
        tables: [
            .sqlite: ["thread_tasks", "gateway_task_details"], .postgres: ["gateway_tasks", "gateway_task_details"],
        ],
        known: ["id", "thread_id", "created_at", "title", "description", "completed_at"],
        rows: { session in
            let tables = try session.noteTables()
            return """
                (SELECT k.id AS id, k.thread_id AS thread_id, k.time AS created_at, coalesce(d.title, k.title) AS title,
                    d.due AS due, \(tables.keepsCompletion ? "k" : "d").completed_at AS completed_at
                FROM \(tables.tasks) k LEFT JOIN gateway_task_details d ON d.task_id = k.id
                WHERE EXISTS (SELECT 1 FROM \(tables.threads) t WHERE t.id = k.thread_id))
                """
        },
        write: { rows, session in
            let tables = try session.noteTables()
            for row in rows {
                guard let id = row["id"]?.asInteger, let thread = row["thread_id"]?.asInteger,
                    try tables.putTask(
                        id, row["title"]?.asText, in: thread, at: row["created_at"]?.asInteger ?? 0)
                else { continue }
                let done = row["completed_at"]?.asText
                if tables.keepsCompletion { try tables.completeTask(id, at: done) }
                try session.run(
                    """
                    INSERT INTO gateway_task_details (task_id, title, due, completed_at) VALUES ($1, $2, $3, $4)
                    ON CONFLICT (task_id) DO UPDATE SET title = excluded.title, due = excluded.due,
                    completed_at = excluded.completed_at
                    """,
                    [
                        .integer(id), .text(row["title"]?.asText), .text(row["due"]?.asText),
                        .text(tables.keepsCompletion ? nil : done),
                    ])
            }
        },
        remove: { key, session in
            guard case .integer(let id?)? = key.values.first else { return }
            try session.run("DELETE FROM gateway_task_details WHERE task_id = $1", [.integer(id)])
            try session.noteTables().removeTask(id)
        })
}
