package import Database

extension AssociationRoom {
    /// What a running job has collected stays where it is. A new pair says of which job it is; here, of none.
    package static let tables = [
        RoomTable("pairs", key: "note_a_id", "note_b_id", pageSize: 1000).with {
            ($0.view, $0.rest) = (pairs, "pairs of notes that do not exist or are hidden stay")
        },
        RoomTable("gateway_new_pairs", key: "note_a_id", "note_b_id").with { $0.constants = ["job_id": .integer(0)] },
    ]

    private static let pairs = RoomView(
        [
            SQLColumn(name: "note_a_id", type: "integer"), SQLColumn(name: "note_b_id", type: "integer"),
            SQLColumn(name: "similarity", type: "real"),
        ],
        tables: [.sqlite: ["note_associations"], .postgres: ["gateway_associations"]],
        known: ["id", "note_a_id", "note_b_id", "similarity", "similarity_score"],
        rows: { session in
            """
            (SELECT p.note_a_id AS note_a_id, p.note_b_id AS note_b_id, p.similarity AS similarity
            FROM \(try session.noteTables().pairs) p WHERE \(try areKnown(session)))
            """
        },
        write: { rows, session in
            guard let table = try session.noteTables().pairTable else { return }
            let areKnown = try areKnown(session)
            for start in stride(from: 0, to: rows.count, by: 100) {
                let part = rows[start..<min(start + 100, rows.count)].compactMap { row -> [SQLValue]? in
                    guard let one = row["note_a_id"]?.asInteger, let other = row["note_b_id"]?.asInteger,
                        let similarity = row["similarity"]?.asReal
                    else { return nil }
                    return [.integer(one), .integer(other), .real(similarity)]
                }
                guard !part.isEmpty else { continue }
                for pair in part { try remove(Array(pair.prefix(2)), from: table.name, session) }
                let marks = part.indices.map { "($\(3 * $0 + 1), $\(3 * $0 + 2), $\(3 * $0 + 3))" }
                try session.run(
                    """
                    WITH p (note_a_id, note_b_id, similarity) AS (VALUES \(marks.joined(separator: ", ")))
                    INSERT INTO \(table.name) (note_a_id, note_b_id, \(table.similarity))
                    SELECT note_a_id, note_b_id, similarity FROM p WHERE \(areKnown) ON CONFLICT DO NOTHING
                    """, part.flatMap(\.self))
            }
        },
        remove: { key, session in
            guard let table = try session.noteTables().pairTable else { return }
            try remove(key.values, from: table.name, session)
        })

    private static func remove(_ pair: [SQLValue], from table: String, _ session: any SQLSession) throws {
        try session.run("DELETE FROM \(table) WHERE note_a_id = $1 AND note_b_id = $2", pair)
    }
}
