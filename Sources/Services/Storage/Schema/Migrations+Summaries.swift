extension Migrations {
    /// Summaries of old messages, and the sessions that wait for one.
    ///
    /// A summary covers a message and all that it follows, so it is valid on every branch through that message. Messages
    /// stay as they are. `notes` has the ids of notes whose text was in them, as JSON. `due_at` is in milliseconds since
    /// 1970; NULL after the last attempt failed.
    static let summaries = """
        CREATE TABLE gateway_summaries (
            message_id INTEGER PRIMARY KEY CHECK (typeof(message_id) = 'integer'),
            session_id TEXT NOT NULL,
            text TEXT NOT NULL,
            notes TEXT NOT NULL,
            model TEXT NOT NULL,
            created_at TEXT NOT NULL
        );
        CREATE INDEX gateway_summaries_session ON gateway_summaries (session_id, message_id);
        CREATE TABLE gateway_compressions (
            session_id TEXT PRIMARY KEY NOT NULL CHECK (typeof(session_id) = 'text'),
            message_id INTEGER NOT NULL CHECK (typeof(message_id) = 'integer'),
            model TEXT NOT NULL,
            key_id INTEGER,
            state_before TEXT,
            attempts INTEGER NOT NULL DEFAULT 0,
            due_at INTEGER,
            error TEXT
        ) WITHOUT ROWID;
        """
}
