package import Database
package import GatewayAPI

/// What matters to the person.
package struct GoalValueStore: Sendable {
    let tables: GoalTables

    /// Returns a page of values, by priority.
    package func list(containing text: String?, after cursor: PageCursor?, limit: Int) async throws -> Page<
        ValueRecord
    > {
        try cursor?.check(numbers: 1, hasID: true)
        return try await tables.read { session in
            var conditions = [GoalID.isUUID("uuid_id", session.dialect)]
            var parameters = SQLParameters()
            if let cursor, let id = cursor.id {
                conditions.append(
                    """
                    (CAST(priority AS \(session.dialect.integer)), uuid_id) >
                    (\(parameters.add(.integer(cursor.numbers[0]))), \(parameters.add(id)))
                    """)
            }
            if let text {
                conditions.append(
                    try GoalSearch.condition(
                        ["uuid_id", "title", "description", "notes"], of: "personal_values", contain: text, &parameters,
                        session))
            }
            let rows = try session.rows(
                .value,
                """
                FROM personal_values WHERE \(conditions.joined(separator: " AND "))
                ORDER BY CAST(priority AS \(session.dialect.integer)), uuid_id LIMIT \(parameters.add(.count(limit + 1)))
                """, parameters.values)
            let found = try Self.complete(rows.map(GoalRows.value), session).map {
                ($0, PageCursor(Int64($0.priority), id: $0.id))
            }
            return Page(found, limit: limit) { 1024 + ($0.description?.utf8.count ?? 0) + ($0.notes?.utf8.count ?? 0) }
        }
    }

    /// Returns a value.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ id: String) async throws -> ValueRecord { try await tables.read { try Self.value(id, $0) } }

    static func value(_ id: String, _ session: any SQLSession) throws -> ValueRecord {
        let row = try session.first(.value, "FROM personal_values WHERE \(GoalID.matches("uuid_id"))", [.text(id)])
        guard let row, let value = try complete([GoalRows.value(row)], session).first else {
            throw StorageError(.notFound, "there is no value \(id)")
        }
        return value
    }

    private static func complete(_ records: [ValueRecord], _ session: any SQLSession) throws -> [ValueRecord] {
        let versions = try GoalTables.versions(of: records.map(\.id), session)
        return try records.map { record in
            var record = record
            record.version = versions[record.id] ?? 0
            record.goals = try session.texts(
                """
                SELECT r.goal_id FROM gateway_goal_relevances r JOIN goals g ON g.uuid_id = r.goal_id
                WHERE r.value_id = $1 ORDER BY r.goal_id LIMIT 200
                """, [.text(record.id)])
            return record
        }
    }

    /// Stores a new value; the same id with the same contents is the stored one.
    package func add(_ record: ValueRecord, _ context: GoalContext) async throws -> (value: ValueRecord, isNew: Bool) {
        let isNew = try await tables.write(context) { try Self.add(record, $0) }
        return (try await find(record.id), isNew)
    }

    static func add(_ record: ValueRecord, _ session: any SQLSession) throws -> Bool {
        if let known = try? value(record.id, session) {
            var (a, b) = (known, record)
            (a.version, a.logTime, a.goals, b.id) = (0, "", [], a.id)
            (b.version, b.logTime, b.goals) = (0, "", [])
            guard a == b else { throw StorageError(.conflict, "the id \(record.id) belongs to another value") }
            return false
        }
        try GoalTables.insert("personal_values", columns(record), session)
        return true
    }

    /// Changes a value. `transform` gets the stored one within the transaction.
    package func change(
        _ id: String, _ context: GoalContext,
        _ transform: @escaping @Sendable (ValueRecord) throws -> ValueRecord
    ) async throws -> ValueRecord {
        try await tables.write(context) { session in
            let old = try Self.value(id, session)
            try GoalTables.update(
                "personal_values", "uuid_id", old.id, from: Self.columns(old), to: Self.columns(try transform(old)),
                session)
        }
        return try await find(id)
    }

    private static func columns(_ record: ValueRecord) -> [(String, SQLValue)] {
        [
            ("uuid_id", .text(record.id)), ("title", .text(record.title)),
            ("description", .text(record.description)), ("notes", .text(record.notes)),
            ("log_time", .text(record.logTime)), ("incentive_type", .text(record.kind)),
            ("priority", .count(record.priority)), ("life_domain", .text(record.lifeDomain)),
            ("alignment_guidance", .text(record.alignmentGuidance)),
        ]
    }
}
