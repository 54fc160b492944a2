import Foundation
import GRDB
public import GatewayAPI

/// Stores benchmarks of models. The reports are the caller's matter.
public struct BenchStore: Sendable {
    let database: GatewayDatabase

    /// The number of runs to keep; older ones are deleted.
    public static let maxRuns = 100
    /// The largest report as JSON, in bytes.
    public static let maxReportBytes = 1 << 20

    /// Stores a run and deletes the oldest beyond ``maxRuns``.
    ///
    /// - Throws: ``StorageError/Code/invalid`` for a report above ``maxReportBytes``.
    public func add(_ run: NewBenchRun) async throws -> BenchRun {
        let report = try Self.text(of: run)
        return try await database.write { database in
            try database.execute(
                sql: "INSERT INTO gateway_bench_runs (name, report, created_at) VALUES (?, ?, ?)",
                arguments: [run.name, report, Timestamp.now])
            let id = database.lastInsertedRowID
            try database.execute(
                sql: """
                    DELETE FROM gateway_bench_runs
                    WHERE id NOT IN (SELECT id FROM gateway_bench_runs ORDER BY id DESC LIMIT ?)
                    """, arguments: [Self.maxRuns])
            guard let stored = try Self.find(id, in: database) else {
                throw StorageError(.failed, "the benchmark cannot be read back")
            }
            return stored
        }
    }

    /// Returns all runs without their reports, latest first.
    public func all() async throws -> [BenchRun] {
        try await database.read { database in
            try Row.fetchAll(
                database, sql: "SELECT id, name, created_at FROM gateway_bench_runs ORDER BY id DESC LIMIT ?",
                arguments: [Self.maxRuns]
            ).compactMap { row in
                row.integer("id").map {
                    BenchRun(
                        id: $0, name: row.text("name") ?? "", report: nil, createdAt: row.date("created_at") ?? "")
                }
            }
        }
    }

    /// Returns a run with its report.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    public func find(_ id: Int64) async throws -> BenchRun {
        guard let run = try await database.read({ try Self.find(id, in: $0) }) else {
            throw Self.missing(id)
        }
        return run
    }

    /// Deletes a run.
    ///
    /// - Returns: false when there is none.
    public func delete(_ id: Int64) async throws -> Bool {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM gateway_bench_runs WHERE id = ?", arguments: [id])
            return database.changesCount > 0
        }
    }

    private static func find(_ id: Int64, in database: Database) throws -> BenchRun? {
        guard
            let row = try Row.fetchOne(database, sql: "SELECT * FROM gateway_bench_runs WHERE id = ?", arguments: [id])
        else { return nil }
        let report = row.bytes("report").flatMap { try? JSONDocument(parsing: Array($0)).value }
        return BenchRun(
            id: id, name: row.text("name") ?? "", report: report ?? .object([:]),
            createdAt: row.date("created_at") ?? "")
    }
}
