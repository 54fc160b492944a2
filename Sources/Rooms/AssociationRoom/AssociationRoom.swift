package import Database
package import GatewayAPI

extension SQLStore {
    /// The pairs of similar notes.
    package var associations: AssociationRoom { AssociationRoom(store: self) }
}

/// A pair of similar notes; `first` has the smaller id.
package struct NotePair: Sendable, Hashable {
    /// The smaller note id.
    package var first: Int64
    /// The larger note id.
    package var second: Int64
    /// The cosine similarity.
    package var similarity: Double

    package init(first: Int64, second: Int64, similarity: Double) {
        self.first = first
        self.second = second
        self.similarity = similarity
    }
}

/// A pair of similar notes that was found for the first time; `first` has the smaller id.
package struct NewPair: Sendable, Hashable {
    package var first: Int64
    package var second: Int64
    package var firstTitle: String
    package var secondTitle: String
}

/// Reads and writes pairs of similar notes.
///
/// Methods throw ``StorageError``, and a server's own error while it is away.
package struct AssociationRoom: Sendable {
    let store: any SQLStore

    /// Pairs of one read.
    private static let batch = 20_000

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
        let pairs = try await store.snapshot { session in
            let words = session.dialect
            var (conditions, values): ([String], [SQLValue]) = (["1 = 1"], [.real(minSimilarity), .count(limit + 1)])
            if let since {
                conditions.append("(na.time >= $3 OR nb.time >= $3)")
                values.append(.integer(since))
            }
            if let cursor {
                let next = values.count
                conditions.append("(p.near, p.a, p.b) < ($\(next + 1), $\(next + 2), $\(next + 3))")
                values += [
                    .real(Double(bitPattern: UInt64(bitPattern: cursor.numbers[0]))), .integer(cursor.numbers[1]),
                    .integer(cursor.numbers[2]),
                ]
            }
            return try session.rows(
                """
                SELECT p.a, p.b, p.near, \(words.bounded("na.title", 65_536)), \(words.bounded("nb.title", 65_536))
                FROM \(try Self.shownPairs(session)) WHERE \(conditions.joined(separator: " AND "))
                ORDER BY p.near DESC, p.a DESC, p.b DESC LIMIT $2
                """, values
            ).compactMap { row -> (item: NoteAssociation, cursor: PageCursor)? in
                guard let a = row.integer(0), let b = row.integer(1), let near = row.real(2) else { return nil }
                return (
                    item: NoteAssociation(
                        noteAId: a, noteBId: b, noteATitle: row.text(3) ?? "", noteBTitle: row.text(4) ?? "",
                        similarity: near),
                    cursor: PageCursor(Int64(bitPattern: near.bitPattern), a, b)
                )
            }
        }
        return Page(pairs, limit: limit) { $0.noteATitle.utf8.count + $0.noteBTitle.utf8.count + 128 }
    }

    /// Returns pairs of similar notes, most similar first, whose newer note was written in one stretch of time and whose
    /// older note in another.
    ///
    /// - Parameters:
    ///   - newer: The stretch of the newer note, in seconds since 1970.
    ///   - older: The stretch of the older note.
    package func pairs(
        minSimilarity: Double, newer: ClosedRange<Int64>, older: ClosedRange<Int64>, limit: Int
    ) async throws -> [NotePair] {
        try await store.snapshot { session in
            try session.rows(
                """
                SELECT p.a, p.b, p.near FROM \(try Self.shownPairs(session))
                WHERE CASE WHEN na.time < nb.time THEN nb.time ELSE na.time END BETWEEN $3 AND $4
                AND CASE WHEN na.time < nb.time THEN na.time ELSE nb.time END BETWEEN $5 AND $6
                ORDER BY p.near DESC, p.a DESC, p.b DESC LIMIT $2
                """,
                [
                    .real(minSimilarity), .count(limit), .integer(newer.lowerBound), .integer(newer.upperBound),
                    .integer(older.lowerBound), .integer(older.upperBound),
                ]
            ).compactMap { Self.pair($0) }
        }
    }

    /// `FROM` for each pair once, in the columns `a`, `b` and `near` of `p`, from the similarity `$1` on, with its notes `na` and
    /// `nb`.
    private static func shownPairs(_ session: any SQLSession) throws -> String {
        let tables = try session.noteTables()
        return """
            (SELECT CASE WHEN s.note_a_id < s.note_b_id THEN s.note_a_id ELSE s.note_b_id END AS a,
                CASE WHEN s.note_a_id < s.note_b_id THEN s.note_b_id ELSE s.note_a_id END AS b,
                max(s.similarity) AS near
            FROM \(tables.pairs) s WHERE s.note_a_id <> s.note_b_id AND s.similarity >= $1 GROUP BY 1, 2) p
            JOIN \(tables.notes) na ON na.id = p.a JOIN \(tables.notes) nb ON nb.id = p.b
            """
    }

    /// Reads stored pairs of similar notes, in the order of their ids.
    ///
    /// - Parameters:
    ///   - minSimilarity: The least cosine.
    ///   - notes: Only pairs whose smaller note is one of these; nil for all.
    ///   - body: Called with each batch, until it returns false.
    package func pairs(
        minSimilarity: Double, of notes: [Int64]? = nil, _ body: ([NotePair]) throws -> Bool
    ) async throws {
        guard let notes else {
            _ = try await pairs(minSimilarity, ofPart: nil, body)
            return
        }
        for start in stride(from: 0, to: notes.count, by: 1000) {
            let part = SQLValue.numbers(notes[start..<min(start + 1000, notes.count)])
            guard try await pairs(minSimilarity, ofPart: part, body) else { return }
        }
    }

    /// Returns false when the body did.
    private func pairs(
        _ minSimilarity: Double, ofPart list: SQLValue?, _ body: ([NotePair]) throws -> Bool
    ) async throws -> Bool {
        var last: (Int64, Int64) = (.min, .min)
        while true {
            try Task.checkCancellation()
            let values: [SQLValue] =
                [.integer(last.0), .integer(last.1), .count(Self.batch)] + (list.map { [$0] } ?? [])
            let rows = try await store.snapshot { session in
                try session.rows(
                    """
                    SELECT note_a_id, note_b_id, similarity FROM \(try session.noteTables().pairs) s
                    WHERE (note_a_id, note_b_id) > ($1, $2)
                    \(values.count > 3 ? "AND note_a_id IN \(session.dialect.numbers("$4"))" : "")
                    ORDER BY note_a_id, note_b_id LIMIT $3
                    """, values)
            }
            let found = rows.compactMap { Self.pair($0) }.filter {
                $0.similarity >= minSimilarity && $0.first != $0.second
            }
            guard try body(found) else { return false }
            guard rows.count == Self.batch, let end = rows.last, let one = end.integer(0), let other = end.integer(1),
                (one, other) > last
            else { return true }
            last = (one, other)
        }
    }

    /// The notes that have a stored pair with one of some notes.
    package func partners(of notes: [Int64], minSimilarity: Double) async throws -> Set<Int64> {
        var found: Set<Int64> = []
        for start in stride(from: 0, to: notes.count, by: 1000) {
            let part = SQLValue.numbers(notes[start..<min(start + 1000, notes.count)])
            let rows = try await store.snapshot { session in
                let (pairs, list) = (try session.noteTables().pairs, session.dialect.numbers("$1"))
                return try session.rows(
                    """
                    SELECT note_b_id FROM \(pairs) s WHERE note_a_id IN \(list) AND similarity >= $2
                    UNION SELECT note_a_id FROM \(pairs) s WHERE note_b_id IN \(list) AND similarity >= $2
                    """, [part, .real(minSimilarity)])
            }
            found.formUnion(rows.compactMap { $0.integer(0) })
        }
        return found
    }

    private static func pair(_ row: SQLRow) -> NotePair? {
        guard let one = row.integer(0), let other = row.integer(1), let similarity = row.real(2) else { return nil }
        return NotePair(first: min(one, other), second: max(one, other), similarity: similarity)
    }
}
