extension Migrations {
    /// Groups of similar notes, what is proposed for threads, and how lively threads are. The other program's table of
    /// threads is not changed.
    ///
    /// `community` is the smallest note of a group. `parts` is the JSON of a proposal's notes. `since` is when `heat` became
    /// what it is.
    static let threads = """
        CREATE TABLE gateway_note_groups (
            note_id INTEGER PRIMARY KEY CHECK (typeof(note_id) = 'integer'),
            community INTEGER NOT NULL CHECK (typeof(community) = 'integer')
        );
        CREATE INDEX gateway_note_groups_community ON gateway_note_groups (community);
        CREATE TABLE gateway_thread_proposals (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL,
            state TEXT NOT NULL DEFAULT 'open',
            thread_id INTEGER,
            name TEXT NOT NULL,
            summary TEXT NOT NULL,
            why TEXT NOT NULL,
            parts TEXT NOT NULL,
            made_threads TEXT,
            created_at INTEGER NOT NULL CHECK (typeof(created_at) = 'integer'),
            updated_at INTEGER NOT NULL CHECK (typeof(updated_at) = 'integer')
        );
        CREATE INDEX gateway_thread_proposals_state ON gateway_thread_proposals (state, id);
        CREATE INDEX gateway_thread_proposals_created ON gateway_thread_proposals (created_at);
        CREATE TABLE gateway_thread_heat (
            thread_id INTEGER PRIMARY KEY CHECK (typeof(thread_id) = 'integer'),
            heat TEXT NOT NULL,
            momentum REAL NOT NULL,
            recent INTEGER NOT NULL,
            before INTEGER NOT NULL,
            since INTEGER NOT NULL CHECK (typeof(since) = 'integer')
        );
        CREATE INDEX gateway_thread_heat_since ON gateway_thread_heat (heat, since);
        """

    /// What a model phrased about a proposal, as JSON.
    static let threadPhrasing = "ALTER TABLE gateway_thread_proposals ADD COLUMN phrasing TEXT;"
}
