import GRDB
import GoalRoom

/// The columns of the other program's tables, beyond those of ``NoteColumns``.
struct FileSchema: Sendable {
    let rawNotes: TableColumns
    let processed: TableColumns
    let threadNotes: TableColumns
    let threads: TableColumns
    let tasks: TableColumns
    let associations: TableColumns
    let sessions: TableColumns
    let messages: TableColumns
    /// The table of ``SessionMessageIndex``; empty before its migration.
    let sessionMessages: TableColumns
    let memories: TableColumns
    /// The table of ``MemoryLog``; empty before its migration.
    let memoryLog: TableColumns
    let devices: TableColumns
    let goals: GoalSchema

    init(_ database: Database) throws {
        rawNotes = try TableColumns(database, "raw_notes")
        processed = try TableColumns(database, "processed_notes")
        threadNotes = try TableColumns(database, "thread_notes")
        threads = try TableColumns(database, "threads")
        tasks = try TableColumns(database, "thread_tasks")
        associations = try TableColumns(database, "note_associations")
        sessions = try TableColumns(database, "chat_sessions")
        messages = try TableColumns(database, "conversations")
        sessionMessages = try TableColumns(database, "gateway_session_messages")
        memories = try TableColumns(database, "conversation_memories")
        memoryLog = try TableColumns(database, "gateway_memory_log")
        devices = try TableColumns(database, "device_tokens")
        goals = try GoalSchema(SQLiteSession(database))
    }

    /// The column of `note_associations` that holds the cosine similarity.
    var similarity: String? { associations.name("similarity", "similarity_score") }
}
