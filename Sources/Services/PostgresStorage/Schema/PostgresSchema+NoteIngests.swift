extension PostgresSchema {
    /// What was ingested from files, as in a file. A row outlives its note.
    static let noteIngests = """
        CREATE TABLE selene.note_ingests (
            external_id text NOT NULL,
            note_id bigint NOT NULL,
            source_hash bytea NOT NULL,
            note_hash bytea NOT NULL,
            text_hash bytea NOT NULL
        );
        CREATE UNIQUE INDEX note_ingests_external_id ON selene.note_ingests (md5(external_id));
        CREATE INDEX note_ingests_text ON selene.note_ingests (text_hash);
        """
}
