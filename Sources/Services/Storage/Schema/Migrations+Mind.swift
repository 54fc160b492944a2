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
