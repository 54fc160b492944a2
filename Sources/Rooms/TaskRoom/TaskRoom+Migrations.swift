package import Database

extension TaskRoom {
    /// A file has the tables of an earlier version; tasks are in the other program's table there, here in `gateway_tasks`.
    package static let migrations = [
        Migration("gateway-47-tasks", only: .postgres) { session in
            let words = session.dialect
            for statement in [
                """
                CREATE TABLE gateway_tasks (
                    id \(words.id),
                    thread_id bigint NOT NULL REFERENCES threads ON DELETE CASCADE,
                    created_at bigint NOT NULL
                )
                """,
                "CREATE INDEX gateway_tasks_thread ON gateway_tasks (thread_id)",
                """
                CREATE TABLE gateway_task_details (
                    task_id bigint PRIMARY KEY REFERENCES gateway_tasks ON DELETE CASCADE,
                    title \(words.text),
                    due \(words.text),
                    completed_at \(words.text)
                )
                """,
                """
                CREATE TABLE gateway_task_drafts (
                    id \(words.id),
                    note_id bigint NOT NULL,
                    span_hash bytea NOT NULL,
                    title \(words.text) NOT NULL,
                    due \(words.text),
                    thread_id bigint,
                    source \(words.text) NOT NULL,
                    start bigint NOT NULL,
                    stop bigint NOT NULL,
                    is_edited bigint NOT NULL DEFAULT 0,
                    state \(words.text) NOT NULL DEFAULT 'open',
                    task_id bigint,
                    message_id bigint,
                    session_id \(words.text),
                    created_at bigint NOT NULL,
                    UNIQUE (note_id, span_hash)
                )
                """,
                "CREATE INDEX gateway_task_drafts_open ON gateway_task_drafts (id) WHERE state = 'open'",
                """
                CREATE TABLE gateway_task_scans (
                    note_id bigint PRIMARY KEY,
                    hash bytea NOT NULL,
                    rules bigint NOT NULL
                )
                """,
            ] { try session.run(statement) }
        },
        Migration("gateway-54-task-boxes") { session in
            try session.run(
                "ALTER TABLE gateway_task_drafts ADD COLUMN is_box \(session.dialect.integer) NOT NULL DEFAULT 0")
        },
    ]
}
