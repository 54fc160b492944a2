package import Database

extension ThreadGroupRoom {
    /// The groups are made again.
    package static let tables = [
        RoomTable("gateway_thread_proposals", id: "id", pageSize: 20),
        RoomTable("gateway_thread_heat", key: "thread_id"),
    ]

    /// A file has the tables of earlier versions. Threads that a server had before have no time at which they were made.
    package static let migrations = [
        Migration("gateway-49-threads", only: .postgres) { session in
            let words = session.dialect
            for statement in [
                "ALTER TABLE threads ADD COLUMN created bigint",
                "CREATE TABLE gateway_note_groups (note_id bigint PRIMARY KEY, community bigint NOT NULL)",
                """
                CREATE TABLE gateway_thread_proposals (
                    id \(words.id),
                    kind \(words.text) NOT NULL,
                    state \(words.text) NOT NULL DEFAULT 'open',
                    thread_id bigint,
                    name \(words.text) NOT NULL,
                    summary \(words.text) NOT NULL,
                    why \(words.text) NOT NULL,
                    parts \(words.text) NOT NULL,
                    made_threads \(words.text),
                    phrasing \(words.text),
                    created_at bigint NOT NULL,
                    updated_at bigint NOT NULL
                )
                """,
                "CREATE INDEX gateway_thread_proposals_state ON gateway_thread_proposals (state, id)",
                "CREATE INDEX gateway_thread_proposals_created ON gateway_thread_proposals (created_at)",
                """
                CREATE TABLE gateway_thread_heat (
                    thread_id bigint PRIMARY KEY,
                    heat \(words.text) NOT NULL,
                    momentum double precision NOT NULL,
                    recent bigint NOT NULL,
                    before bigint NOT NULL,
                    since bigint NOT NULL
                )
                """,
                "CREATE INDEX gateway_thread_heat_since ON gateway_thread_heat (heat, since)",
            ] { try session.run(statement) }
        }
    ]
}
