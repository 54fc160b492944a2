import GRDB

extension Migrations {
    /// Creates the queue of notes to embed with its triggers, and the table of jobs.
    static func backfill(_ database: Database) throws {
        try database.execute(sql: queue)
        try database.execute(sql: vectorChanges)
        let raw = try NoteColumns(database).raw
        let watched = ["title", "content", "test_run"].filter(raw.contains)
        // Another program's table may lack a column. A trigger that names a missing column would make that program's
        // writes fail.
        guard watched.contains("content") else { return }
        let changed = watched.map { "NEW.\($0) IS NOT OLD.\($0)" }.joined(separator: " OR ")
        try database.execute(
            sql: """
                CREATE TRIGGER gateway_queue_in AFTER INSERT ON raw_notes BEGIN \(enqueue) END;
                CREATE TRIGGER gateway_queue_up AFTER UPDATE OF \(watched.joined(separator: ", ")) ON raw_notes
                WHEN \(changed) BEGIN \(enqueue) END;
                CREATE TRIGGER gateway_queue_out AFTER DELETE ON raw_notes BEGIN
                    DELETE FROM gateway_embedding_queue WHERE note_id = OLD.id;
                END;
                """)
        try database.execute(
            sql: """
                UPDATE gateway_spaces SET is_filled = 1, activated_at = created_at
                WHERE id = (SELECT CAST(value AS INTEGER) FROM gateway_meta WHERE key = 'active_space')
                """)
    }

    /// One row per note that lacks vectors in a space; embedded notes have no row. Times are milliseconds since 1970.
    ///
    /// `due` is when the row may be leased: the time of a retry, or the end of a lease. NULL means no more retries.
    private static let queue = """
        ALTER TABLE gateway_spaces ADD COLUMN is_filled INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE gateway_spaces ADD COLUMN activated_at TEXT;
        ALTER TABLE gateway_spaces ADD COLUMN left_at TEXT;
        CREATE TABLE gateway_embedding_queue (
            space_id INTEGER NOT NULL,
            note_id INTEGER NOT NULL,
            state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'leased', 'failed')),
            attempts INTEGER NOT NULL DEFAULT 0,
            due INTEGER DEFAULT 0,
            owner TEXT,
            content_hash BLOB,
            reason TEXT,
            PRIMARY KEY (space_id, note_id)
        ) WITHOUT ROWID;
        CREATE INDEX gateway_embedding_queue_due ON gateway_embedding_queue (space_id, due, note_id DESC);
        CREATE INDEX gateway_embedding_queue_note ON gateway_embedding_queue (note_id);
        CREATE INDEX gateway_embedding_queue_owner ON gateway_embedding_queue (owner) WHERE owner IS NOT NULL;
        CREATE TABLE gateway_jobs (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL,
            state TEXT NOT NULL,
            parameters TEXT NOT NULL,
            done INTEGER NOT NULL DEFAULT 0,
            total INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0,
            message TEXT,
            revision INTEGER NOT NULL DEFAULT 1,
            position INTEGER,
            owner TEXT,
            created_at TEXT NOT NULL,
            started_at TEXT,
            finished_at TEXT
        );
        CREATE UNIQUE INDEX gateway_jobs_one ON gateway_jobs (kind) WHERE state = 'running';
        CREATE TABLE gateway_association_pairs (
            job_id INTEGER NOT NULL,
            note_a_id INTEGER NOT NULL,
            note_b_id INTEGER NOT NULL,
            similarity REAL NOT NULL,
            PRIMARY KEY (job_id, note_a_id, note_b_id)
        ) WITHOUT ROWID;
        """

    /// Logs vectors of the active space only. Logging a space that is being filled beside it would make every follower
    /// reread unchanged notes. Vectors written while a space was inactive are logged when it becomes active.
    private static var vectorChanges: String {
        [("in", "INSERT", "NEW"), ("up", "UPDATE", "NEW"), ("out", "DELETE", "OLD")].map { name, event, row in
            """
            DROP TRIGGER gateway_vector_\(name);
            CREATE TRIGGER gateway_vector_\(name) AFTER \(event) ON gateway_embeddings
            WHEN \(row).space_id = (SELECT CAST(value AS INTEGER) FROM gateway_meta WHERE key = 'active_space') BEGIN
                INSERT INTO gateway_changes (note_id) VALUES (\(row).note_id);
            END;

            """
        }.joined()
    }

    /// Deletes an existing row and its lease first, since the lease holder embeds stale text. Delete plus insert works
    /// with any conflict clause of the statement that fired the trigger.
    private static let enqueue = """
        DELETE FROM gateway_embedding_queue WHERE note_id = NEW.id;
        INSERT INTO gateway_embedding_queue (space_id, note_id)
        SELECT id, NEW.id FROM gateway_spaces WHERE is_filled = 1;
        """
}
