extension Migrations {
    /// Earlier versions of notes, deleted notes included. `record` is a ``NoteRecord`` as JSON, `replaced_at` is in seconds
    /// since 1970. A version outlives its note.
    static let noteVersions = """
        CREATE TABLE gateway_note_versions (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            note_id INTEGER NOT NULL CHECK (typeof(note_id) = 'integer'),
            replaced_at INTEGER NOT NULL CHECK (typeof(replaced_at) = 'integer'),
            reason TEXT NOT NULL,
            bytes INTEGER NOT NULL CHECK (typeof(bytes) = 'integer'),
            record TEXT NOT NULL
        );
        CREATE INDEX gateway_note_versions_note ON gateway_note_versions (note_id, id);
        CREATE INDEX gateway_note_versions_age ON gateway_note_versions (replaced_at);
        CREATE INDEX gateway_note_versions_deleted ON gateway_note_versions (id) WHERE reason = 'deleted';
        """
}
