package import GatewayAPI
package import Storage
import Text

/// Lists of notes.
extension PostgresNotes {
    /// Returns a page of notes, newest first, without those of test runs.
    package func page(
        _ selection: NoteSelection, after cursor: PageCursor?, limit: Int
    ) async throws -> Page<Note> {
        try cursor?.check(numbers: 2)
        var (conditions, values) = (["NOT n.hidden"], [PostgresValue]())
        func add(_ condition: (_ place: String) -> String, _ value: PostgresValue) {
            values.append(value)
            conditions.append(condition("$\(values.count)"))
        }
        if let text = selection.text {
            // A text with the separator of title and text would match across it; the file has none of it.
            let folded = TextFolding.folded(text).replacing("\u{1}", with: "\u{FFFD}")
            add(
                {
                    "EXISTS (SELECT 1 FROM note_words w WHERE w.note_id = n.id AND strpos(w.folded, \($0)) > 0)"
                }, .text(folded))
        }
        if let links = selection.links {
            add(
                {
                    """
                    strpos(n.content, '[[') > 0 AND EXISTS (SELECT 1 FROM note_words w, unnest(\($0)::text[]) AS l (link)
                        WHERE w.note_id = n.id AND strpos(w.folded, l.link) > 0)
                    """
                }, .texts(links.map(TextFolding.folded)))
        }
        if let thread = selection.thread {
            add(
                { "EXISTS (SELECT 1 FROM thread_notes t WHERE t.note_id = n.id AND t.thread_id = \($0))" },
                .integer(thread))
        }
        if let since = selection.since { add({ "n.created >= \($0)" }, .integer(since)) }
        if let cursor {
            values += [.integer(cursor.numbers[0]), .integer(cursor.numbers[1])]
            conditions.append("(n.created, n.id) < ($\(values.count - 1), $\(values.count))")
        }
        values.append(.integer(Int64(limit) + 1))
        let sql = """
            SELECT n.id, n.created, octet_length(n.title) + octet_length(n.content) FROM notes n
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY n.created DESC, n.id DESC LIMIT $\(values.count)
            """
        let arguments = values
        return try await store.read { connection in
            let rows = try await connection.run(sql, arguments)
            // Texts are loaded for what is in the page, and one more.
            var (places, bytes) = ([PageCursor](), 0)
            for row in rows.indices where bytes <= PageLimits.maxBytes {
                guard let id = rows.integer(row, 0), let created = rows.integer(row, 1) else { continue }
                bytes += Int(clamping: rows.integer(row, 2) ?? 0)
                places.append(PageCursor(created, id))
            }
            let records = try await Self.records(places.map { $0.numbers[1] }, connection)
            let notes = Dictionary(records.map { ($0.id, $0.note) }) { first, _ in first }
            let loaded = places.compactMap { place in notes[place.numbers[1]].map { (item: $0, cursor: place) } }
            var page = Page(loaded, limit: limit) { $0.title.utf8.count + $0.content.utf8.count }
            if page.next == nil, places.count < rows.count { page.next = loaded.last?.cursor }
            return page
        }
    }

    /// Notes by what a link calls them; see ``NoteBook/named(_:)``.
    package func named(_ names: [String]) async throws -> [NoteName] {
        guard !names.isEmpty else { return [] }
        let names = names.map { $0.replacing("\0", with: "") }
        let files = names.map(LikePattern.escaped).flatMap { ["\($0).md", "%/\($0).md"] }
        let rows = try await store.rows(
            """
            SELECT n.id, n.title, NULL FROM notes n
            WHERE NOT n.hidden AND lower(n.title) = ANY (SELECT lower(u.name) FROM unnest($1::text[]) AS u (name))
            UNION ALL SELECT n.id, n.title, s.external_id FROM note_sources s JOIN notes n ON n.id = s.note_id
            WHERE NOT n.hidden AND s.external_id ILIKE ANY ($2::text[]) ORDER BY 1 LIMIT \(10 * names.count)
            """, [.texts(names), .texts(files)])
        return rows.indices.compactMap { row in
            rows.integer(row, 0).map { NoteName(id: $0, title: rows.text(row, 1) ?? "", file: rows.text(row, 2)) }
        }
    }
}
