import GRDB
package import GatewayAPI

/// Reads threads.
package struct ThreadStore: Sendable {
    let database: GatewayDatabase

    /// The maximum number of names compared in a fuzzy search.
    package static let maxComparedThreads = 20_000

    /// Returns a page of the active threads: highest momentum first, then latest activity.
    ///
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func active(after cursor: PageCursor? = nil, limit: Int) async throws -> Page<ChatThread> {
        try cursor?.check(numbers: 3)
        return try await database.read { database, layout in
            let rows = ThreadRows(columns: layout.columns, table: layout.schema.threads)
            var condition = rows.isActive
            var arguments = StatementArguments()
            if let cursor {
                condition += " AND (momentum, activity, t.id) < (?, ?, ?)"
                arguments = [
                    Double(bitPattern: UInt64(bitPattern: cursor.numbers[0])), cursor.numbers[1], cursor.numbers[2],
                ]
            }
            let found = try rows.fetch(
                database, "\(condition) ORDER BY momentum DESC, activity DESC, t.id DESC LIMIT ?",
                arguments + [limit + 1])
            return Page(found, limit: limit) { $0.bytes + 512 }
        }
    }

    /// Returns a thread; nil when there is none with that id.
    package func find(_ id: Int64) async throws -> ChatThread? {
        try await database.read { database, layout in
            let rows = ThreadRows(columns: layout.columns, table: layout.schema.threads)
            return try rows.fetch(database, "t.id = ? LIMIT 1", [id]).first?.item
        }
    }

    /// Returns the thread whose name matches best, the one with the highest momentum among equals; nil when none
    /// matches.
    package func find(named name: String) async throws -> ChatThread? {
        let best: Int64? = try await database.read { database, layout in
            let rows = ThreadRows(columns: layout.columns, table: layout.schema.threads)
            guard rows.table.names.isSuperset(of: ["id", "name"]) else { return nil }
            let match = ThreadNameMatch(name)
            let names = try Row.fetchCursor(
                database,
                sql: """
                    SELECT t.id, \(ValueLimit.bounded("substr(t.name, 1, \(ThreadNameMatch.maxScalars))", 4096))
                    FROM threads t WHERE typeof(t.id) = 'integer'
                    ORDER BY \(rows.momentum) DESC, t.id DESC LIMIT \(Self.maxComparedThreads)
                    """)
            var best: (id: Int64, score: Double)?
            while let row = try names.next() {
                guard let id = row.integer(0) else { continue }
                let score = match.score(row.text(1) ?? "", beating: best?.score ?? 0)
                if score >= ThreadNameMatch.threshold, score > best?.score ?? 0 { best = (id, score) }
            }
            return best?.id
        }
        guard let best else { return nil }
        return try await find(best)
    }
}

/// Reads threads with the columns that the file has.
private struct ThreadRows {
    let columns: NoteColumns
    let table: TableColumns

    /// SQL for the momentum; threads without a score come last.
    var momentum: String { ValueLimit.finite(table.value("t", "momentum_score"), else: "-1e300") }

    var isActive: String { table.names.contains("status") ? "t.status = 'active'" : "1" }

    /// - Parameter condition: SQL after WHERE, over `t`, `momentum` and `activity`.
    func fetch(
        _ database: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> [(item: ChatThread, cursor: PageCursor)] {
        guard table.names.contains("id") else { return [] }
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT t.id AS id, \(table.bounded("t", "name")) AS name, \(table.bounded("t", "why")) AS why,
                    \(table.bounded("t", "summary")) AS summary, \(table.bounded("t", "status")) AS status,
                    \(table.bounded("t", "last_activity_at")) AS last_activity_at,
                    \(table.bounded("t", "emotional_charge")) AS emotional_charge,
                    \(table.bounded("t", "momentum_score")) AS momentum_score,
                    \(table.bounded("t", "created_at")) AS created_at,
                    \(table.bounded("t", "updated_at")) AS updated_at,
                    \(momentum) AS momentum, \(SQLTime.seconds(table.value("t", "last_activity_at"))) AS activity,
                    \(noteCount) AS note_count,
                    (SELECT heat FROM gateway_thread_heat h WHERE h.thread_id = t.id) AS heat
                FROM threads t WHERE typeof(t.id) = 'integer' AND \(condition)
                """, arguments: arguments)
        var (found, bytes) = ([(item: ChatThread, cursor: PageCursor)](), 0)
        while bytes < ValueLimit.batch, let row = try rows.next() {
            guard let id = row.integer("id") else { continue }
            let thread = ChatThread(
                id: id, name: row.text("name") ?? "", why: row.text("why"), summary: row.text("summary"),
                status: row.text("status"), noteCount: row.count("note_count"),
                lastActivityAt: row.date("last_activity_at"), emotionalCharge: row.real("emotional_charge"),
                momentumScore: row.real("momentum_score"), createdAt: row.date("created_at"),
                updatedAt: row.date("updated_at"), heat: row.text("heat"))
            let momentum = row.real("momentum") ?? -1e300
            let cursor = PageCursor(Int64(bitPattern: momentum.bitPattern), row.integer("activity") ?? 0, id)
            bytes += thread.bytes
            found.append((thread, cursor))
        }
        return found
    }

    private var noteCount: String {
        guard columns.hasThreads, let note = columns.threadNote else { return "0" }
        return """
            (SELECT count(DISTINCT n.id) FROM thread_notes tn JOIN raw_notes n ON n.id = tn.\(note)
            WHERE tn.thread_id = t.id AND \(columns.isShown))
            """
    }
}

extension ChatThread {
    /// The approximate memory of its texts in bytes.
    fileprivate var bytes: Int { name.utf8.count + (why?.utf8.count ?? 0) + (summary?.utf8.count ?? 0) }
}
