import GRDB
package import GatewayAPI

/// Reads and writes pairs of similar notes.
package struct AssociationStore: Sendable {
    let database: GatewayDatabase

    /// Returns a page of pairs, most similar first. A pair stored in both directions appears once, with the greater
    /// similarity. Pairs with a hidden or deleted note are left out.
    ///
    /// - Parameters:
    ///   - minSimilarity: The minimum cosine similarity.
    ///   - since: At least one of the notes was written at this time or later, in seconds since 1970; any when nil.
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func page(
        minSimilarity: Double, since: Int64?, after cursor: PageCursor? = nil, limit: Int
    ) async throws -> Page<NoteAssociation> {
        try cursor?.check(numbers: 3)
        return try await database.read { database, layout in
            let (columns, schema) = (layout.columns, layout.schema)
            guard let source = Self.pairs(schema) else { return Page(items: [], next: nil) }
            var arguments: StatementArguments = [minSimilarity]
            var conditions = [columns.isShown("na"), columns.isShown("nb")]
            if let since {
                conditions.append(
                    "(\(SQLTime.seconds(columns.raw("created_at", of: "na"))) >= ?"
                        + " OR \(SQLTime.seconds(columns.raw("created_at", of: "nb"))) >= ?)")
                arguments += [since, since]
            }
            if let cursor {
                conditions.append("(near, a, b) < (?, ?, ?)")
                arguments += [
                    Double(bitPattern: UInt64(bitPattern: cursor.numbers[0])), cursor.numbers[1], cursor.numbers[2],
                ]
            }
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT a, b, near, \(ValueLimit.bounded(columns.raw("title", of: "na"), 65_536)) AS title_a,
                        \(ValueLimit.bounded(columns.raw("title", of: "nb"), 65_536)) AS title_b FROM (
                        \(source))
                    JOIN raw_notes na ON na.id = a JOIN raw_notes nb ON nb.id = b
                    WHERE \(conditions.joined(separator: " AND ")) ORDER BY near DESC, a DESC, b DESC LIMIT ?
                    """, arguments: arguments + [limit + 1])
            let pairs = rows.compactMap { row -> (item: NoteAssociation, cursor: PageCursor)? in
                guard let a = row.integer("a"), let b = row.integer("b"), let near = row.real("near") else {
                    return nil
                }
                return (
                    item: NoteAssociation(
                        noteAId: a, noteBId: b, noteATitle: row.text("title_a") ?? "",
                        noteBTitle: row.text("title_b") ?? "", similarity: near),
                    cursor: PageCursor(Int64(bitPattern: near.bitPattern), a, b)
                )
            }
            return Page(pairs, limit: limit) { $0.noteATitle.utf8.count + $0.noteBTitle.utf8.count + 128 }
        }
    }

    /// Selects each pair once, in columns `a`, `b` and `near`, from a similarity on, its one argument. Nil when the file has
    /// no usable table.
    static func pairs(_ schema: FileSchema) -> String? {
        guard let column = schema.similarity, schema.associations.names.isSuperset(of: ["note_a_id", "note_b_id"])
        else { return nil }
        // A similarity that is not a finite number sorts below all others.
        let similarity = ValueLimit.finite(column, else: "-1e300")
        return """
            SELECT min(note_a_id, note_b_id) AS a, max(note_a_id, note_b_id) AS b, max(\(similarity)) AS near
            FROM note_associations
            WHERE typeof(note_a_id) = 'integer' AND typeof(note_b_id) = 'integer' AND note_a_id <> note_b_id
                AND \(similarity) >= ?
            GROUP BY 1, 2
            """
    }
}
