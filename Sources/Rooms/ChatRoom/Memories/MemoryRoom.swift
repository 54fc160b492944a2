package import Database
package import GatewayAPI

extension ChatStore {
    /// The memories of chats.
    package var memories: MemoryRoom { MemoryRoom(store: self) }
}

/// Reads and writes memories: facts learned from conversations.
///
/// One transaction at a time changes memories. Methods throw ``StorageError``, and a server's own error while it is away.
package struct MemoryRoom: Sendable {
    let store: any ChatStore

    /// The memories that are read at once.
    private static let batch = 500
    /// The maximum number of changed memories that are read by id.
    private static let maxChanged = 5000

    func read<Value: Sendable>(_ body: @escaping @Sendable (MemoryRows) throws -> Value) async throws -> Value {
        try await store.snapshot { [store] session in try body(MemoryRows(store.memoryTables(in: session), session)) }
    }

    func change<Value: Sendable>(_ body: @escaping @Sendable (MemoryRows) throws -> Value) async throws -> Value {
        try await store.transaction { [store] session in
            let rows = MemoryRows(try store.memoryTables(in: session), session)
            try rows.tables.lock()
            return try body(rows)
        }
    }

    /// A number that is another one after each change of what a search finds, whichever process made it.
    package func version() async throws -> Int64 { try await store.memoryVersion() }

    /// A memory of a page before it is read.
    private struct Listed {
        var id: Int64
        var bytes: Int
    }

    /// Returns a page of memories, ordered by confidence, then by last access, highest and latest first.
    ///
    /// Inserted or deleted memories do not shift pages. A memory touched between two pages may appear twice or be
    /// missed.
    ///
    /// - Parameters:
    ///   - state: Only memories of this state; nil for all.
    ///   - type: Only memories of this type; nil for all.
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func page(
        embeddings: Bool = false, state: MemoryDetails.State? = .active, type: String? = nil,
        after cursor: PageCursor? = nil, limit: Int
    ) async throws -> Page<Memory> {
        try cursor?.check(numbers: 3)
        return try await read { rows in
            var (conditions, values): ([String], [SQLValue]) = (["1 = 1"], [.count(limit + 1)])
            func add(_ condition: String, _ added: SQLValue...) {
                conditions.append(condition)
                values += added
            }
            if let cursor {
                add(
                    "(m.confidence, m.time, m.id) < ($2, $3, $4)",
                    .real(Double(bitPattern: UInt64(bitPattern: cursor.numbers[0]))), .integer(cursor.numbers[1]),
                    .integer(cursor.numbers[2]))
            }
            if let state { add("coalesce(d.state, 'active') = $\(values.count + 1)", .text(state.rawValue)) }
            if let type { add("m.type = $\(values.count + 1)", .text(type)) }
            // Sizes are known without reading the texts; those beyond the page are not read.
            let found = try rows.session.rows(
                """
                SELECT m.id, m.confidence, m.time, m.size, m.vector_size FROM \(rows.source)
                WHERE \(conditions.joined(separator: " AND "))
                ORDER BY m.confidence DESC, m.time DESC, m.id DESC LIMIT $1
                """, values
            ).compactMap { row -> (item: Listed, cursor: PageCursor)? in
                guard let id = row.integer(0) else { return nil }
                return (
                    Listed(id: id, bytes: row.count(3) + 256 + (embeddings ? row.count(4) / 3 * 4 : 0)),
                    PageCursor(Int64(bitPattern: (row.real(1) ?? 1).bitPattern), row.integer(2) ?? 0, id)
                )
            }
            let page = Page(found, limit: limit) { $0.bytes }
            let ids = page.items.map(\.id)
            let memories = Dictionary(
                try rows.all(
                    "m.id IN \(rows.session.dialect.numbers("$1"))", [.numbers(ids)], vectors: embeddings
                ).map { ($0.id, $0) }
            ) { first, _ in first }
            return Page(items: ids.compactMap { memories[$0] }, next: page.next)
        }
    }

    /// Loads memories that hold by id, in any order, without their vectors. Skips unknown ids.
    package func find(ids: [Int64]) async throws -> [Memory] {
        try await read { rows in
            try rows.all(
                "m.id IN \(rows.session.dialect.numbers("$1")) AND \(MemoryRows.isActive)", [.numbers(ids)])
        }
    }

    /// Returns the memories that chats always get: those that a person pinned, then those of some subjects. Nil when
    /// there are no memories at all.
    package func always(keys: [String], limit: Int) async throws -> [Memory]? {
        try await read { rows in
            guard try rows.session.first("SELECT 1 FROM \(rows.tables.memories) m LIMIT 1") != nil else { return nil }
            let places = keys.indices.map { "$\($0 + 2)" }.joined(separator: ", ")
            let ofKeys = keys.isEmpty ? "" : " OR d.key IN (\(places))"
            return try rows.all(
                "d.state = 'active' AND (d.is_pinned = 1\(ofKeys)) ORDER BY d.is_pinned DESC, m.id DESC LIMIT $1",
                [.count(limit)] + keys.map { SQLValue.text($0) })
        }
    }

    /// Calls a closure with the memories that hold and changed since the last look, or with all, newest first, on the store's
    /// thread. The memory's own `embedding` field stays empty.
    ///
    /// - Parameters:
    ///   - position: The position of the last look; nil to read all.
    ///   - limit: The maximum number of memories to read when all are read.
    package func look(
        after position: Int64?, limit: Int,
        _ body: @escaping @Sendable (_ memory: Memory, _ vector: [Float]?) -> Void
    ) async throws -> MemoryLook {
        let look = try await read { rows in
            let (end, changed) = try rows.tables.changes(after: position, limit: Self.maxChanged)
            let changes = changed.map { $0.sorted(by: >) }
            var (next, rest) = (Int64.max, changes?.count ?? limit)
            while rest > 0 {
                let part = min(rest, Self.batch)
                rest -= part
                if let changes {
                    let start = changes.count - rest - part
                    try rows.each(
                        "m.id IN \(rows.session.dialect.numbers("$1")) AND \(MemoryRows.isActive) ORDER BY m.id DESC",
                        [.numbers(changes[start..<start + part])], vectors: true
                    ) { memory, vector, _ in body(memory, vector) }
                } else {
                    var count = 0
                    try rows.each(
                        "m.id <= $1 AND \(MemoryRows.isActive) ORDER BY m.id DESC LIMIT $2",
                        [.integer(next), .count(part)], vectors: true
                    ) { memory, vector, _ in
                        body(memory, vector)
                        count += 1
                        next = memory.id
                    }
                    guard count == part, next > .min else { break }
                    next -= 1
                }
            }
            return MemoryLook(position: end, changed: changed)
        }
        if look.position == nil { try await store.keepMemoryLog() }
        return look
    }
}
