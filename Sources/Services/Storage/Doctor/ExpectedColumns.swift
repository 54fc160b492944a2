/// The value expected in a column of another program's table.
enum ExpectedValue: String, Sendable {
    case key = "a whole number"
    case name = "text of 1 to 1000 characters"
    case text = "text of up to 1 MiB"
    case longText = "text of up to 16 MiB"
    case optionalText = "text of up to 1 MiB, or NULL"
    case optionalLongText = "text of up to 16 MiB, or NULL"
    case date = "a date as text, or seconds or milliseconds since 1970"
    case number = "a finite number, or NULL"
    case vector = "bytes or JSON text of up to 1 MiB, or NULL"

    /// Returns SQL that describes the fault of a value, or gives NULL for a valid value.
    func fault(of column: String) -> String {
        func text(_ types: String, _ limit: Int) -> String {
            """
            CASE WHEN typeof(\(column)) NOT IN (\(types)) THEN typeof(\(column))
            WHEN length(CAST(\(column) AS BLOB)) > \(limit) THEN 'larger than \(limit) bytes'
            WHEN NOT gateway_is_utf8(CAST(\(column) AS BLOB)) THEN 'text that is not UTF-8' END
            """
        }
        return switch self {
        case .key: "CASE WHEN typeof(\(column)) <> 'integer' THEN typeof(\(column)) END"
        case .name:
            """
            CASE WHEN typeof(\(column)) <> 'text' THEN typeof(\(column))
            WHEN length(\(column)) NOT BETWEEN 1 AND 1000 THEN 'text of ' || length(\(column)) || ' characters' END
            """
        case .text: text("'text'", ValueLimit.field)
        case .longText: text("'text'", ValueLimit.text)
        case .optionalText: text("'text', 'null'", ValueLimit.field)
        case .optionalLongText: text("'text', 'null'", ValueLimit.text)
        case .date:
            """
            CASE typeof(\(column)) WHEN 'blob' THEN 'blob' WHEN 'text' THEN
            CASE WHEN length(\(column)) > 64 OR unixepoch(\(column)) IS NULL THEN 'text that is not a date' END
            WHEN 'real' THEN CASE WHEN abs(\(column)) > 1e15 THEN 'real' END END
            """
        case .number:
            """
            CASE typeof(\(column)) WHEN 'null' THEN NULL WHEN 'integer' THEN NULL WHEN 'real' THEN
            CASE WHEN abs(\(column)) > 1.7976931348623157e308 THEN 'infinite' END ELSE typeof(\(column)) END
            """
        case .vector:
            """
            CASE WHEN typeof(\(column)) NOT IN ('blob', 'text', 'null') THEN typeof(\(column))
            WHEN length(CAST(\(column) AS BLOB)) > \(ValueLimit.field) THEN 'larger than \(ValueLimit.field) bytes' END
            """
        }
    }
}

/// The columns of other programs that the gateway reads, with the expected values.
enum ExpectedColumns {
    static let all: [(table: String, columns: [(name: String, expected: ExpectedValue)])] = [
        (
            "raw_notes",
            [
                ("id", .key), ("title", .text), ("content", .longText), ("tags", .optionalText), ("created_at", .date),
                ("test_run", .optionalText),
            ]
        ),
        (
            "processed_notes",
            [
                ("note_id", .key), ("raw_note_id", .key), ("concepts", .optionalText),
                ("concept_confidence", .optionalText), ("primary_theme", .optionalText),
                ("secondary_themes", .optionalText), ("overall_sentiment", .optionalText), ("sentiment_score", .number),
                ("emotional_tone", .optionalText), ("energy_level", .optionalText), ("note_type", .optionalText),
                ("actionability", .optionalText),
            ]
        ),
        (
            "threads",
            [
                ("id", .key), ("name", .text), ("why", .optionalText), ("summary", .optionalText),
                ("status", .optionalText), ("momentum_score", .number), ("emotional_charge", .number),
                ("last_activity_at", .date), ("created_at", .date), ("updated_at", .date),
            ]
        ),
        ("thread_notes", [("thread_id", .key), ("note_id", .key), ("raw_note_id", .key)]),
        (
            "thread_tasks",
            [
                ("thread_id", .key), ("things_task_id", .optionalText), ("title", .optionalText),
                ("description", .optionalText), ("created_at", .date), ("completed_at", .date),
            ]
        ),
        (
            "note_associations",
            [
                ("note_a_id", .key), ("note_b_id", .key), ("similarity", .number), ("similarity_score", .number),
            ]
        ),
        (
            "chat_sessions",
            [
                ("id", .name), ("title", .optionalText), ("messages_json", .optionalLongText),
                ("full_messages_json", .optionalLongText), ("summary_text", .optionalText), ("message_count", .number),
                ("is_pinned", .number), ("compression_state", .optionalText), ("compressed_at", .date),
                ("created_at", .date), ("updated_at", .date),
            ]
        ),
        (
            "conversations",
            [
                ("id", .key), ("session_id", .text), ("role", .text), ("content", .longText), ("created_at", .date),
            ]
        ),
        (
            "conversation_memories",
            [
                ("id", .key), ("content", .text), ("type", .optionalText), ("memory_type", .optionalText),
                ("confidence", .number), ("source_session_id", .optionalText), ("embedding", .vector),
                ("created_at", .date), ("updated_at", .date), ("last_accessed_at", .date), ("last_accessed", .date),
            ]
        ),
        (
            "device_tokens",
            [
                ("token", .text), ("platform", .optionalText), ("created_at", .date), ("last_seen_at", .date),
            ]
        ),
    ]
}
