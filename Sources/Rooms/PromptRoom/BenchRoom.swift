package import Database
package import GatewayAPI

extension SQLStore {
    /// The benchmarks of models.
    package var benches: BenchRoom { BenchRoom(store: self) }
}

/// Stores benchmarks of models. The reports are the caller's matter.
///
/// Methods throw ``StorageError``, and a server's own error while it is away.
package struct BenchRoom: Sendable {
    let store: any SQLStore

    /// The number of runs to keep; older ones are deleted.
    package static let maxRuns = 100
    /// The largest report as JSON, in bytes.
    package static let maxReportBytes = 1 << 20

    /// Stores a run and deletes the oldest beyond ``maxRuns``.
    ///
    /// - Throws: ``StorageError/Code/invalid`` for a report above ``maxReportBytes``.
    package func add(_ run: NewBenchRun) async throws -> BenchRun {
        let report = String(decoding: run.report.json, as: UTF8.self)
        guard report.utf8.count <= Self.maxReportBytes else {
            throw StorageError(.invalid, "field \"report\": is longer than \(Self.maxReportBytes) bytes")
        }
        return try await store.transaction { session in
            let row = try session.first(
                """
                INSERT INTO gateway_bench_runs (name, report, created_at) VALUES ($1, $2, $3)
                RETURNING id, name, created_at, report
                """, [.text(run.name), .text(report), .text(try session.clock().text)])
            try session.run(
                """
                DELETE FROM gateway_bench_runs
                WHERE id NOT IN (SELECT id FROM gateway_bench_runs ORDER BY id DESC LIMIT $1)
                """, [.count(Self.maxRuns)])
            guard let stored = row.flatMap({ Self.run($0, hasReport: true) }) else {
                throw StorageError(.failed, "the benchmark cannot be read back")
            }
            return stored
        }
    }

    /// Returns all runs without their reports, latest first.
    package func all() async throws -> [BenchRun] {
        try await store.rows(
            "SELECT id, name, created_at FROM gateway_bench_runs ORDER BY id DESC LIMIT $1", [.count(Self.maxRuns)]
        ).compactMap { Self.run($0, hasReport: false) }
    }

    /// Returns a run with its report.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ id: Int64) async throws -> BenchRun {
        let rows = try await store.rows(
            "SELECT id, name, created_at, report FROM gateway_bench_runs WHERE id = $1", [.integer(id)])
        guard let run = rows.first.flatMap({ Self.run($0, hasReport: true) }) else {
            throw StorageError(.notFound, "there is no benchmark \(id)")
        }
        return run
    }

    /// Deletes a run.
    ///
    /// - Returns: false when there is none.
    package func delete(_ id: Int64) async throws -> Bool {
        try await store.run("DELETE FROM gateway_bench_runs WHERE id = $1", [.integer(id)]) > 0
    }

    /// Reads a row. A report that is no JSON, which another program wrote, reads as an empty object.
    private static func run(_ row: SQLRow, hasReport: Bool) -> BenchRun? {
        row.integer(0).map { id in
            let report = row.bytes(3).flatMap { try? JSONDocument(parsing: $0).value } ?? .object([:])
            return BenchRun(
                id: id, name: row.text(1) ?? "", report: hasReport ? report : nil, createdAt: row.date(2) ?? "")
        }
    }
}
