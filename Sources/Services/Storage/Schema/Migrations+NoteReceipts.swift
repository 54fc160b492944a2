extension Migrations {
    /// The keys of requests that created notes, so that a repeated request creates nothing. `caller` is the id of an API
    /// key, or 0. `key` and `request` are SHA-256. A receipt outlives its note: a repeat must not create the note again.
    static let noteReceipts = """
        CREATE TABLE gateway_note_receipts (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            caller INTEGER NOT NULL CHECK (typeof(caller) = 'integer'),
            key BLOB NOT NULL,
            request BLOB NOT NULL,
            note_id INTEGER NOT NULL CHECK (typeof(note_id) = 'integer'),
            created_at INTEGER NOT NULL CHECK (typeof(created_at) = 'integer'),
            UNIQUE (caller, key)
        );
        CREATE INDEX gateway_note_receipts_order ON gateway_note_receipts (caller, id);
        CREATE INDEX gateway_note_receipts_age ON gateway_note_receipts (created_at);
        """
}
