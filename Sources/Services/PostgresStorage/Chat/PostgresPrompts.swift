package import GatewayAPI
package import Storage

/// Prompts that all gateways on the database share, as ``PromptStore`` keeps them in a file.
package struct PostgresPrompts: PromptRecords {
    let store: PostgresStore

    private static let columns = "p.prompt_id, p.number, p.hash, p.document, p.created"

    private static func prompts(_ rows: PostgresRows) -> [StoredPrompt] {
        rows.indices.compactMap { row in
            guard let id = rows.text(row, 0), let document = rows.text(row, 3) else { return nil }
            return StoredPrompt(
                id: id, number: Int(clamping: rows.integer(row, 1) ?? 0), hash: rows.text(row, 2) ?? "",
                document: document, createdAt: rows.integer(row, 4).map(Timestamp.text) ?? "")
        }
    }

    package func all() async throws -> [StoredPrompt] {
        let rows = try await store.rows(
            """
            SELECT DISTINCT ON (p.prompt_id) \(Self.columns) FROM prompt_versions p
            ORDER BY p.prompt_id, p.number DESC LIMIT $1
            """, [.integer(Int64(PromptStore.maxPrompts))])
        return Self.prompts(rows)
    }

    package func versions(of id: String) async throws -> [StoredPrompt] {
        try await store.read { try await Self.versions(of: id, limit: PromptStore.maxVersions, $0) }
    }

    package func latest(_ id: String) async throws -> StoredPrompt? {
        try await store.read { try await Self.versions(of: id, limit: 1, $0).first }
    }

    private static func versions(
        of id: String, limit: Int, _ connection: PostgresConnection
    ) async throws -> [StoredPrompt] {
        let rows = try await connection.run(
            "SELECT \(columns) FROM prompt_versions p WHERE p.prompt_id = $1 ORDER BY p.number DESC LIMIT $2",
            [.text(id), .integer(Int64(limit))])
        return prompts(rows)
    }

    package func save(
        _ id: String, document: String, hash: String, base: String?, original: String?
    ) async throws -> StoredPrompt {
        try await store.write { connection in
            // One change of prompts at a time, so that versions follow each other.
            try await connection.run("SELECT pg_advisory_xact_lock($1)", [.integer(PostgresSchema.lock + 2)])
            let latest = try await Self.versions(of: id, limit: 1, connection).first
            if let latest, latest.hash == hash { return latest }
            let count = try await connection.run("SELECT count(DISTINCT prompt_id) FROM prompt_versions").integer(0, 0)
            try PromptStore.check(
                id, after: latest, base: base, original: original, count: Int(clamping: count ?? 0))
            let number = Int64(latest?.number ?? 0) + 1
            let rows = try await connection.run(
                """
                INSERT INTO prompt_versions AS p (prompt_id, number, hash, document, created)
                VALUES ($1, $2, $3, $4, \(PostgresSessions.now)) RETURNING \(Self.columns)
                """, [.text(id), .integer(number), .text(hash), .text(document)])
            try await connection.run(
                "DELETE FROM prompt_versions WHERE prompt_id = $1 AND number <= $2",
                [.text(id), .integer(number - Int64(PromptStore.maxVersions))])
            guard let stored = Self.prompts(rows).first else {
                throw StorageError(.failed, "the prompt \"\(id)\" cannot be read back")
            }
            return stored
        }
    }

    package func delete(_ id: String) async throws -> Bool {
        try await store.write { try await $0.run("DELETE FROM prompt_versions WHERE prompt_id = $1", [.text(id)]) }
            .changed > 0
    }
}

/// Benchmarks of models that all gateways on the database share, as ``BenchStore`` keeps them in a file.
package struct PostgresBenches: BenchRecords {
    let store: PostgresStore

    package func add(_ run: NewBenchRun) async throws -> BenchRun {
        let report = try BenchStore.text(of: run)
        return try await store.write { connection in
            let rows = try await connection.run(
                """
                INSERT INTO bench_runs (name, report, created) VALUES ($1, $2, \(PostgresSessions.now))
                RETURNING id, name, report, created
                """, [.text(run.name), .text(report)])
            try await connection.run(
                "DELETE FROM bench_runs WHERE id NOT IN (SELECT id FROM bench_runs ORDER BY id DESC LIMIT $1)",
                [.integer(Int64(BenchStore.maxRuns))])
            guard let stored = Self.run(rows, 0) else {
                throw StorageError(.failed, "the benchmark cannot be read back")
            }
            return stored
        }
    }

    package func all() async throws -> [BenchRun] {
        let rows = try await store.rows(
            "SELECT id, name, NULL::text, created FROM bench_runs ORDER BY id DESC LIMIT $1",
            [.integer(Int64(BenchStore.maxRuns))])
        return rows.indices.compactMap { row in
            var run = Self.run(rows, row)
            run?.report = nil
            return run
        }
    }

    package func find(_ id: Int64) async throws -> BenchRun {
        let rows = try await store.rows(
            "SELECT id, name, report, created FROM bench_runs WHERE id = $1", [.integer(id)])
        guard let run = Self.run(rows, 0) else { throw BenchStore.missing(id) }
        return run
    }

    package func delete(_ id: Int64) async throws -> Bool {
        try await store.write { try await $0.run("DELETE FROM bench_runs WHERE id = $1", [.integer(id)]) }.changed > 0
    }

    private static func run(_ rows: PostgresRows, _ row: Int) -> BenchRun? {
        guard let id = rows.integer(row, 0) else { return nil }
        let report = rows.bytes(row, 2).flatMap { try? JSONDocument(parsing: $0).value }
        return BenchRun(
            id: id, name: rows.text(row, 1) ?? "", report: report ?? .object([:]),
            createdAt: rows.integer(row, 3).map(Timestamp.text) ?? "")
    }
}
