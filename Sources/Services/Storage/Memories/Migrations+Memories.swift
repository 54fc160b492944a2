extension Migrations {
    /// Drafts of tasks from messages of chats.
    static let messageDrafts = """
        ALTER TABLE gateway_task_drafts ADD COLUMN message_id INTEGER;
        ALTER TABLE gateway_task_drafts ADD COLUMN session_id TEXT;
        """

    /// What the gateway knows of memories beside the other program's table, what it changed, and which runs it read.
    ///
    /// `keyed` is the text that `key` and `value` were read from: a row counts only while the memory has that text.
    /// `is_read` is 0 while they have to be read again. Runs whose numbers are above the cursor were not read, and neither were
    /// those in `gateway_memory_waiting`, which had not ended when the cursor passed them.
    static let memories = """
        CREATE TABLE gateway_memory_details (
            memory_id INTEGER PRIMARY KEY CHECK (typeof(memory_id) = 'integer'),
            keyed TEXT NOT NULL,
            is_read INTEGER NOT NULL DEFAULT 1,
            kind TEXT,
            key TEXT,
            value TEXT NOT NULL DEFAULT '',
            is_single INTEGER NOT NULL DEFAULT 0,
            state TEXT NOT NULL DEFAULT 'active',
            is_pinned INTEGER NOT NULL DEFAULT 0,
            origin TEXT NOT NULL DEFAULT 'other',
            run_id TEXT,
            session_id TEXT,
            message_id INTEGER,
            source TEXT,
            start INTEGER,
            stop INTEGER,
            reason TEXT,
            superseded_by INTEGER
        );
        CREATE INDEX gateway_memory_details_key ON gateway_memory_details (key) WHERE key IS NOT NULL;
        CREATE INDEX gateway_memory_details_state ON gateway_memory_details (state, memory_id);
        CREATE INDEX gateway_memory_details_by ON gateway_memory_details (superseded_by) WHERE superseded_by IS NOT NULL;
        CREATE TABLE gateway_memory_changes (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            memory_id INTEGER NOT NULL CHECK (typeof(memory_id) = 'integer'),
            action TEXT NOT NULL,
            content TEXT,
            type TEXT,
            confidence REAL,
            session_id TEXT,
            embedding BLOB,
            reason TEXT,
            changed_at INTEGER NOT NULL CHECK (typeof(changed_at) = 'integer')
        );
        CREATE INDEX gateway_memory_changes_memory ON gateway_memory_changes (memory_id, id);
        CREATE TABLE gateway_memory_cursor (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            number INTEGER NOT NULL CHECK (typeof(number) = 'integer')
        );
        CREATE TABLE gateway_memory_waiting (
            number INTEGER PRIMARY KEY CHECK (typeof(number) = 'integer')
        );

        """
}
