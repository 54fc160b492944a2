package import Database
package import GatewayAPI

extension SQLStore {
    /// Reports of retrieval.
    package var evaluations: EvaluationRoom { EvaluationRoom(store: self) }
}

/// Stores reports of retrieval. What is in them is the caller's matter.
///
/// Methods throw ``StorageError``, and a server's own error while it is away.
package struct EvaluationRoom: Sendable {
    let store: any SQLStore

    /// The number of reports to keep; older ones are deleted.
    package static let maxReports = 100
    /// The largest report, and the largest figures, in bytes.
    package static let maxBytes = 8 << 20

    /// Stores a report and deletes the oldest beyond ``maxReports``.
    ///
    /// - Parameters:
    ///   - means: An object: the means by mode and metric.
    ///   - report: The report as JSON.
    ///   - figures: The values of each query, for comparisons.
    /// - Returns: The id.
    /// - Throws: ``StorageError/Code/invalid`` for a report above ``maxBytes``.
    package func add(
        collection: String, name: String, means: JSONValue, report: [UInt8], figures: [UInt8]
    ) async throws -> Int64 {
        guard report.count <= Self.maxBytes, figures.count <= Self.maxBytes else {
            throw StorageError(.invalid, "the report is longer than \(Self.maxBytes) bytes")
        }
        let texts = [
            collection, name, String(decoding: means.json, as: UTF8.self), String(decoding: report, as: UTF8.self),
        ]
        return try await store.transaction { session in
            let id = try Self.insert(texts, figures, at: session.clock().text, session)
            // Copies have the times of their files, and a clock may have been wrong.
            try session.run(
                """
                DELETE FROM gateway_evaluations WHERE id <> $1 AND id NOT IN
                (SELECT id FROM gateway_evaluations WHERE id <> $1 ORDER BY created_at DESC, id DESC LIMIT $2)
                """, [.integer(id), .count(Self.maxReports - 1)])
            return id
        }
    }

    /// - Parameter texts: The collection, the name, the means and the report.
    static func insert(
        _ texts: [String], _ figures: [UInt8], at time: String, _ session: any SQLSession
    ) throws -> Int64 {
        let row = try session.first(
            """
            INSERT INTO gateway_evaluations (collection, name, means, report, figures, created_at)
            VALUES ($1, $2, $3, $4, $5, $6) RETURNING id
            """, texts.map { SQLValue.text($0) } + [.bytes(figures), .text(time)])
        guard let id = row?.integer(0) else {
            throw StorageError(.failed, "the id of a new evaluation cannot be read")
        }
        return id
    }

    /// Returns reports without their contents, latest first.
    package func page(after cursor: PageCursor?, limit: Int) async throws -> Page<StoredEvaluation> {
        try cursor?.check(numbers: 1)
        let rows = try await store.rows(
            """
            SELECT \(Self.columns) FROM gateway_evaluations WHERE $1 IS NULL OR id < $1 ORDER BY id DESC LIMIT $2
            """, [.integer(cursor?.numbers.first), .count(limit + 1)])
        let found = rows.compactMap { row in
            Self.evaluation(row).map { (item: $0, cursor: PageCursor(before: $0.id)) }
        }
        return Page(found, limit: limit) { $0.means.json.count }
    }

    /// Returns a report with its contents.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ id: Int64) async throws -> StoredEvaluation {
        let row = try await row(id, "report")
        guard var found = Self.evaluation(row) else { throw Self.missing(id) }
        found.report = Self.json(row, 5)
        return found
    }

    /// Returns a report without its contents, and the values of its queries.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func figures(_ id: Int64) async throws -> (evaluation: StoredEvaluation, figures: [UInt8]) {
        let row = try await row(id, "figures")
        guard let found = Self.evaluation(row) else { throw Self.missing(id) }
        return (found, row.bytes(5) ?? [])
    }

    /// Deletes a report.
    ///
    /// - Returns: false when there is none.
    package func delete(_ id: Int64) async throws -> Bool {
        try await store.run("DELETE FROM gateway_evaluations WHERE id = $1", [.integer(id)]) > 0
    }

    // MARK: Rows

    private static let columns = "id, collection, name, means, created_at"

    private func row(_ id: Int64, _ column: String) async throws -> SQLRow {
        let rows = try await store.rows(
            "SELECT \(Self.columns), \(column) FROM gateway_evaluations WHERE id = $1", [.integer(id)])
        guard let row = rows.first else { throw Self.missing(id) }
        return row
    }

    private static func missing(_ id: Int64) -> StorageError {
        StorageError(.notFound, "there is no evaluation \(id)")
    }

    private static func evaluation(_ row: SQLRow) -> StoredEvaluation? {
        row.integer(0).map {
            StoredEvaluation(
                id: $0, collection: row.text(1) ?? "", name: row.text(2) ?? "", means: json(row, 3),
                createdAt: row.date(4) ?? "")
        }
    }

    /// A column with an object as JSON; an empty object for anything else.
    private static func json(_ row: SQLRow, _ column: Int) -> JSONValue {
        guard let bytes = row.bytes(column), let value = try? JSONDocument(parsing: bytes).value,
            case .object = value
        else { return .object([:]) }
        return value
    }
}
