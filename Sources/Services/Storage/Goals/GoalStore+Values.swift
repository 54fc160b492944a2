import GRDB
package import GatewayAPI
import Goals

extension GoalStore {
    // MARK: Values

    /// Returns a page of values, by priority.
    package func values(containing text: String?, after cursor: PageCursor?, limit: Int) async throws -> Page<
        ValueRecord
    > {
        try cursor?.check(numbers: 1, hasID: true)
        return try await read { database in
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
    package func value(_ id: String) async throws -> ValueRecord { try await read { try Self.value(id, $0) } }

    static func value(_ id: String, _ database: Database) throws -> ValueRecord {
        let row = try Row.fetchOne(
            database, sql: "SELECT * FROM personal_values WHERE \(GoalID.matches("uuid_id"))", arguments: [id])
        guard let row, let value = try complete([GoalRows.value(row)], database).first else {
            throw StorageError(.notFound, "there is no value \(id)")
        }
        return value
    }

    private static func complete(_ records: [ValueRecord], _ database: Database) throws -> [ValueRecord] {
        let versions = try versions(of: records.map(\.id), database)
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
        let isNew = try await write(context) { try Self.add(record, $0) }
        return (try await value(record.id), isNew)
    }

    static func add(_ record: ValueRecord, _ database: Database) throws -> Bool {
        if let known = try? value(record.id, database) {
            var (a, b) = (known, record)
            (a.version, a.logTime, a.goals, b.id) = (0, "", [], a.id)
            (b.version, b.logTime, b.goals) = (0, "", [])
            guard a == b else { throw StorageError(.conflict, "the id \(record.id) belongs to another value") }
            return false
        }
        try insert("personal_values", columns(record), database)
        return true
    }

    /// Changes a value. `transform` gets the stored one within the transaction.
    package func change(
        value id: String, _ context: GoalContext,
        _ transform: @escaping @Sendable (ValueRecord) throws -> ValueRecord
    ) async throws -> ValueRecord {
        try await write(context) { database in
            let old = try Self.value(id, database)
            try Self.update(
                "personal_values", "uuid_id", old.id, from: Self.columns(old), to: Self.columns(try transform(old)),
                database)
        }
        return try await value(id)
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

    // MARK: Measures

    /// Returns a page of measures, by unit.
    package func measures(after cursor: PageCursor?, limit: Int) async throws -> Page<MeasureRecord> {
        try cursor?.check(numbers: 1, hasID: true)
        return try await read { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT * FROM gateway_goal_measures WHERE unit > ? ORDER BY unit LIMIT ?",
                arguments: [cursor?.id ?? "", limit + 1])
            let versions = try Self.versions(of: rows.compactMap { $0.text("id") }, database)
            let found = rows.map { row in
                var record = GoalRows.measure(row)
                record.version = versions[record.id] ?? 0
                return (record, PageCursor(0, id: record.unit))
            }
            return Page(found, limit: limit) { 512 + ($0.description?.utf8.count ?? 0) + ($0.notes?.utf8.count ?? 0) }
        }
    }

    /// Returns a measure.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func measure(_ id: String) async throws -> MeasureRecord { try await read { try Self.measure(id, $0) } }

    static func measure(_ id: String, _ database: Database) throws -> MeasureRecord {
        let row = try Row.fetchOne(
            database, sql: "SELECT * FROM gateway_goal_measures WHERE \(GoalID.matches("id"))", arguments: [id])
        guard let row else { throw StorageError(.notFound, "there is no measure \(id)") }
        var record = GoalRows.measure(row)
        record.version = try versions(of: [record.id], database)[record.id] ?? 0
        return record
    }

    /// Stores a new measure; the same id with the same contents is the stored one.
    ///
    /// - Throws: ``StorageError/Code/conflict`` if the unit has a measure.
    package func add(_ record: MeasureRecord, _ context: GoalContext) async throws -> (
        measure: MeasureRecord, isNew: Bool
    ) {
        let isNew = try await write(context) { database in
            if let known = try? Self.measure(record.id, database) {
                var (a, b) = (known, record)
                (a.version, a.logTime, b.id, b.version, b.logTime) = (0, "", a.id, 0, "")
                guard a == b else { throw StorageError(.conflict, "the id \(record.id) belongs to another measure") }
                return false
            }
            let known = try Scalar.text(
                database, sql: "SELECT id FROM gateway_goal_measures WHERE unit = ?", arguments: [record.unit])
            if let known { throw StorageError(.conflict, "the unit \(record.unit) has the measure \(known)") }
            try Self.insert("gateway_goal_measures", Self.columns(record), database)
            return true
        }
        return (try await measure(record.id), isNew)
    }

    /// Changes a measure. `transform` gets the stored one within the transaction.
    package func change(
        measure id: String, _ context: GoalContext,
        _ transform: @escaping @Sendable (MeasureRecord) throws -> MeasureRecord
    ) async throws -> MeasureRecord {
        try await write(context) { database in
            let old = try Self.measure(id, database)
            try Self.update(
                "gateway_goal_measures", "id", old.id, from: Self.columns(old), to: Self.columns(try transform(old)),
                database)
        }
        return try await measure(id)
    }

    private static func columns(_ record: MeasureRecord) -> [(String, DatabaseValue)] {
        [
            ("id", record.id.databaseValue), ("unit", record.unit.databaseValue), ("title", record.title.stored),
            ("description", record.description.stored), ("notes", record.notes.stored),
            ("log_time", record.logTime.databaseValue), ("kind", record.kind.databaseValue),
            ("canonical_unit", record.canonicalUnit.databaseValue),
            ("conversion_factor", record.conversionFactor.databaseValue),
        ]
    }
}
