import GRDB
import GatewayAPI

/// Reads and writes what the gateway knows of memories beside the other program's table.
enum MemoryDetailRows {
    /// The columns of `d`, with names of their own.
    static let columns = """
        d.state AS d_state, d.origin AS d_origin, d.kind AS d_kind, d.key AS d_key, d.is_pinned AS d_pinned,
        d.run_id AS d_run, d.session_id AS d_session, d.message_id AS d_message,
        \(ValueLimit.bounded("d.source", 65_536)) AS d_source, d.start AS d_start, d.stop AS d_stop, d.reason AS d_reason,
        d.superseded_by AS d_by
        """

    /// Joins the details. Those of a memory that another program changed, or of an id that it gave to another one, do not count.
    static func join(_ table: TableColumns) -> String {
        let content = table.names.contains("content") ? "d.keyed = m.content" : "0"
        return "LEFT JOIN gateway_memory_details d ON d.memory_id = m.id AND \(content)"
    }

    /// The details of a row; nil when it has none.
    static func details(_ row: Row) -> MemoryDetails? {
        guard let state = row.text("d_state").flatMap(MemoryDetails.State.init) else { return nil }
        var details = MemoryDetails(
            state: state, origin: row.text("d_origin").flatMap(MemoryDetails.Origin.init) ?? .other,
            isPinned: row.integer("d_pinned") == 1)
        details.kind = row.text("d_kind")
        details.key = row.text("d_key")
        details.reason = row.text("d_reason")
        details.supersededBy = row.integer("d_by")
        if let run = row.text("d_run"), let session = row.text("d_session"), let text = row.text("d_source") {
            details.source = MemorySource(
                run: run, session: session, message: row.integer("d_message"), text: text, start: row.count("d_start"),
                end: row.count("d_stop"))
        }
        return details
    }

    /// Sets whether chats always get a memory.
    static func pin(_ memory: Memory, _ isPinned: Bool, _ database: Database) throws {
        if memory.details == nil {
            // Details of an older text, or of another memory with this id, end here.
            try database.execute(
                sql: "INSERT OR REPLACE INTO gateway_memory_details (memory_id, keyed, is_read) VALUES (?, ?, 0)",
                arguments: [memory.id, memory.content])
        }
        try database.execute(
            sql: "UPDATE gateway_memory_details SET is_pinned = ? WHERE memory_id = ?",
            arguments: [isPinned, memory.id])
    }

    /// Keeps the details of a memory that gets another text; its subject has to be read again.
    static func edited(_ id: Int64, _ content: String, _ database: Database) throws {
        try database.execute(
            sql: """
                UPDATE gateway_memory_details SET keyed = ?, is_read = 0, kind = NULL, key = NULL, value = '' WHERE memory_id = ?
                """, arguments: [content, id])
    }
}
