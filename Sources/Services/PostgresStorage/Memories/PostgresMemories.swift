import Foundation
package import GatewayAPI
package import Storage

/// Memories that all gateways on the database share, as ``MemoryStore`` keeps them in a file.
///
/// Chats find no memories in this mode, so none is proposed or superseded, and none has a source.
package struct PostgresMemories: ConversationMemories {
    /// The memories that are read at once.
    private static let mostInScan = 500
    /// The entries of the log after which all memories are read.
    private static let maxChanged: Int64 = 5000

    let store: PostgresStore

    static let columns = """
        m.id, m.content, m.type, m.confidence, m.source_session, m.created, m.updated, m.accessed, m.is_pinned
        """

    /// - Parameter vector: The column of the vector; nil to leave it out.
    static func memory(_ rows: PostgresRows, _ row: Int, vector: Int? = nil) -> Memory? {
        rows.integer(row, 0).map { id in
            var memory = Memory(
                id: id, content: rows.text(row, 1) ?? "", type: rows.text(row, 2),
                confidence: rows.double(row, 3) ?? 1, sourceSessionID: rows.text(row, 4),
                createdAt: rows.integer(row, 5).map(Timestamp.text),
                updatedAt: rows.integer(row, 6).map(Timestamp.text),
                lastAccessedAt: rows.integer(row, 7).map(Timestamp.text))
            memory.details = rows.bool(row, 8).map { MemoryDetails(isPinned: $0) }
            memory.embedding = vector.flatMap { floats(rows, row, $0) }.map(VectorText.encode)
            return memory
        }
    }

    static func floats(_ rows: PostgresRows, _ row: Int, _ column: Int) -> [Float]? {
        rows.bytes(row, column).flatMap { VectorBlob.decode(Data($0), dimensions: $0.count / 4) }
    }

    /// A stored vector: its numbers in float32, little-endian, as in a file.
    static func blob(_ vector: [Float]?) -> PostgresValue {
        vector.map { .bytes(Array(VectorBlob.encode($0))) } ?? .null
    }

    // MARK: Reading

    package func version() async throws -> Int64 {
        try await store.rows("SELECT version FROM memory_version").integer(0, 0) ?? 0
    }

    package func page(
        embeddings: Bool, state: MemoryDetails.State?, type: String?, after cursor: PageCursor?, limit: Int
    ) async throws -> Page<Memory> {
        try cursor?.check(numbers: 3)
        guard state ?? .active == .active else { return Page(items: [], next: nil) }
        let sureness = cursor.map { Double(bitPattern: UInt64(bitPattern: $0.numbers[0])) }
        // Sizes are known without reading the texts; those beyond the page are not read.
        let rows = try await store.rows(
            """
            SELECT id, CASE WHEN fits THEN content END, type, confidence, source_session, created, updated, accessed,
                is_pinned, CASE WHEN fits AND $2 THEN embedding END, fits
            FROM (
                SELECT *, place <= $1 AND (place = 1 OR total <= \(PageLimits.maxBytes)) AS fits FROM (
                    SELECT *, row_number() OVER w AS place, sum(octet_length(content) + 256
                        + CASE WHEN $2 THEN coalesce(octet_length(embedding), 0) * 4 / 3 ELSE 0 END) OVER w AS total
                    FROM (
                        SELECT \(Self.columns), m.embedding FROM memories m
                        WHERE (m.confidence, m.accessed, m.id) < ($3, $4, $5) AND m.type = coalesce($6::text, m.type)
                        ORDER BY m.confidence DESC, m.accessed DESC, m.id DESC LIMIT $1 + 1
                    ) AS k WINDOW w AS (ORDER BY confidence DESC, accessed DESC, id DESC ROWS UNBOUNDED PRECEDING)
                ) AS t
            ) AS f ORDER BY place
            """,
            [
                .integer(Int64(limit)), .bool(embeddings), .double(sureness ?? .infinity),
                .integer(cursor?.numbers[1] ?? .max), .integer(cursor?.numbers[2] ?? .max), PostgresValue(type),
            ])
        return PostgresPage.page(rows, fits: 10, { Self.memory($0, $1, vector: 9) }) { row in
            PageCursor(
                Int64(bitPattern: (rows.double(row, 3) ?? 1).bitPattern), rows.integer(row, 7) ?? 0,
                rows.integer(row, 0) ?? 0)
        }
    }

    package func find(ids: [Int64]) async throws -> [Memory] {
        let rows = try await store.rows(
            "SELECT \(Self.columns) FROM memories m WHERE m.id = ANY ($1)", [.integers(ids)])
        return rows.indices.compactMap { Self.memory(rows, $0) }
    }

    /// Subjects are known of memories that a chat found, and chats find none here. So only pinned ones stand.
    package func always(keys: [String], limit: Int) async throws -> [Memory]? {
        let rows = try await store.rows(
            "SELECT \(Self.columns) FROM memories m WHERE m.is_pinned ORDER BY m.id DESC LIMIT $1",
            [.integer(Int64(limit))])
        guard rows.count == 0 else { return rows.indices.compactMap { Self.memory(rows, $0) } }
        let any = try await store.rows("SELECT 1 FROM memories LIMIT 1")
        return any.count > 0 ? [] : nil
    }

    /// Reads the memories that changed, or all.
    ///
    /// The end of the log is read first: what changes while memories are read is read again by the next look.
    package func look(
        after position: Int64?, limit: Int, _ body: @escaping @Sendable (Memory, [Float]?) -> Void
    ) async throws -> MemoryLook {
        let (end, changed) = try await changes(after: position)
        guard let changed else {
            try await scan(limit, body)
            return MemoryLook(position: end)
        }
        let ids = changed.sorted(by: >)
        for start in stride(from: 0, to: ids.count, by: Self.mostInScan) {
            let part = Array(ids[start..<min(start + Self.mostInScan, ids.count)])
            let rows = try await store.rows(
                "SELECT \(Self.columns), m.embedding FROM memories m WHERE m.id = ANY ($1) ORDER BY m.id DESC",
                [.integers(part)])
            for row in rows.indices { Self.memory(rows, row).map { body($0, Self.floats(rows, row, 9)) } }
        }
        return MemoryLook(position: end, changed: changed)
    }

    /// Returns the end of the log, and the memories that changed after a position.
    ///
    /// - Returns: `changed` is nil when the log does not reach back to the position, or has too much after it.
    private func changes(after position: Int64?) async throws -> (end: Int64, changed: Set<Int64>?) {
        let ends = try await store.rows("SELECT max(seq), min(seq) FROM memory_log")
        guard let end = ends.integer(0, 0), let first = ends.integer(0, 1) else { return (0, nil) }
        guard let position, position <= end, position >= max(first - 1, end - Self.maxChanged) else {
            return (end, nil)
        }
        let rows = try await store.rows(
            "SELECT DISTINCT memory_id FROM memory_log WHERE seq > $1 AND seq <= $2",
            [.integer(position), .integer(end)])
        return (end, Set(rows.indices.compactMap { rows.integer($0, 0) }))
    }

    /// Reads the newest memories.
    private func scan(_ limit: Int, _ body: (Memory, [Float]?) -> Void) async throws {
        var (next, rest) = (Int64.max, limit)
        while rest > 0 {
            let part = min(rest, Self.mostInScan)
            let rows = try await store.rows(
                """
                SELECT \(Self.columns), m.embedding FROM memories m WHERE m.id < $1 ORDER BY m.id DESC LIMIT $2
                """, [.integer(next), .integer(Int64(part))])
            for row in rows.indices {
                guard let memory = Self.memory(rows, row) else { continue }
                next = memory.id
                body(memory, Self.floats(rows, row, 9))
            }
            guard rows.count == part else { break }
            rest -= part
        }
    }

    package func history(_ id: Int64) async throws -> MemoryHistory? {
        try await store.read { connection in
            guard let memory = try await Self.find(id, connection) else { return nil }
            let rows = try await connection.run(
                """
                SELECT action, content, reason, changed FROM memory_changes WHERE memory_id = $1 ORDER BY id DESC LIMIT 50
                """, [.integer(id)])
            let changes = rows.indices.compactMap { row in
                rows.text(row, 0).flatMap(MemoryChange.Action.init).map {
                    MemoryChange(
                        action: $0, content: rows.text(row, 1), reason: rows.text(row, 2),
                        at: Timestamp.iso8601(rows.integer(row, 3) ?? 0))
                }
            }
            return MemoryHistory(memory: memory, message: nil, changes: changes)
        }
    }

    static func find(_ id: Int64, _ connection: PostgresConnection) async throws -> Memory? {
        let rows = try await connection.run(
            "SELECT \(columns), m.embedding FROM memories m WHERE m.id = $1", [.integer(id)])
        return memory(rows, 0)
    }
}
