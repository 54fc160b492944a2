extension PostgresSchema {
    /// Earlier versions of notes, deleted notes included, as in a file: `record` is a `NoteRecord` as JSON, `replaced_at` is in
    /// seconds since 1970. A version outlives its note.
    static let noteVersions = """
        CREATE TABLE selene.note_versions (
            id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
            note_id bigint NOT NULL,
            replaced_at bigint NOT NULL,
            reason text NOT NULL,
            bytes bigint NOT NULL,
            record text NOT NULL
        );
        CREATE INDEX note_versions_note ON selene.note_versions (note_id, id);
        CREATE INDEX note_versions_age ON selene.note_versions (replaced_at);
        CREATE INDEX note_versions_deleted ON selene.note_versions (id) WHERE reason = 'deleted';
        """
}
