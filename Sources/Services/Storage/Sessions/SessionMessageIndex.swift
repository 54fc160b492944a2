import GRDB

/// The messages of each session by id. The table of messages belongs to another program and has no index by session, and
/// ours must not change it. So triggers keep a table of our own.
///
/// The ids are those of all messages, in the order in which they were stored. While another program rebuilds its table,
/// the triggers are missing; the next look at the schema creates them again and fills the table.
enum SessionMessageIndex {
    /// Whether the file has this index: the messages are a table with the columns that the triggers name.
    static func isKept(for schema: FileSchema) -> Bool {
        !schema.sessionMessages.names.isEmpty && schema.messages.takesTriggers
            && schema.messages.names.isSuperset(of: ["id", "session_id"])
    }

    /// Adds the table to a file, and its triggers.
    static func create(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE gateway_session_messages (
                    message_id INTEGER PRIMARY KEY CHECK (typeof(message_id) = 'integer'),
                    session_id TEXT NOT NULL
                );
                CREATE INDEX gateway_session_messages_session ON gateway_session_messages (session_id, message_id);
                """)
        let schema = try FileSchema(database)
        guard isKept(for: schema) else { return }
        try fill(database, schema)
        for trigger in triggers { try database.execute(sql: trigger.sql) }
    }

    /// Reads all messages again.
    static func fill(_ database: Database, _ schema: FileSchema) throws {
        guard !schema.sessionMessages.names.isEmpty else { return }
        try database.execute(sql: "DELETE FROM gateway_session_messages")
        guard isKept(for: schema) else { return }
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO gateway_session_messages (message_id, session_id)
                SELECT id, session_id FROM conversations WHERE typeof(id) = 'integer' AND typeof(session_id) = 'text'
                """)
    }

    static let triggers: [TriggerDefinition] = {
        let add = """
            INSERT INTO gateway_session_messages (message_id, session_id)
            SELECT NEW.id, NEW.session_id WHERE typeof(NEW.id) = 'integer' AND typeof(NEW.session_id) = 'text';
            """
        func remove(_ row: String) -> String { "DELETE FROM gateway_session_messages WHERE message_id = \(row).id;" }
        return [
            TriggerDefinition("gateway_message_in", "INSERT", on: "conversations", remove("NEW"), add),
            TriggerDefinition("gateway_message_out", "DELETE", on: "conversations", remove("OLD")),
            TriggerDefinition(
                "gateway_message_up", "UPDATE OF id, session_id", on: "conversations", remove("OLD"), remove("NEW"), add
            ),
        ]
    }()

    /// Returns the ids of a session's messages below an id, largest first.
    static func newest(
        _ database: Database, _ schema: FileSchema, _ session: String, before id: Int64?, limit: Int
    ) throws -> [Int64] {
        guard schema.messages.names.isSuperset(of: ["id", "session_id"]) else { return [] }
        return try Scalar.integers(
            database, sql: query(isKept(for: schema)), arguments: [session, id ?? .max, limit])
    }

    /// The statement of ``newest(_:_:_:before:limit:)``. A view of messages has no triggers and is read whole.
    static func query(_ isKept: Bool) -> String {
        let (id, table) = isKept ? ("message_id", "gateway_session_messages") : ("id", "conversations")
        let isNumber = isKept ? "" : "AND typeof(id) = 'integer' "
        return "SELECT \(id) FROM \(table) WHERE session_id = ? AND \(id) < ? \(isNumber)ORDER BY \(id) DESC LIMIT ?"
    }
}
