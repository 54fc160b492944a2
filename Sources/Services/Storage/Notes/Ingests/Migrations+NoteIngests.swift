extension Migrations {
    /// What was ingested from files. `source_hash` is that of what the file said, `note_hash` that of the note as it was then
    /// stored, `text_hash` that of its text alone. A row outlives its note: a note that a person deleted must not come back
    /// from an unchanged file.
    static let noteIngests = """
        CREATE TABLE gateway_note_ingests (
            external_id TEXT PRIMARY KEY NOT NULL CHECK (typeof(external_id) = 'text'),
            note_id INTEGER NOT NULL CHECK (typeof(note_id) = 'integer'),
            source_hash BLOB NOT NULL,
            note_hash BLOB NOT NULL,
            text_hash BLOB NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX gateway_note_ingests_text ON gateway_note_ingests (text_hash);
        """
}
