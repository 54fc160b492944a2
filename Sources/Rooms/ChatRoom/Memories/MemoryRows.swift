package import Database
package import GatewayAPI

/// Memories with what the gateway knows of them, in a session of their store.
package struct MemoryRows {
    package let tables: any MemoryTables
    package let session: any SQLSession

    package init(_ tables: any MemoryTables, _ session: any SQLSession) {
        (self.tables, self.session) = (tables, session)
    }

    /// The condition for memories that hold.
    package static let isActive = "coalesce(d.state, 'active') = 'active'"

    /// `FROM` for the memories `m` with their details `d`. Those of a memory that another program changed, or of an id that it
    /// gave to another one, do not count.
    package var source: String {
        "\(tables.memories) m LEFT JOIN gateway_memory_details d ON d.memory_id = m.id AND d.keyed = m.content"
    }

    /// Calls a closure with each memory of a condition.
    ///
    /// - Parameters:
    ///   - condition: SQL after WHERE, over ``source``.
    ///   - body: Gets the value of the fact that the memory was read as, too.
    package func each(
        _ condition: String, _ values: [SQLValue], vectors: Bool = false,
        _ body: (_ memory: Memory, _ vector: [Float]?, _ value: String) throws -> Void
    ) throws {
        try session.each(
            """
            SELECT m.id, m.content, m.type, m.confidence, m.session, m.created_at, m.updated_at, m.accessed_at,
                \(vectors ? "m.embedding" : "NULL"), d.state, d.origin, d.is_pinned, d.kind, d.key, d.value, d.reason,
                d.superseded_by, d.run_id, d.session_id, d.message_id, \(session.dialect.bounded("d.source", 65_536)),
                d.start, d.stop
            FROM \(source) WHERE \(condition)
            """, values
        ) { row in
            guard let id = row.integer(0) else { return }
            var memory = Memory(
                id: id, content: row.text(1) ?? "", type: row.text(2), confidence: row.real(3) ?? 1,
                sourceSessionID: row.text(4), createdAt: row.date(5), updatedAt: row.date(6),
                lastAccessedAt: row.date(7))
            memory.details = Self.details(row)
            try body(memory, tables.vector(row.bytes(8)), row.text(14) ?? "")
        }
    }

    /// - Parameter vectors: Whether memories have their vectors.
    func all(_ condition: String, _ values: [SQLValue], vectors: Bool = false) throws -> [Memory] {
        var found: [Memory] = []
        try each(condition, values, vectors: vectors) { memory, vector, _ in
            var memory = memory
            memory.embedding = vector.map(VectorText.encode)
            found.append(memory)
        }
        return found
    }

    package func find(_ id: Int64, vectors: Bool = false) throws -> Memory? {
        try all("m.id = $1 LIMIT 1", [.integer(id)], vectors: vectors).first
    }

    /// The details of a row of ``each(_:_:vectors:_:)``; nil when it has none.
    private static func details(_ row: SQLRow) -> MemoryDetails? {
        guard let state = row.text(9).flatMap(MemoryDetails.State.init) else { return nil }
        var details = MemoryDetails(
            state: state, origin: row.text(10).flatMap(MemoryDetails.Origin.init) ?? .other,
            isPinned: row.integer(11) == 1)
        details.kind = row.text(12)
        details.key = row.text(13)
        details.reason = row.text(15)
        details.supersededBy = row.integer(16)
        if let run = row.text(17), let session = row.text(18), let text = row.text(20) {
            details.source = MemorySource(
                run: run, session: session, message: row.integer(19), text: text, start: row.count(21),
                end: row.count(22))
        }
        return details
    }

    // MARK: Writing

    func insert(_ new: NewMemory, id: Int64? = nil) throws -> Memory {
        guard let stored = try find(try tables.insert(new, id: id)) else {
            throw StorageError(.failed, "the memory could not be read back")
        }
        return stored
    }

    /// Changes a memory that exists; returns it as it is then.
    func update(_ known: Memory, _ change: MemoryUpdate) throws -> Memory? {
        var change = change
        if let isPinned = change.isPinned { try pin(known, isPinned) }
        if let content = change.content { try edited(known.id, content) }
        // The stored vector was made from the old text.
        if change.embedding.isKeep, let content = change.content, content != known.content { change.embedding = .clear }
        try tables.update(known.id, change)
        return try find(known.id)
    }

    /// Sets whether chats always get a memory.
    func pin(_ memory: Memory, _ isPinned: Bool) throws {
        if memory.details == nil {
            // Details of an older text, or of another memory with this id, end here.
            try session.run("DELETE FROM gateway_memory_details WHERE memory_id = $1", [.integer(memory.id)])
            try session.run(
                "INSERT INTO gateway_memory_details (memory_id, keyed, is_read) VALUES ($1, $2, 0)",
                [.integer(memory.id), .text(memory.content)])
        }
        try session.run(
            "UPDATE gateway_memory_details SET is_pinned = $1 WHERE memory_id = $2",
            [.integer(isPinned ? 1 : 0), .integer(memory.id)])
    }

    /// Keeps the details of a memory that gets another text; its subject has to be read again.
    func edited(_ id: Int64, _ content: String) throws {
        try session.run(
            """
            UPDATE gateway_memory_details SET keyed = $1, is_read = 0, kind = NULL, key = NULL, value = ''
            WHERE memory_id = $2
            """, [.text(content), .integer(id)])
    }

    /// Makes a superseded or proposed memory hold.
    func activate(_ id: Int64) throws {
        try session.run(
            """
            UPDATE gateway_memory_details SET state = 'active', superseded_by = NULL, reason = NULL
            WHERE memory_id = $1 AND state <> 'active'
            """, [.integer(id)])
    }

    // MARK: The way back

    /// The most changes to keep.
    static let maxChanges = 5000
    /// The seconds after which the text of a memory that was forgotten is deleted for good.
    package static let undoSeconds: Int64 = 3600

    /// The time of the store in seconds since 1970.
    private var now: Int64 { get throws { try session.clock().now / 1000 } }

    /// Keeps what a memory was before a change.
    ///
    /// - Parameter memory: The memory, with its vector for ``MemoryChange/Action/forget``.
    func keep(_ action: MemoryChange.Action, of memory: Memory, reason: String? = nil) throws {
        let vector = action == .forget ? memory.vector.map { VectorBlob.bytes($0) } : nil
        try session.run(
            """
            INSERT INTO gateway_memory_changes
                (memory_id, action, content, type, confidence, session_id, embedding, reason, changed_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            [
                .integer(memory.id), .text(action.rawValue), .text(action == .add ? nil : memory.content),
                .text(memory.type), .real(memory.confidence), .text(memory.sourceSessionID), .bytes(vector),
                .text(reason), .integer(try now),
            ])
        try forgetOld()
        try session.run(
            """
            DELETE FROM gateway_memory_changes
            WHERE id <= (SELECT id FROM gateway_memory_changes ORDER BY id DESC LIMIT 1 OFFSET \(Self.maxChanges))
            """)
    }

    /// Deletes what is left of memories that were forgotten longer ago than that can be undone.
    func forgetOld() throws {
        let time = SQLValue.integer(try now - Self.undoSeconds)
        let old = "SELECT memory_id FROM gateway_memory_changes WHERE action = 'forget' AND changed_at < $1"
        for table in ["gateway_memory_details", "gateway_memory_changes"] {
            try session.run(
                """
                DELETE FROM \(table) WHERE memory_id IN (\(old))
                AND NOT EXISTS (SELECT 1 FROM \(tables.memories) m WHERE m.id = \(table).memory_id)
                """, [time])
        }
        try session.run("DELETE FROM gateway_memory_changes WHERE action = 'forget' AND changed_at < $1", [time])
    }
}
