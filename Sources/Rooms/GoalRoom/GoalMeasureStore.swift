package import Database
package import GatewayAPI

/// The person's units.
package struct GoalMeasureStore: Sendable {
    let tables: GoalTables

    /// Returns a page of measures, by unit.
    package func list(after cursor: PageCursor?, limit: Int) async throws -> Page<MeasureRecord> {
        try cursor?.check(numbers: 1, hasID: true)
        return try await tables.read { session in
            let rows = try session.rows(
                .measure, "FROM gateway_goal_measures WHERE unit > $1 ORDER BY unit LIMIT $2",
                [.text(cursor?.id ?? ""), .count(limit + 1)])
            let versions = try GoalTables.versions(of: rows.compactMap { $0.text("id") }, session)
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
    package func find(_ id: String) async throws -> MeasureRecord { try await tables.read { try Self.measure(id, $0) } }

    static func measure(_ id: String, _ session: any SQLSession) throws -> MeasureRecord {
        let row = try session.first(.measure, "FROM gateway_goal_measures WHERE \(GoalID.matches("id"))", [.text(id)])
        guard let row else { throw StorageError(.notFound, "there is no measure \(id)") }
        var record = GoalRows.measure(row)
        record.version = try GoalTables.versions(of: [record.id], session)[record.id] ?? 0
        return record
    }

    /// Stores a new measure; the same id with the same contents is the stored one.
    ///
    /// - Throws: ``StorageError/Code/conflict`` if the unit has a measure.
    package func add(_ record: MeasureRecord, _ context: GoalContext) async throws -> (
        measure: MeasureRecord, isNew: Bool
    ) {
        let isNew = try await tables.write(context) { session in
            if let known = try? Self.measure(record.id, session) {
                var (a, b) = (known, record)
                (a.version, a.logTime, b.id, b.version, b.logTime) = (0, "", a.id, 0, "")
                guard a == b else { throw StorageError(.conflict, "the id \(record.id) belongs to another measure") }
                return false
            }
            let known = try session.first(
                "SELECT id FROM gateway_goal_measures WHERE unit = $1", [.text(record.unit)])?.text(0)
            if let known { throw StorageError(.conflict, "the unit \(record.unit) has the measure \(known)") }
            try GoalTables.insert("gateway_goal_measures", Self.columns(record), session)
            return true
        }
        return (try await find(record.id), isNew)
    }

    /// Changes a measure. `transform` gets the stored one within the transaction.
    package func change(
        _ id: String, _ context: GoalContext,
        _ transform: @escaping @Sendable (MeasureRecord) throws -> MeasureRecord
    ) async throws -> MeasureRecord {
        try await tables.write(context) { session in
            let old = try Self.measure(id, session)
            try GoalTables.update(
                "gateway_goal_measures", "id", old.id, from: Self.columns(old), to: Self.columns(try transform(old)),
                session)
        }
        return try await find(id)
    }

    private static func columns(_ record: MeasureRecord) -> [(String, SQLValue)] {
        [
            ("id", .text(record.id)), ("unit", .text(record.unit)), ("title", .text(record.title)),
            ("description", .text(record.description)), ("notes", .text(record.notes)),
            ("log_time", .text(record.logTime)), ("kind", .text(record.kind)),
            ("canonical_unit", .text(record.canonicalUnit)),
            ("conversion_factor", .real(record.conversionFactor)),
        ]
    }
}
