extension PostgresSchema {
    /// The keys of requests that created notes, so that a repeated request creates nothing. `caller` is the id of an API key,
    /// or 0. `key` and `request` are SHA-256. A receipt outlives its note: a repeat must not create the note again.
    static let noteReceipts = """
        CREATE TABLE selene.note_receipts (
            id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
            caller bigint NOT NULL,
            key bytea NOT NULL,
            request bytea NOT NULL,
            note_id bigint NOT NULL,
            created timestamptz NOT NULL DEFAULT now(),
            UNIQUE (caller, key)
        );
        CREATE INDEX note_receipts_order ON selene.note_receipts (caller, id);
        CREATE INDEX note_receipts_age ON selene.note_receipts (created);
        DROP INDEX selene.notes_created;
        CREATE INDEX notes_created ON selene.notes (created, id);
        """
}
