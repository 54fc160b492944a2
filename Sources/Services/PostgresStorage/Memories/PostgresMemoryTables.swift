package import ChatRoom
package import Database
import GatewayAPI
import Storage

extension PostgresStore {
    package func memoryTables(in session: any SQLSession) -> any MemoryTables { PostgresMemoryTables(session: session) }

    package func memoryVersion() async throws -> Int64 {
        try await rows("SELECT version FROM memory_version", [SQLValue]()).first?.integer(0) ?? 0
    }

    /// Its triggers stay.
    package func keepMemoryLog() {}
}

/// Memories that all gateways on the database share.
struct PostgresMemoryTables: MemoryTables {
    let session: any SQLSession

    let memories = """
        (SELECT id, content, type, confidence, source_session AS session, created AS created_at, updated AS updated_at,
            accessed AS accessed_at, accessed AS time, embedding, octet_length(content) AS size,
            coalesce(octet_length(embedding), 0) AS vector_size
        FROM memories)
        """

    func lock() throws {
        try session.run("SELECT pg_advisory_xact_lock($1)", [.integer(PostgresSchema.lock + 6)])
        try session.run("UPDATE memory_version SET version = version + 1")
    }

    func vector(_ bytes: [UInt8]?) -> [Float]? { bytes.flatMap { VectorBlob.decode($0, dimensions: $0.count / 4) } }

    func insert(_ new: NewMemory, id: Int64?) throws -> Int64 {
        let row = try session.first(
            """
            INSERT INTO memories (\(id == nil ? "" : "id, ")content, type, confidence, source_session, embedding, created,
                updated, accessed)
            VALUES (\(id == nil ? "" : "$7, ")$1, $2, $3, $4, $5, $6, $6, $6) RETURNING id
            """,
            [
                .text(new.content), .text(new.type), .real(new.confidence ?? 1), .text(new.sourceSessionID),
                .bytes(new.embedding.map { VectorBlob.bytes($0.values) }), .integer(try now),
            ] + (id.map { [.integer($0)] } ?? []))
        guard let id = row?.integer(0) else { throw PostgresError(.failed, "the memory could not be stored") }
        return id
    }

    func update(_ id: Int64, _ change: MemoryUpdate) throws {
        try session.run(
            """
            UPDATE memories SET content = coalesce($2, content), type = coalesce($3, type),
                confidence = coalesce($4, confidence), embedding = CASE WHEN $5 THEN embedding ELSE $6 END, updated = $7
            WHERE id = $1
            """,
            [
                .integer(id), .text(change.content), .text(change.type), .real(change.confidence),
                .bool(change.embedding.isKeep), .bytes(change.embedding.value.map { VectorBlob.bytes($0.values) }),
                .integer(try now),
            ])
    }

    func delete(_ id: Int64) throws -> Bool {
        try session.run("DELETE FROM memories WHERE id = $1", [.integer(id)]) > 0
    }

    /// Equal orders in all gateways, so that none waits for another in a circle.
    func touch(_ ids: [Int64]) throws -> Int {
        let list = SQLValue.numbers(ids)
        _ = try session.rows(
            "SELECT 1 FROM memories WHERE id IN \(session.dialect.numbers("$1")) ORDER BY id FOR NO KEY UPDATE", [list])
        return try session.run(
            "UPDATE memories SET accessed = $2 WHERE id IN \(session.dialect.numbers("$1"))",
            [list, .integer(try now)])
    }

    private var now: Int64 { get throws { try session.clock().now / 1000 } }

    func changes(after position: Int64?, limit: Int) throws -> (end: Int64?, changed: Set<Int64>?) {
        let ends = try session.first("SELECT max(seq), min(seq) FROM memory_log")
        guard let end = ends?.integer(0), let first = ends?.integer(1) else { return (0, nil) }
        guard let position, position <= end, position >= max(first - 1, end - Int64(limit)) else { return (end, nil) }
        let rows = try session.rows(
            "SELECT DISTINCT memory_id FROM memory_log WHERE seq > $1 AND seq <= $2",
            [.integer(position), .integer(end)])
        return (end, Set(rows.compactMap { $0.integer(0) }))
    }
}
