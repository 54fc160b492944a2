import GRDB

/// What a file holds that PostgreSQL mode does not.
extension FileTransfer {
    /// Tables whose rows are moved, or that the gateway makes again.
    private static let handled: Set<String> = [
        "raw_notes", "processed_notes", "threads", "thread_notes", "gateway_note_sources", "gateway_note_ingests",
        "gateway_spaces",
        "gateway_embeddings", "gateway_passages", "gateway_meta", "gateway_changes", "gateway_embedding_queue",
        "gateway_keys", "gateway_key_usage", "gateway_web_sessions", "gateway_pairings", "grdb_migrations",
        "gateway_goal_summaries", "gateway_goal_dirty", "gateway_session_messages", "gateway_memory_log",
        "chat_sessions", "conversations", "conversation_memories", "gateway_message_links", "gateway_chat_runs",
        "gateway_note_groups", "gateway_association_pairs", "gateway_goal_context",
        "gateway_goal_matches", "gateway_goal_sweeps", "gateway_goal_totals", "gateway_goal_revisions",
        "gateway_goal_meaning", "gateway_goal_texts",
    ]

    package func leftBehind() async throws -> [TransferRemark] {
        try await database.read { database, layout in
            var found: [TransferRemark] = []
            func add(_ subject: String, _ text: String, _ sql: String) throws {
                let count = try Scalar.count(database, sql: sql) ?? 0
                if count > 0 { found.append(TransferRemark(subject, count, text)) }
            }
            let columns = layout.columns
            if !columns.notes.hasRowID {
                try add(
                    "raw_notes",
                    "rows without a whole number as id are not notes to the gateway; they stay in the file",
                    "SELECT count(*) FROM raw_notes n WHERE NOT (\(columns.notes.hasNumber("n")))")
            }
            if columns.hasThreads, let note = columns.threadNote {
                let known =
                    columns.threads.contains("id")
                    ? "SELECT 1 FROM threads t WHERE t.id = tn.thread_id" : "SELECT 1 WHERE 0"
                try add(
                    "thread_notes", "rows without a thread or with another value as a note stay in the file",
                    "SELECT count(*) FROM thread_notes tn WHERE typeof(tn.\(note)) <> 'integer' OR NOT EXISTS (\(known))"
                )
                for name in columns.threadNotes.subtracting(["id", "thread_id", note]).sorted() {
                    try add(
                        "thread_notes.\(name)", "values of this column stay in the file",
                        "SELECT count(*) FROM thread_notes WHERE \(name.quotedDatabaseIdentifier) IS NOT NULL")
                }
            }
            if columns.threads.contains("id") {
                try add(
                    "threads", "rows without a whole number as id stay in the file",
                    "SELECT count(*) FROM threads WHERE typeof(id) <> 'integer'")
            }
            try addConversations(layout.schema, add)
            try add(
                "gateway_spaces", "embedding spaces of more than \(Self.mostDimensions) dimensions stay in the file",
                "SELECT count(*) FROM gateway_spaces WHERE dimensions > \(Self.mostDimensions)")
            // Side tables of virtual tables have no rows of their own.
            let tables = try Scalar.texts(
                database,
                sql: """
                    SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')
                    AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
                    """)
            let moved = Self.handled.union(try rooms.moved(SQLiteSession(database)))
            for table in tables where !moved.contains(table.lowercased()) {
                try add(
                    table, "rows stay in the file",
                    "SELECT count(*) FROM \(table.quotedDatabaseIdentifier)")
            }
            return found
        }
    }

    /// What stays of chat sessions, messages and memories.
    private func addConversations(
        _ schema: FileSchema, _ add: (_ subject: String, _ text: String, _ sql: String) throws -> Void
    ) throws {
        let tooLarge = "values beyond the gateway's limit of size stay in the file; the gateway does not read them"
        func addOthers(_ table: TableColumns, _ known: Set<String>, _ large: [(column: String, limit: Int)]) throws {
            for name in table.names.subtracting(known).sorted() {
                try add(
                    "\(table.table).\(name)", "values of this column stay in the file",
                    "SELECT count(*) FROM \(table.table) WHERE \(name.quotedDatabaseIdentifier) IS NOT NULL")
            }
            for (column, limit) in large where table.names.contains(column) {
                try add(
                    "\(table.table).\(column)", tooLarge,
                    """
                    SELECT count(*) FROM \(table.table) WHERE \(column) IS NOT NULL
                    AND \(ValueLimit.bounded(column, limit)) IS NULL
                    """)
            }
        }
        let (sessions, messages, memories) = (schema.sessions, schema.messages, schema.memories)
        if sessions.names.contains("id") {
            try add(
                "chat_sessions", "rows without an id of 1 to 1,000 characters stay in the file",
                "SELECT count(*) FROM chat_sessions s WHERE NOT (\(FileSessions.isMoved))")
            try addOthers(
                sessions,
                [
                    "id", "title", "messages_json", "full_messages_json", "summary_text", "message_count", "is_pinned",
                    "compression_state", "compressed_at", "created_at", "updated_at",
                ],
                [
                    ("title", ValueLimit.field), ("messages_json", ValueLimit.text),
                    ("full_messages_json", ValueLimit.text), ("summary_text", ValueLimit.field),
                ])
        }
        if sessions.names.contains("id"), messages.names.isSuperset(of: ["id", "session_id"]) {
            try add(
                "conversations", "messages without a session or a whole number as id stay in the file",
                "SELECT count(*) FROM conversations m WHERE NOT (\(FileMessages.isMoved))")
            try addOthers(
                messages, ["id", "session_id", "role", "content", "created_at"], [("content", ValueLimit.text)])
        }
        if memories.names.contains("id") {
            try add(
                "conversation_memories", "memories without a whole number as id stay in the file",
                "SELECT count(*) FROM conversation_memories m WHERE typeof(m.id) <> 'integer'")
            try addOthers(
                memories,
                [
                    "id", "content", "type", "memory_type", "confidence", "source_session_id", "embedding",
                    "created_at", "updated_at", "last_accessed_at", "last_accessed",
                ], [("content", ValueLimit.field), ("embedding", ValueLimit.field)])
        }
    }
}
