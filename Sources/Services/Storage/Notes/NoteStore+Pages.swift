import GRDB
package import GatewayAPI

extension NoteStore {
    /// Returns a page of notes, newest first, without those of test runs.
    ///
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func page(
        _ selection: NoteSelection = NoteSelection(), after cursor: PageCursor? = nil, limit: Int
    ) async throws -> Page<Note> {
        try cursor?.check(numbers: 2)
        return try await database.read { database, layout in
            try Self.page(database, layout.columns, selection, cursor, limit)
        }
    }

    /// Notes by what a link calls them; see ``NoteBook/named(_:)``.
    package func named(_ names: [String]) async throws -> [NoteName] {
        guard !names.isEmpty else { return [] }
        return try await database.read { database, layout in
            let columns = layout.columns
            let title = "CAST(\(columns.boundedRaw("title")) AS TEXT)"
            let files = names.map { _ in "external_id LIKE ? ESCAPE '\\' OR external_id LIKE ? ESCAPE '\\'" }
            let patterns = names.map(LikePattern.escaped).flatMap { ["\($0).md", "%/\($0).md"] }
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT n.id, \(title) AS title, NULL FROM raw_notes n WHERE \(columns.isShown)
                        AND \(title) COLLATE NOCASE IN (\(databaseQuestionMarks(count: names.count)))
                    UNION ALL SELECT n.id, \(title), s.external_id FROM gateway_note_sources s
                        JOIN raw_notes n ON n.id = s.note_id
                    WHERE \(columns.isShown) AND (\(files.joined(separator: " OR ")))
                    ORDER BY 1 LIMIT \(10 * names.count)
                    """, arguments: StatementArguments(names + patterns))
            var found: [NoteName] = []
            while let row = try rows.next() {
                guard let id = row.integer(0) else { continue }
                found.append(NoteName(id: id, title: row.text(1) ?? "", file: row.text(2)))
            }
            return found
        }
    }

    private static func page(
        _ database: Database, _ columns: NoteColumns, _ selection: NoteSelection, _ cursor: PageCursor?, _ limit: Int
    ) throws -> Page<Note> {
        var conditions = [columns.isShown]
        var arguments = StatementArguments()
        if let text = selection.text {
            let (sql, values) = FoldedContains.condition([columns.raw("title"), columns.raw("content")], contain: text)
            conditions.append(sql)
            arguments += values
        }
        if let links = selection.links {
            let content = columns.raw("content")
            let terms = links.map { FoldedContains.condition([content], contain: $0) }
            // Most notes have no link at all, which is quickly seen.
            conditions.append(
                "instr(CAST(\(content) AS TEXT), '[[') > 0 AND (\((["0"] + terms.map(\.sql)).joined(separator: " OR ")))"
            )
            for term in terms { arguments += term.arguments }
        }
        if let thread = selection.thread {
            guard columns.hasThreads, let note = columns.threadNote else { return Page(items: [], next: nil) }
            conditions.append("n.id IN (SELECT \(note) FROM thread_notes WHERE thread_id = ?)")
            arguments += [thread]
        }
        var times = ["1"]
        if let since = selection.since {
            times.append("time >= ?")
            arguments += [since]
        }
        if let cursor {
            times.append("(time, id) < (?, ?)")
            arguments += [cursor.numbers[0], cursor.numbers[1]]
        }
        arguments += [limit + 1]
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT id, time FROM (SELECT n.id AS id, \(SQLTime.seconds(columns.raw("created_at"))) AS time FROM raw_notes n
                    WHERE \(conditions.joined(separator: " AND ")))
                WHERE \(times.joined(separator: " AND ")) ORDER BY time DESC, id DESC LIMIT ?
                """, arguments: arguments)
        // Loads a few notes at a time, since notes beyond the page should not stay in memory.
        var loaded: [(item: Note, cursor: PageCursor)] = []
        var bytes = 0
        for start in stride(from: 0, to: rows.count, by: 8) where bytes <= PageLimits.maxBytes {
            let part = rows[start..<min(start + 8, rows.count)]
            let ids = part.compactMap { $0.integer(0) }
            let notes = Dictionary(try load(database, columns, ids).map { ($0.id, $0) }) { first, _ in first }
            // Each row gets its own cursor, even where several rows share an id, so that paging ends.
            for row in part {
                guard let id = row.integer(0), let note = notes[id] else { continue }
                bytes += note.bytes
                loaded.append((note, PageCursor(row.integer(1) ?? 0, id)))
            }
        }
        var page = Page(loaded, limit: limit, bytes: \.bytes)
        // Rows that were not loaded belong to the next page.
        if page.next == nil, loaded.count < rows.count { page.next = loaded.last?.cursor }
        return page
    }
}
