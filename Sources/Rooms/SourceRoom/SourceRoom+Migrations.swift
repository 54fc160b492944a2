package import Database

extension SourceRoom {
    package static let tables = [
        // The process that follows a source is of one store.
        RoomTable("gateway_sources", id: "id").with { table in
            table.without = ["owner", "lease"]
            table.unique = [["name"]]
        },
        RoomTable("gateway_source_files", key: "source_id", "path"),
    ]

    package static let migrations = [
        // Times are in milliseconds since 1970; those of files in nanoseconds. `host` is the machine of the path, `owner` the process
        // that follows it until `lease`, `wanted_at` when a person asked for a look. Of a file `state` is 0 while its note follows it, 1 while the
        // note is going to the bin, 2 in the bin, since `gone_at`; `problem` says why a file has no note.
        Migration("gateway-57-sources") { session in
            let words = session.dialect
            try session.run(
                """
                CREATE TABLE gateway_sources (
                    id \(words.id),
                    name \(words.text) NOT NULL UNIQUE,
                    kind \(words.text) NOT NULL,
                    path \(words.text),
                    host \(words.text),
                    format \(words.text),
                    ignored \(words.text) NOT NULL,
                    state \(words.text) NOT NULL,
                    message \(words.text),
                    accepts_missing \(words.integer) NOT NULL DEFAULT 0,
                    created_at \(words.integer) NOT NULL,
                    wanted_at \(words.integer),
                    looked_at \(words.integer),
                    owner \(words.text),
                    lease \(words.integer)
                )
                """)
            try session.run(
                """
                CREATE TABLE gateway_source_files (
                    source_id \(words.integer) NOT NULL,
                    path \(words.text) NOT NULL,
                    size \(words.integer) NOT NULL,
                    modified \(words.integer) NOT NULL,
                    changed \(words.integer) NOT NULL,
                    state \(words.integer) NOT NULL,
                    note_id \(words.integer),
                    text_hash \(words.bytes),
                    gone_at \(words.integer),
                    problem \(words.text),
                    PRIMARY KEY (source_id, path)
                )
                """)
            try session.run(
                "CREATE INDEX gateway_source_files_text ON gateway_source_files (source_id, text_hash) WHERE state <> 0"
            )
        }
    ]
}
