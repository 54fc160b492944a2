extension Migrations {
    /// Briefings, and what the gateway knows about tasks beside `thread_tasks`.
    ///
    /// `facts` is the JSON of what a briefing's cards are about.
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
            completed_at TEXT
        );
        """
}

extension Migrations {
    /// Drafts of tasks that were found in notes, the notes that were read, and the days on which a workflow ran.
    ///
    /// A draft is unique by note and the hash of its sentence, so that a note that is read again gives no second draft.
    /// `state` is `open`, `confirmed` or `declined`. `rules` is the version of the rules that read the note.
    static let taskDrafts = """
        CREATE TABLE gateway_task_drafts (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            note_id INTEGER NOT NULL CHECK (typeof(note_id) = 'integer'),
            span_hash BLOB NOT NULL,
            title TEXT NOT NULL,
            due TEXT,
            thread_id INTEGER,
            source TEXT NOT NULL,
            start INTEGER NOT NULL CHECK (typeof(start) = 'integer'),
            stop INTEGER NOT NULL CHECK (typeof(stop) = 'integer'),
            is_edited INTEGER NOT NULL DEFAULT 0,
            state TEXT NOT NULL DEFAULT 'open',
            task_id INTEGER,
            created_at INTEGER NOT NULL CHECK (typeof(created_at) = 'integer'),
            UNIQUE (note_id, span_hash)
        );
        CREATE INDEX gateway_task_drafts_open ON gateway_task_drafts (id) WHERE state = 'open';
        CREATE TABLE gateway_task_scans (
            note_id INTEGER PRIMARY KEY CHECK (typeof(note_id) = 'integer'),
            hash BLOB NOT NULL,
            rules INTEGER NOT NULL
        );
        CREATE TABLE gateway_daily_runs (
            kind TEXT NOT NULL,
            day TEXT NOT NULL,
            finished_at INTEGER NOT NULL CHECK (typeof(finished_at) = 'integer'),
            PRIMARY KEY (kind, day)
        ) WITHOUT ROWID;
        """
}
