package import Foundation
import GRDB
package import GatewayAPI

extension Migrations {
    /// Reports of retrieval. `means` and `report` are JSON for readers, `figures` has the values of each query.
    static let evaluations = """
        CREATE TABLE gateway_evaluations (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            collection TEXT NOT NULL,
            name TEXT NOT NULL,
            means TEXT NOT NULL,
            report TEXT NOT NULL,
            figures BLOB NOT NULL,
            created_at TEXT NOT NULL
        );
        """
}

extension GatewayDatabase {
    /// Stores reports of retrieval.
    package var evaluations: EvaluationStore { EvaluationStore(database: self) }
}

/// Stores reports of retrieval. What is in them is the caller's matter.
package struct EvaluationStore: Sendable {
    let database: GatewayDatabase

    /// The number of reports to keep; older ones are deleted.
    package static let maxReports = 100
    /// The largest report, and the largest figures, in bytes.
    package static let maxBytes = 8 << 20

    /// Stores a report and deletes the oldest beyond ``maxReports``.
    ///
    /// - Parameters:
    ///   - means: An object: the means by mode and metric.
    ///   - figures: The values of each query, for comparisons.
    /// - Returns: The id.
    /// - Throws: ``StorageError/Code/invalid`` for a report above ``maxBytes``.
    package func add(
        collection: String, name: String, means: JSONValue, report: Data, figures: Data
    ) async throws -> Int64 {
        guard report.count <= Self.maxBytes, figures.count <= Self.maxBytes else {
            throw StorageError(.invalid, "the report is longer than \(Self.maxBytes) bytes")
        }
        let text = (means: String(decoding: means.json, as: UTF8.self), report: String(decoding: report, as: UTF8.self))
        return try await database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO gateway_evaluations (collection, name, means, report, figures, created_at)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """, arguments: [collection, name, text.means, text.report, figures, Timestamp.now])
            let id = database.lastInsertedRowID
            try database.execute(
                sql: """
                    DELETE FROM gateway_evaluations
                    WHERE id NOT IN (SELECT id FROM gateway_evaluations ORDER BY id DESC LIMIT ?)
                    """, arguments: [Self.maxReports])
            return id
        }
    }

    /// Returns reports without their contents, latest first.
    package func page(after cursor: PageCursor?, limit: Int) async throws -> Page<StoredEvaluation> {
        try cursor?.check(numbers: 1)
        return try await database.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT id, collection, name, means, created_at FROM gateway_evaluations
                    WHERE ?1 IS NULL OR id < ?1 ORDER BY id DESC LIMIT ?2
                    """, arguments: [cursor?.numbers.first, limit + 1])
            let found = rows.compactMap { row in
                Self.evaluation(row).map { (item: $0, cursor: PageCursor(before: $0.id)) }
            }
            return Page(found, limit: limit) { $0.means.json.count }
        }
    }

    /// Returns a report with its contents.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ id: Int64) async throws -> StoredEvaluation {
        try await database.read { database in
            let row = try Self.row(id, database)
            guard var found = Self.evaluation(row) else { throw Self.missing(id) }
            found.report = Self.json(row, "report")
            return found
        }
    }

    /// Returns a report without its contents, and the values of its queries.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func figures(_ id: Int64) async throws -> (evaluation: StoredEvaluation, figures: Data) {
        try await database.read { database in
            let row = try Self.row(id, database)
            guard let found = Self.evaluation(row) else { throw Self.missing(id) }
            return (found, row.bytes("figures").map { Data($0) } ?? Data())
        }
    }

    /// Deletes a report.
    ///
    /// - Returns: false when there is none.
    package func delete(_ id: Int64) async throws -> Bool {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM gateway_evaluations WHERE id = ?", arguments: [id])
            return database.changesCount > 0
        }
    }

    private static func row(_ id: Int64, _ database: Database) throws -> Row {
        guard
            let row = try Row.fetchOne(database, sql: "SELECT * FROM gateway_evaluations WHERE id = ?", arguments: [id])
        else { throw missing(id) }
        return row
    }

    private static func missing(_ id: Int64) -> StorageError {
        StorageError(.notFound, "there is no evaluation \(id)")
    }

    private static func evaluation(_ row: Row) -> StoredEvaluation? {
        row.integer("id").map {
            StoredEvaluation(
                id: $0, collection: row.text("collection") ?? "", name: row.text("name") ?? "",
                means: json(row, "means"), createdAt: row.date("created_at") ?? "")
        }
    }

    /// A column with an object as JSON; an empty object for anything else.
    private static func json(_ row: Row, _ column: String) -> JSONValue {
        guard let bytes = row.bytes(column), let value = try? JSONDocument(parsing: Array(bytes)).value,
            case .object = value
        else { return .object([:]) }
        return value
    }
}
