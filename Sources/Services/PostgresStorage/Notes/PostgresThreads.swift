package import GatewayAPI
package import Storage

/// The threads of the notes in the database, as they are read.
///
/// What threads have beside a name is what a migration moved. Their activity is that of their notes. There are no tasks.
package struct PostgresThreads: ThreadBook {
    let store: PostgresStore

    /// There is no momentum here, so the page is ordered by activity alone. Threads that are not active are left out of a page
    /// after it was read.
    package func active(after cursor: PageCursor?, limit: Int) async throws -> Page<ChatThread> {
        try cursor?.check(numbers: 3)
        let found = try await threads(
            """
            HAVING (\(Self.activity), t.id) < ($1, $2) ORDER BY \(Self.activity) DESC, t.id DESC LIMIT $3
            """,
            [
                .integer(cursor?.numbers[1] ?? .max), .integer(cursor?.numbers[2] ?? .max), .integer(Int64(limit) + 1),
            ])
        var page = Page(found, limit: limit) {
            $0.name.utf8.count + ($0.why?.utf8.count ?? 0) + ($0.summary?.utf8.count ?? 0) + 512
        }
        page.items.removeAll { $0.status ?? "active" != "active" }
        return page
    }

    package func find(_ id: Int64) async throws -> ChatThread? {
        try await threads("HAVING t.id = $1", [.integer(id)]).first?.item
    }

    package func find(named name: String) async throws -> ChatThread? {
        let match = ThreadNameMatch(name)
        let rows = try await store.rows(
            "SELECT id, left(name, $1::integer) FROM threads ORDER BY id DESC LIMIT $2",
            [.integer(Int64(ThreadNameMatch.maxScalars)), .integer(Int64(ThreadStore.maxComparedThreads))])
        var best: (id: Int64, score: Double)?
        for row in rows.indices {
            guard let id = rows.integer(row, 0) else { continue }
            let score = match.score(rows.text(row, 1) ?? "", beating: best?.score ?? 0)
            if score >= ThreadNameMatch.threshold, score > best?.score ?? 0 { best = (id, score) }
        }
        return if let best { try await find(best.id) } else { nil }
    }

    package func tasks(of thread: Int64, after cursor: PageCursor?, limit: Int) throws -> Page<ThreadTask> {
        try cursor?.check(numbers: 2)
        return Page(items: [], next: nil)
    }

    package func unknown(among namesOrIDs: [String]) async throws -> [String] {
        var unknown: [String] = []
        for name in namesOrIDs where try await store.notes.threads(matching: [name]).isEmpty { unknown.append(name) }
        return unknown
    }

    /// The time of the newest note.
    private static let activity = "coalesce(max(n.created), '\(Int64.min)'::bigint)"

    /// - Parameter end: The end of the statement, over `t` and its notes `n`.
    private func threads(
        _ end: String, _ values: [PostgresValue]
    ) async throws -> [(item: ChatThread, cursor: PageCursor)] {
        let rows = try await store.rows(
            """
            SELECT t.id, t.name, t.extra, count(n.id), \(Self.activity) FROM threads t
            LEFT JOIN thread_notes tn ON tn.thread_id = t.id LEFT JOIN notes n ON n.id = tn.note_id AND NOT n.hidden
            GROUP BY t.id \(end)
            """, values)
        return rows.indices.compactMap { row in
            guard let id = rows.integer(row, 0), let activity = rows.integer(row, 4) else { return nil }
            let columns = ExtraColumns.ofThread(rows.text(row, 2))
            func text(_ name: String) -> String? { columns[name]?.asText }
            let thread = ChatThread(
                id: id, name: rows.text(row, 1) ?? "", why: text("why"), summary: text("summary"),
                status: text("status"), noteCount: Int(clamping: rows.integer(row, 3) ?? 0),
                lastActivityAt: activity == .min ? nil : Timestamp.text(activity))
            return (thread, PageCursor(0, activity, id))
        }
    }
}
