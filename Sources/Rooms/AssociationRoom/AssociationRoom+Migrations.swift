package import Database

extension AssociationRoom {
    /// A file has the tables of earlier versions; pairs are in the other program's table there, here in `gateway_associations`.
    package static let migrations = [
        Migration("gateway-48-associations", only: .postgres) { session in
            for statement in [
                """
                CREATE TABLE gateway_associations (
                    note_a_id bigint NOT NULL REFERENCES notes ON DELETE CASCADE,
                    note_b_id bigint NOT NULL REFERENCES notes ON DELETE CASCADE,
                    similarity double precision NOT NULL,
                    PRIMARY KEY (note_a_id, note_b_id)
                )
                """,
                "CREATE INDEX gateway_associations_other ON gateway_associations (note_b_id)",
                """
                CREATE TABLE gateway_association_pairs (
                    job_id bigint NOT NULL,
                    note_a_id bigint NOT NULL,
                    note_b_id bigint NOT NULL,
                    similarity double precision NOT NULL,
                    PRIMARY KEY (job_id, note_a_id, note_b_id)
                )
                """,
                """
                CREATE TABLE gateway_new_pairs (
                    note_a_id bigint NOT NULL,
                    note_b_id bigint NOT NULL,
                    similarity double precision NOT NULL,
                    job_id bigint NOT NULL,
                    found_at bigint,
                    PRIMARY KEY (note_a_id, note_b_id)
                )
                """,
                "CREATE INDEX gateway_new_pairs_found ON gateway_new_pairs (found_at)",
                "CREATE INDEX gateway_new_pairs_job ON gateway_new_pairs (job_id)",
                """
                CREATE TABLE IF NOT EXISTS gateway_meta (
                    key \(session.dialect.text) PRIMARY KEY,
                    value \(session.dialect.text) NOT NULL
                )
                """,
            ] { try session.run(statement) }
        }
    ]
}
