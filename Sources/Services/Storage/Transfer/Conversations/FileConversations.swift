import GRDB
import GatewayAPI

/// The chat sessions, messages and memories of an SQLite file, for a migration.
///
/// Only values that differ are written, so columns of other programs and values of other types stay as they are.
struct FileConversations: ConversationTransfer {
    /// The rows and bytes of text after which a page ends.
    static let (mostRows, mostBytes) = (256, 8 << 20)

    let database: GatewayDatabase

    var sessions: any TransferTable<SessionRecord> { FileSessions(database: database) }
    var memories: any TransferTable<MemoryRecord> { FileMemories(database: database) }

    func messages(of session: TextKey) -> any TransferTable<MessageRecord> {
        FileMessages(database: database, session: session.text)
    }

    func counts() async throws -> ConversationCounts {
        try await database.read { database, layout in
            func count(_ sql: String) throws -> Int { try Scalar.count(database, sql: sql) ?? 0 }
            let (sessions, messages, memories) = (
                layout.schema.sessions, layout.schema.messages, layout.schema.memories
            )
            return ConversationCounts(
                sessions: sessions.names.contains("id")
                    ? try count("SELECT count(*) FROM chat_sessions s WHERE \(FileSessions.isMoved)") : 0,
                messages: sessions.names.contains("id") && messages.names.isSuperset(of: ["id", "session_id"])
                    ? try count("SELECT count(*) FROM conversations m WHERE \(FileMessages.isMoved)") : 0,
                memories: memories.names.contains("id")
                    ? try count("SELECT count(*) FROM conversation_memories m WHERE typeof(m.id) = 'integer'") : 0)
        }
    }

    func highest() async throws -> ConversationNumbers {
        try await database.read { database, layout in
            func highest(_ places: [(table: String, column: String)]) throws -> Int64 {
                try places.map { place in
                    try Scalar.integer(
                        database,
                        sql: "SELECT max(\(place.column)) FROM \(place.table) WHERE typeof(\(place.column)) = 'integer'"
                    ) ?? 0
                }.max() ?? 0
            }
            // A deleted memory can come back under its number.
            let kept = [("gateway_memory_details", "memory_id"), ("gateway_memory_changes", "memory_id")]
            return ConversationNumbers(
                message: try highest(layout.schema.messages.names.contains("id") ? [("conversations", "id")] : []),
                memory: try highest(
                    kept + (layout.schema.memories.names.contains("id") ? [("conversation_memories", "id")] : [])))
        }
    }

    /// Numbers of a file grow by themselves.
    func reserve(_ numbers: ConversationNumbers, _ state: TransferState) async throws {}

    /// Reads rows by their keys until the page is full.
    static func rows<Row: TransferRow>(
        _ keys: [Row.Key], size: (Row) -> Int, _ find: (Row.Key) throws -> Row?
    ) rethrows -> TransferRows<Row> {
        var (rows, last, bytes) = ([Row](), Row.Key?.none, 0)
        for key in keys where bytes < mostBytes {
            last = key
            guard let row = try find(key) else { continue }
            rows.append(row)
            bytes += size(row)
        }
        return TransferRows(rows, last: last)
    }

    /// The first id of a page and the last that may be in it; nil when there can be none.
    static func range(after id: Int64?, through last: Int64?) -> (first: Int64, last: Int64)? {
        let (first, overflow) = (id ?? .min).addingReportingOverflow(id == nil ? 0 : 1)
        return overflow || first > last ?? .max ? nil : (first, last ?? .max)
    }
}

extension FileTransfer {
    /// Writes a row whose table belongs to another program.
    ///
    /// - Throws: ``StorageError/Code/schema`` when the table refuses it.
    static func fitting(_ row: String, _ table: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            throw StorageError(
                .schema, "\(row) does not fit the file's table \(table): \(error.message ?? "\(error)")")
        }
    }

    /// Sets values of a row, which is added if it does not exist. Columns that the table lacks are left out.
    static func upsert(
        _ id: Int64, _ values: [(column: String, value: any DatabaseValueConvertible)], into table: TableColumns,
        _ database: Database
    ) throws {
        let values = values.filter { table.names.contains($0.column) }
        let arguments = StatementArguments(values.map(\.value) as [any DatabaseValueConvertible]) + [id]
        let isKnown =
            try database.compiledRow("SELECT 1 FROM \(table.table) WHERE id = ? LIMIT 1", [id]) != nil
        if !isKnown {
            try database.execute(
                sql: """
                    INSERT INTO \(table.table) (\((values.map(\.column) + ["id"]).joined(separator: ", ")))
                    VALUES (\(databaseQuestionMarks(count: values.count + 1)))
                    """, arguments: arguments)
        } else if !values.isEmpty {
            try database.execute(
                sql: """
                    UPDATE \(table.table) SET \(values.map { "\($0.column) = ?" }.joined(separator: ", ")) WHERE id = ?
                    """, arguments: arguments)
        }
    }
}
