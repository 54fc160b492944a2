extension Migrations {
    /// The answers that the gateway writes, and how messages follow each other. The messages themselves stay in
    /// `conversations`, which another program may rebuild, so their links are kept apart.
    static let chat = """
        CREATE TABLE gateway_chat_runs (
            id TEXT PRIMARY KEY NOT NULL CHECK (typeof(id) = 'text'),
            number INTEGER NOT NULL UNIQUE CHECK (typeof(number) = 'integer'),
            session_id TEXT NOT NULL CHECK (typeof(session_id) = 'text'),
            key_id INTEGER,
            owner TEXT,
            state TEXT NOT NULL,
            question TEXT NOT NULL,
            request TEXT NOT NULL,
            model TEXT NOT NULL,
            text TEXT NOT NULL DEFAULT '',
            record TEXT NOT NULL DEFAULT '{}',
            error TEXT,
            stop_reason TEXT,
            life INTEGER NOT NULL DEFAULT 0,
            user_message INTEGER,
            message INTEGER,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX gateway_chat_runs_session ON gateway_chat_runs (session_id, number);
        CREATE INDEX gateway_chat_runs_owner ON gateway_chat_runs (owner) WHERE owner IS NOT NULL;
        CREATE TABLE gateway_message_links (
            message_id INTEGER PRIMARY KEY CHECK (typeof(message_id) = 'integer'),
            session_id TEXT NOT NULL,
            parent_id INTEGER,
            run_id TEXT
        );
        CREATE INDEX gateway_message_links_session ON gateway_message_links (session_id);
        """
}
