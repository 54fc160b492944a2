package import GatewayAPI
package import Storage

/// The threads of the notes in the database, as they are read.
///
/// What threads have beside a name is what a migration moved. Their activity is that of their notes.
package struct PostgresThreads: ThreadBook {
    let store: PostgresStore

    /// Threads that are not active are left out of a page after it was read.
    package func active(after cursor: PageCursor?, limit: Int) async throws -> Page<ChatThread> {
        try cursor?.check(numbers: 3)
        let found = try await threads(
            """
            HAVING (\(Self.momentum), \(Self.activity), t.id) < ($1, $2, $3)
            ORDER BY \(Self.momentum) DESC, \(Self.activity) DESC, t.id DESC LIMIT $4
            """,
            [
                .double(cursor.map { Double(bitPattern: UInt64(bitPattern: $0.numbers[0])) } ?? .infinity),
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
            """
            SELECT t.id, left(t.name, $1::integer)
            FROM threads t LEFT JOIN gateway_thread_heat h ON h.thread_id = t.id
            ORDER BY coalesce(h.momentum, 0) DESC, t.id DESC LIMIT $2
            """,
            [.integer(Int64(ThreadNameMatch.maxScalars)), .integer(Int64(ThreadStore.maxComparedThreads))])
        var best: (id: Int64, score: Double)?
        for row in rows.indices {
            guard let id = rows.integer(row, 0) else { continue }
            let score = match.score(rows.text(row, 1) ?? "", beating: best?.score ?? 0)
            if score >= ThreadNameMatch.threshold, score > best?.score ?? 0 { best = (id, score) }
        }
        return if let best { try await find(best.id) } else { nil }
    }

    package func unknown(among namesOrIDs: [String]) async throws -> [String] {
        var unknown: [String] = []
        for name in namesOrIDs where try await ids(matching: [name]).isEmpty { unknown.append(name) }
        return unknown
    }

    package func ids(matching namesOrIDs: [String]) async throws -> Set<Int64> {
        let words = Array(Set(namesOrIDs.map(PostgresNotes.foldedName)).subtracting([""]))
        guard !words.isEmpty else { return [] }
        let found = try await store.rows(
            """
            SELECT id FROM threads WHERE id::text = ANY ($1)
                OR md5(folded) IN (SELECT md5(w) FROM unnest($1::text[]) AS u (w))
            """, [.texts(words)])
        return Set(found.indices.compactMap { found.integer($0, 0) })
    }

    /// The activity score, 0 before the first run of the job.
    private static let momentum = "coalesce(max(h.momentum), 0)"
    /// The time of the newest note.
    private static let activity = "coalesce(max(n.created), '\(Int64.min)'::bigint)"

    /// - Parameter end: The end of the statement, over `t` and its notes `n`.
    private func threads(
        _ end: String, _ values: [PostgresValue]
    ) async throws -> [(item: ChatThread, cursor: PageCursor)] {
        let rows = try await store.rows(
            """
            SELECT t.id, t.name, t.extra, count(n.id), \(Self.activity), max(h.momentum), max(h.heat), t.created
            FROM threads t LEFT JOIN gateway_thread_heat h ON h.thread_id = t.id
            LEFT JOIN thread_notes tn ON tn.thread_id = t.id LEFT JOIN notes n ON n.id = tn.note_id AND NOT n.hidden
            GROUP BY t.id \(end)
            """, values)
        return rows.indices.compactMap { row in
            guard let id = rows.integer(row, 0), let activity = rows.integer(row, 4) else { return nil }
            let columns = ExtraColumns.ofThread(rows.text(row, 2))
            let momentum = rows.double(row, 5) ?? 0
            func text(_ name: String) -> String? { columns[name]?.asText }
            let thread = ChatThread(
                id: id, name: rows.text(row, 1) ?? "", why: text("why"), summary: text("summary"),
                status: text("status") ?? "active", noteCount: Int(clamping: rows.integer(row, 3) ?? 0),
                lastActivityAt: activity == .min ? nil : Timestamp.text(activity), momentumScore: momentum,
                createdAt: rows.integer(row, 7).map(Timestamp.text), heat: rows.text(row, 6))
            return (thread, PageCursor(Int64(bitPattern: momentum.bitPattern), activity, id))
        }
    }
}
