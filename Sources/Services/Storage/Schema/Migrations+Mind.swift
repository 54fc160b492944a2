extension Migrations {
    /// Briefings, and what the gateway knows about tasks beside `thread_tasks`.
    ///
    /// `facts` is the JSON of what a briefing's cards are about. A draft is unique by note and title, so that a note that is
    /// read again gives no second draft; `state` is `open`, `confirmed` or `dismissed`.
    static let mind = """
        CREATE TABLE gateway_briefings (
            day TEXT PRIMARY KEY,
            zone TEXT NOT NULL,
            facts TEXT NOT NULL,
            made_at INTEGER NOT NULL CHECK (typeof(made_at) = 'integer')
        ) WITHOUT ROWID;
        CREATE INDEX gateway_briefings_made ON gateway_briefings (made_at);
        CREATE TABLE gateway_task_details (
            task_id INTEGER PRIMARY KEY CHECK (typeof(task_id) = 'integer'),
            title TEXT,
            due TEXT,
            note_id INTEGER,
            start INTEGER,
            end INTEGER,
            completed_at TEXT
        );
        CREATE TABLE gateway_task_drafts (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            note_id INTEGER NOT NULL CHECK (typeof(note_id) = 'integer'),
            title TEXT NOT NULL,
            due TEXT,
            start INTEGER NOT NULL CHECK (typeof(start) = 'integer'),
            end INTEGER NOT NULL CHECK (typeof(end) = 'integer'),
            state TEXT NOT NULL DEFAULT 'open',
            created_at INTEGER NOT NULL CHECK (typeof(created_at) = 'integer'),
            UNIQUE (note_id, title)
        );
        CREATE INDEX gateway_task_drafts_open ON gateway_task_drafts (id) WHERE state = 'open';
        """
}
