package import Database
package import GatewayAPI
package import Goals

/// Terms, with their status and goals.
package struct GoalTermStore: Sendable {
    let tables: GoalTables

    /// Returns a page of terms, latest first.
    package func list(on day: LocalDay?, after cursor: PageCursor?, limit: Int) async throws -> Page<TermRecord> {
        try cursor?.check(numbers: 1, hasID: true)
        return try await tables.read { session in
            let order = "substr(start_date, 1, 10) || ' ' || uuid_id"
            var conditions = [GoalID.isUUID("uuid_id", session.dialect)]
            var parameters = SQLParameters()
            if let id = cursor?.id { conditions.append("\(order) < \(parameters.add(id))") }
            if let day {
                let day = parameters.add(day.description)
                conditions.append("substr(start_date, 1, 10) <= \(day) AND substr(target_date, 1, 10) >= \(day)")
            }
            let rows = try session.rows(
                GoalColumns.term.and("sort", as: order),
                """
                FROM terms WHERE \(conditions.joined(separator: " AND "))
                ORDER BY \(order) DESC LIMIT \(parameters.add(.count(limit + 1)))
                """, parameters.values)
            let found = try zip(Self.complete(rows.map(GoalRows.term), session), rows).map {
                ($0, PageCursor(0, id: $1.text("sort") ?? ""))
            }
            return Page(found, limit: limit) {
                1024 + ($0.description?.utf8.count ?? 0) + ($0.notes?.utf8.count ?? 0)
                    + ($0.reflection?.utf8.count ?? 0)
            }
        }
    }

    /// Returns a term, with the goals that only overlap it.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ id: String) async throws -> TermRecord {
        try await tables.read { session in
            var term = try Self.term(id, session)
            term.overlapping = try session.texts(
                """
                SELECT uuid_id FROM goals WHERE coalesce(substr(start_date, 1, 10), '') <= $2
                AND coalesce(substr(target_date, 1, 10), '9999') >= $1 AND uuid_id NOT IN
                (SELECT goal_uuid FROM term_goal_assignments WHERE term_uuid = $3) ORDER BY uuid_id LIMIT 100
                """, [.text(term.startDate), .text(term.targetDate), .text(term.id)])
            return term
        }
    }

    /// Returns the term of a number, or the latest one; nil if there is none.
    package func find(number: Int?) async throws -> TermRecord? {
        try await tables.read { session in
            let row = try session.first(
                .term,
                """
                FROM terms WHERE \(GoalID.isUUID("uuid_id", session.dialect)) AND ($1 IS NULL OR term_number = $1)
                ORDER BY substr(start_date, 1, 10) DESC LIMIT 1
                """, [.count(number)])
            return try row.flatMap { try Self.complete([GoalRows.term($0)], session).first }
        }
    }

    static func term(_ id: String, _ session: any SQLSession) throws -> TermRecord {
        let row = try session.first(.term, "FROM terms WHERE \(GoalID.matches("uuid_id"))", [.text(id)])
        guard let row, let term = try complete([GoalRows.term(row)], session).first else {
            throw StorageError(.notFound, "there is no term \(id)")
        }
        return term
    }

    /// Adds status, goals and version; the status is empty where none was set.
    private static func complete(_ records: [TermRecord], _ session: any SQLSession) throws -> [TermRecord] {
        let versions = try GoalTables.versions(of: records.map(\.id), session)
        return try records.map { record in
            var record = record
            record.version = versions[record.id] ?? 0
            record.status =
                try session.first("SELECT status FROM gateway_goal_terms WHERE term_id = $1", [.text(record.id)])?
                .text(0) ?? ""
            record.goals = try session.texts(
                """
                SELECT t.goal_uuid FROM term_goal_assignments t JOIN goals g ON g.uuid_id = t.goal_uuid
                WHERE t.term_uuid = $1 ORDER BY t.assignment_order IS NULL, t.assignment_order, t.goal_uuid LIMIT $2
                """, [.text(record.id), .count(Goals.Term.maxGoals)])
            return record
        }
    }

    /// The number and the last day of the latest term; nil without any.
    package func latest() async throws -> (number: Int, last: LocalDay)? {
        try await tables.read { session in
            let row = try session.first(
                "SELECT max(CAST(term_number AS \(session.dialect.integer))), max(substr(target_date, 1, 10)) FROM terms"
            )
            guard let row, let last = GoalTime.day(row.text(1)) else { return nil }
            return (row.count(0), last)
        }
    }

    /// Stores a new term; the same id with the same contents is the stored one.
    ///
    /// - Throws: ``StorageError/Code/conflict`` if the number is taken.
    package func add(_ record: TermRecord, _ context: GoalContext) async throws -> (term: TermRecord, isNew: Bool) {
        let isNew = try await tables.write(context) { try Self.add(record, $0) }
        return (try await find(record.id), isNew)
    }

    static func add(_ record: TermRecord, _ session: any SQLSession) throws -> Bool {
        if let known = try? term(record.id, session) {
            var (a, b) = (known, record)
            (a.version, b.version, b.id, a.week, b.week) = (0, 0, a.id, nil, nil)
            guard a == b else { throw StorageError(.conflict, "the id \(record.id) belongs to another term") }
            return false
        }
        try requireFree(record.number, session)
        try GoalTables.insert("terms", columns(record), session)
        try writeStatus(of: record, session)
        try writeGoals(of: record, session)
        return true
    }

    /// Changes a term. `transform` gets the stored one within the transaction.
    package func change(
        _ id: String, _ context: GoalContext, _ transform: @escaping @Sendable (TermRecord) throws -> TermRecord
    ) async throws -> TermRecord {
        try await tables.write(context) { session in
            let old = try Self.term(id, session)
            let new = try transform(old)
            if new.number != old.number { try Self.requireFree(new.number, session) }
            try GoalTables.update("terms", "uuid_id", old.id, from: Self.columns(old), to: Self.columns(new), session)
            if new.status != old.status { try Self.writeStatus(of: new, session) }
            if new.goals != old.goals { try Self.writeGoals(of: new, session) }
        }
        return try await find(id)
    }

    private static func requireFree(_ number: Int, _ session: any SQLSession) throws {
        let known = try session.first("SELECT uuid_id FROM terms WHERE term_number = $1", [.count(number)])?.text(0)
        if let known { throw StorageError(.conflict, "the number \(number) belongs to the term \(known)") }
    }

    private static func writeStatus(of record: TermRecord, _ session: any SQLSession) throws {
        guard !record.status.isEmpty else { return }
        try session.run(
            """
            INSERT INTO gateway_goal_terms (term_id, status) VALUES ($1, $2)
            ON CONFLICT (term_id) DO UPDATE SET status = $2
            """, [.text(record.id), .text(record.status)])
    }

    private static func writeGoals(of record: TermRecord, _ session: any SQLSession) throws {
        let old = try session.rows(
            GoalColumns(["goal_uuid", "assignment_order"]), "FROM term_goal_assignments WHERE term_uuid = $1",
            [.text(record.id)])
        for row in old where !record.goals.contains(row.text("goal_uuid") ?? "") {
            try session.run(
                "DELETE FROM term_goal_assignments WHERE term_uuid = $1 AND goal_uuid \(session.dialect.isSame) $2",
                [.text(record.id), row.cell("goal_uuid").value])
        }
        for (index, goal) in record.goals.enumerated() {
            let known = old.first { $0.text("goal_uuid") == goal }
            if let known, known.integer("assignment_order") == Int64(index) { continue }
            try session.run(
                """
                INSERT INTO term_goal_assignments (term_uuid, goal_uuid, assignment_order) VALUES ($1, $2, $3)
                ON CONFLICT (term_uuid, goal_uuid) DO UPDATE SET assignment_order = $3
                """, [.text(record.id), .text(goal), .count(index)])
        }
    }

    private static func columns(_ record: TermRecord) -> [(String, SQLValue)] {
        [
            ("uuid_id", .text(record.id)), ("title", .text(record.title ?? "")),
            ("description", .text(record.description)), ("notes", .text(record.notes)),
            ("term_number", .count(record.number)), ("start_date", .text(record.startDate)),
            ("target_date", .text(record.targetDate)), ("theme", .text(record.theme)),
            ("reflection", .text(record.reflection)),
        ]
    }
}
