package import Database

extension AnswerRoom {
    package static let migrations = [
        Migration("gateway-40-answer-leases") { session in
            switch session.dialect {
            case .sqlite:
                try session.run("ALTER TABLE gateway_chat_runs ADD COLUMN lease INTEGER")
                try session.run("ALTER TABLE gateway_chat_runs ADD COLUMN is_stopping INTEGER NOT NULL DEFAULT 0")
            case .postgres: for change in answers + summaries { try session.run(change) }
            }
        }
    ]

    /// The runs name their session as those of a file do.
    private static let answers = [
        "ALTER TABLE chat_runs RENAME TO gateway_chat_runs",
        "ALTER TABLE gateway_chat_runs ADD COLUMN session_id text COLLATE \"C\"",
        "UPDATE gateway_chat_runs r SET session_id = s.id FROM chat_sessions s WHERE s.number = r.session",
        """
        ALTER TABLE gateway_chat_runs DROP COLUMN session, ALTER COLUMN session_id SET NOT NULL,
            ALTER COLUMN lease TYPE bigint USING (extract(epoch FROM lease) * 1000)::bigint,
            ALTER COLUMN is_stopping DROP DEFAULT, ALTER COLUMN is_stopping TYPE bigint USING is_stopping::integer,
            ALTER COLUMN is_stopping SET DEFAULT 0,
            ALTER COLUMN created TYPE text USING \(time("created")),
            ALTER COLUMN updated TYPE text USING \(time("updated"))
        """,
        "ALTER TABLE gateway_chat_runs RENAME COLUMN created TO created_at",
        "ALTER TABLE gateway_chat_runs RENAME COLUMN updated TO updated_at",
        "ALTER TABLE gateway_chat_runs ADD FOREIGN KEY (session_id) REFERENCES chat_sessions (id) ON DELETE CASCADE",
        "CREATE UNIQUE INDEX gateway_chat_runs_running ON gateway_chat_runs (session_id) WHERE owner IS NOT NULL",
        "CREATE INDEX gateway_chat_runs_session ON gateway_chat_runs (session_id, number)",
    ]

    private static let summaries = [
        """
        CREATE TABLE gateway_summaries (
            message_id bigint PRIMARY KEY,
            session_id text COLLATE "C" NOT NULL REFERENCES chat_sessions (id) ON DELETE CASCADE,
            text text NOT NULL,
            notes text NOT NULL,
            model text NOT NULL,
            created_at text NOT NULL
        )
        """,
        """
        INSERT INTO gateway_summaries
        SELECT g.message, s.id, g.text, array_to_json(g.notes)::text, g.model, \(time("g.created"))
        FROM chat_summaries g JOIN chat_sessions s ON s.number = g.session ORDER BY g.created DESC
        ON CONFLICT (message_id) DO NOTHING
        """,
        "DROP TABLE chat_summaries",
        "CREATE INDEX gateway_summaries_session ON gateway_summaries (session_id, message_id)",
        """
        CREATE TABLE gateway_compressions (
            session_id text COLLATE "C" PRIMARY KEY REFERENCES chat_sessions (id) ON DELETE CASCADE,
            message_id bigint NOT NULL,
            model text NOT NULL,
            key_id bigint,
            state_before text,
            attempts bigint NOT NULL DEFAULT 0,
            due_at bigint,
            error text
        )
        """,
        """
        INSERT INTO gateway_compressions
        SELECT s.id, c.message, c.model, c.key_id, c.state_before, c.attempts, c.due, c.error
        FROM chat_compressions c JOIN chat_sessions s ON s.number = c.session
        """,
        "DROP TABLE chat_compressions",
        "CREATE INDEX gateway_compressions_due ON gateway_compressions (due_at, session_id) WHERE due_at IS NOT NULL",
    ]

    /// A time in seconds since 1970 as the text of a row.
    private static func time(_ column: String) -> String {
        "to_char(to_timestamp(\(column)) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')"
    }
}
