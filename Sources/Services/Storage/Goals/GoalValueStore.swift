import GRDB
package import GatewayAPI
import Goals

/// What matters to the person.
package struct GoalValueStore: Sendable {
    let tables: GoalTables

    /// Returns a page of values, by priority.
    package func list(containing text: String?, after cursor: PageCursor?, limit: Int) async throws -> Page<
        ValueRecord
    > {
        try cursor?.check(numbers: 1, hasID: true)
        return try await tables.read { database in
            var conditions = [GoalID.isUUID("uuid_id")]
            var arguments = StatementArguments()
            if let cursor, let id = cursor.id {
                conditions.append("(CAST(priority AS INTEGER), uuid_id) > (?, ?)")
                arguments += [cursor.numbers[0], id]
            }
            if let text {
                let found = FoldedContains.condition(["title", "description", "notes"], contain: text)
                conditions.append(found.sql)
                arguments += found.arguments
            }
            arguments += [limit + 1]
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM personal_values WHERE \(conditions.joined(separator: " AND "))
                    ORDER BY CAST(priority AS INTEGER), uuid_id LIMIT ?
                    """, arguments: arguments)
            let found = try Self.complete(rows.map(GoalRows.value), database).map {
                ($0, PageCursor(Int64($0.priority), id: $0.id))
            }
            return Page(found, limit: limit) { 1024 + ($0.description?.utf8.count ?? 0) + ($0.notes?.utf8.count ?? 0) }
        }
    }

    /// Returns a value.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ id: String) async throws -> ValueRecord { try await tables.read { try Self.value(id, $0) } }

    static func value(_ id: String, _ database: Database) throws -> ValueRecord {
        let row = try Row.fetchOne(
            database, sql: "SELECT * FROM personal_values WHERE \(GoalID.matches("uuid_id"))", arguments: [id])
        guard let row, let value = try complete([GoalRows.value(row)], database).first else {
            throw StorageError(.notFound, "there is no value \(id)")
        }
        return value
    }

    private static func complete(_ records: [ValueRecord], _ database: Database) throws -> [ValueRecord] {
        let versions = try GoalTables.versions(of: records.map(\.id), database)
        return try records.map { record in
            var record = record
            record.version = versions[record.id] ?? 0
            record.goals = try Scalar.texts(
                database,
                sql: """
                    SELECT r.goal_id FROM gateway_goal_relevances r JOIN goals g ON g.uuid_id = r.goal_id
                    WHERE r.value_id = ? ORDER BY r.goal_id LIMIT 200
                    """, arguments: [record.id])
            return record
        }
    }

    /// Stores a new value; the same id with the same contents is the stored one.
    package func add(_ record: ValueRecord, _ context: GoalContext) async throws -> (value: ValueRecord, isNew: Bool) {
        let isNew = try await tables.write(context) { try Self.add(record, $0) }
        return (try await find(record.id), isNew)
    }

    static func add(_ record: ValueRecord, _ database: Database) throws -> Bool {
        if let known = try? value(record.id, database) {
            var (a, b) = (known, record)
            (a.version, a.logTime, a.goals, b.id) = (0, "", [], a.id)
            (b.version, b.logTime, b.goals) = (0, "", [])
            guard a == b else { throw StorageError(.conflict, "the id \(record.id) belongs to another value") }
            return false
        }
        try GoalTables.insert("personal_values", columns(record), database)
        return true
    }

    /// Changes a value. `transform` gets the stored one within the transaction.
    package func change(
        _ id: String, _ context: GoalContext,
        _ transform: @escaping @Sendable (ValueRecord) throws -> ValueRecord
    ) async throws -> ValueRecord {
        try await tables.write(context) { database in
            let old = try Self.value(id, database)
            try GoalTables.update(
                "personal_values", "uuid_id", old.id, from: Self.columns(old), to: Self.columns(try transform(old)),
                database)
        }
        return try await find(id)
    }

    private static func columns(_ record: ValueRecord) -> [(String, DatabaseValue)] {
        [
            ("uuid_id", record.id.databaseValue), ("title", record.title.databaseValue),
            ("description", record.description.stored), ("notes", record.notes.stored),
            ("log_time", record.logTime.databaseValue), ("incentive_type", record.kind.databaseValue),
            ("priority", record.priority.databaseValue), ("life_domain", record.lifeDomain.stored),
            ("alignment_guidance", record.alignmentGuidance.stored),
        ]
    }
}
