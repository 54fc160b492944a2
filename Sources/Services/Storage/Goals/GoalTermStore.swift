import GRDB
package import GatewayAPI
package import Goals

/// Terms, with their status and goals.
package struct GoalTermStore: Sendable {
    let tables: GoalTables

    /// Returns a page of terms, latest first.
    package func list(on day: LocalDay?, after cursor: PageCursor?, limit: Int) async throws -> Page<TermRecord> {
        try cursor?.check(numbers: 1, hasID: true)
        return try await tables.read { database in
            var conditions = [GoalID.isUUID("uuid_id")]
            var arguments = StatementArguments()
            if let id = cursor?.id {
                conditions.append("substr(start_date, 1, 10) || ' ' || uuid_id < ?")
                arguments += [id]
            }
            if let day {
                conditions.append("substr(start_date, 1, 10) <= ? AND substr(target_date, 1, 10) >= ?")
                arguments += [day.description, day.description]
            }
            arguments += [limit + 1]
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT *, substr(start_date, 1, 10) || ' ' || uuid_id AS sort FROM terms
                    WHERE \(conditions.joined(separator: " AND "))
                    ORDER BY substr(start_date, 1, 10) || ' ' || uuid_id DESC LIMIT ?
                    """, arguments: arguments)
            let found = try zip(Self.complete(rows.map(GoalRows.term), database), rows).map {
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
        try await tables.read { database in
            var term = try Self.term(id, database)
            term.overlapping = try Scalar.texts(
                database,
                sql: """
                    SELECT uuid_id FROM goals WHERE coalesce(substr(start_date, 1, 10), '') <= ?2
                    AND coalesce(substr(target_date, 1, 10), '9999') >= ?1 AND uuid_id NOT IN
                    (SELECT goal_uuid FROM term_goal_assignments WHERE term_uuid = ?3) ORDER BY uuid_id LIMIT 100
                    """, arguments: [term.startDate, term.targetDate, term.id])
            return term
        }
    }

    /// Returns the term of a number, or the latest one; nil if there is none.
    package func find(number: Int?) async throws -> TermRecord? {
        try await tables.read { database in
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT * FROM terms WHERE \(GoalID.isUUID("uuid_id")) AND (?1 IS NULL OR term_number = ?1)
                    ORDER BY substr(start_date, 1, 10) DESC LIMIT 1
                    """, arguments: [number])
            return try row.flatMap { try Self.complete([GoalRows.term($0)], database).first }
        }
    }

    static func term(_ id: String, _ database: Database) throws -> TermRecord {
        let row = try Row.fetchOne(
            database, sql: "SELECT * FROM terms WHERE \(GoalID.matches("uuid_id"))", arguments: [id])
        guard let row, let term = try complete([GoalRows.term(row)], database).first else {
            throw StorageError(.notFound, "there is no term \(id)")
        }
        return term
    }

    /// Adds status, goals and version; the status is empty where none was set.
    private static func complete(_ records: [TermRecord], _ database: Database) throws -> [TermRecord] {
        let versions = try GoalTables.versions(of: records.map(\.id), database)
        return try records.map { record in
            var record = record
            record.version = versions[record.id] ?? 0
            record.status =
                try Scalar.text(
                    database, sql: "SELECT status FROM gateway_goal_terms WHERE term_id = ?", arguments: [record.id])
                ?? ""
            record.goals = try Scalar.texts(
                database,
                sql: """
                    SELECT t.goal_uuid FROM term_goal_assignments t JOIN goals g ON g.uuid_id = t.goal_uuid
                    WHERE t.term_uuid = ? ORDER BY t.assignment_order IS NULL, t.assignment_order, t.goal_uuid LIMIT ?
                    """, arguments: [record.id, Goals.Term.maxGoals])
            return record
        }
    }

    /// The number and the last day of the latest term; nil without any.
    package func latest() async throws -> (number: Int, last: LocalDay)? {
        try await tables.read { database in
            let row = try Row.fetchOne(
                database,
                sql: "SELECT max(CAST(term_number AS INTEGER)), max(substr(target_date, 1, 10)) FROM terms")
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

    static func add(_ record: TermRecord, _ database: Database) throws -> Bool {
        if let known = try? term(record.id, database) {
            var (a, b) = (known, record)
            (a.version, b.version, b.id, a.week, b.week) = (0, 0, a.id, nil, nil)
            guard a == b else { throw StorageError(.conflict, "the id \(record.id) belongs to another term") }
            return false
        }
        let known = try Scalar.text(
            database, sql: "SELECT uuid_id FROM terms WHERE term_number = ?", arguments: [record.number])
        if let known { throw StorageError(.conflict, "the number \(record.number) belongs to the term \(known)") }
        try GoalTables.insert("terms", columns(record), database)
        try writeStatus(of: record, database)
        try writeGoals(of: record, database)
        return true
    }

    /// Changes a term. `transform` gets the stored one within the transaction.
    package func change(
        _ id: String, _ context: GoalContext, _ transform: @escaping @Sendable (TermRecord) throws -> TermRecord
    ) async throws -> TermRecord {
        try await tables.write(context) { database in
            let old = try Self.term(id, database)
            let new = try transform(old)
            if new.number != old.number {
                let known = try Scalar.text(
                    database, sql: "SELECT uuid_id FROM terms WHERE term_number = ?", arguments: [new.number])
                if let known { throw StorageError(.conflict, "the number \(new.number) belongs to the term \(known)") }
            }
            try GoalTables.update("terms", "uuid_id", old.id, from: Self.columns(old), to: Self.columns(new), database)
            if new.status != old.status { try Self.writeStatus(of: new, database) }
            if new.goals != old.goals { try Self.writeGoals(of: new, database) }
        }
        return try await find(id)
    }

    private static func writeStatus(of record: TermRecord, _ database: Database) throws {
        guard !record.status.isEmpty else { return }
        try database.execute(
            sql: """
                INSERT INTO gateway_goal_terms (term_id, status) VALUES (?1, ?2)
                ON CONFLICT (term_id) DO UPDATE SET status = ?2
                """, arguments: [record.id, record.status])
    }

    private static func writeGoals(of record: TermRecord, _ database: Database) throws {
        let old = try Row.fetchAll(
            database, sql: "SELECT * FROM term_goal_assignments WHERE term_uuid = ?", arguments: [record.id])
        for row in old where !record.goals.contains(row.text("goal_uuid") ?? "") {
            try database.execute(
                sql: "DELETE FROM term_goal_assignments WHERE term_uuid = ? AND goal_uuid IS ?",
                arguments: [record.id, row.text("goal_uuid")])
        }
        for (index, goal) in record.goals.enumerated() {
            let known = old.first { $0.text("goal_uuid") == goal }
            if let known, known.integer("assignment_order") == Int64(index) { continue }
            try database.execute(
                sql: """
                    INSERT INTO term_goal_assignments (term_uuid, goal_uuid, assignment_order) VALUES (?1, ?2, ?3)
                    ON CONFLICT (term_uuid, goal_uuid) DO UPDATE SET assignment_order = ?3
                    """, arguments: [record.id, goal, index])
        }
    }

    private static func columns(_ record: TermRecord) -> [(String, DatabaseValue)] {
        [
            ("uuid_id", record.id.databaseValue), ("title", (record.title ?? "").databaseValue),
            ("description", record.description.stored), ("notes", record.notes.stored),
            ("term_number", record.number.databaseValue), ("start_date", record.startDate.databaseValue),
            ("target_date", record.targetDate.databaseValue), ("theme", record.theme.stored),
            ("reflection", record.reflection.stored),
        ]
    }
}
