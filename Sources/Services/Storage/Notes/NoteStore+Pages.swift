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
