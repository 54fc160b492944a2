import Database
package import GatewayAPI

extension SourceRoom {
    /// How long the note of a removed file can come back with its file, in milliseconds: as long as a deleted note is kept.
    package static let binLifetime: Int64 = 30 * 86_400_000
    /// The number of rows that are written at once.
    private static let batch = 500

    /// What is known of the files at paths and below them, in the order of the paths' bytes; of all for an empty path.
    ///
    /// - Parameter paths: None of them is below another one.
    package func files(of source: Int64, within paths: [String]) async throws -> [StoredSourceFile] {
        let sql = "SELECT \(StoredSourceFile.columns) FROM gateway_source_files WHERE source_id = $1"
        let found = try await store.snapshot { session in
            var found: [StoredSourceFile] = []
            for path in paths {
                let values: [SQLValue] = path.isEmpty ? [] : [.text(path), .text(path + "/"), .text(path + "0")]
                try session.each(
                    path.isEmpty ? sql : sql + " AND (path = $2 OR (path > $3 AND path < $4))",
                    [.integer(source)] + values
                ) { row in
                    if let file = StoredSourceFile(row) { found.append(file) }
                }
            }
            return found
        }
        return found.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// Removed files whose notes are in the bin and had one of these texts, the latest first.
    package func binned(of source: Int64, texts: [[UInt8]]) async throws -> [StoredSourceFile] {
        let texts = Set(texts)
        return try await store.snapshot { session in
            var found: [StoredSourceFile] = []
            for text in texts {
                let sql = """
                    SELECT \(StoredSourceFile.columns) FROM gateway_source_files
                    WHERE source_id = $1 AND text_hash = $2 AND state <> 0 AND note_id IS NOT NULL ORDER BY gone_at DESC LIMIT 20
                    """
                found += try session.rows(sql, [.integer(source), .bytes(text)]).compactMap { StoredSourceFile($0) }
            }
            return found
        }
    }

    /// Writes the state of files.
    package func keep(_ files: [StoredSourceFile], of source: Int64) async throws {
        guard !files.isEmpty else { return }
        try await store.relaxedTransaction { session in
            let now = try session.clock().now
            for file in files {
                try session.run(
                    """
                    INSERT INTO gateway_source_files
                        (source_id, path, size, modified, changed, state, note_id, text_hash, gone_at, problem)
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
                    ON CONFLICT (source_id, path) DO UPDATE SET size = excluded.size, modified = excluded.modified,
                        changed = excluded.changed, state = excluded.state, note_id = excluded.note_id,
                        text_hash = excluded.text_hash, gone_at = excluded.gone_at, problem = excluded.problem
                    """,
                    [
                        .integer(source), .text(file.path), .integer(file.size), .integer(file.modified),
                        .integer(file.changed), .integer(file.state.rawValue), .integer(file.note),
                        .bytes(file.textHash), .integer(file.state == .there ? nil : now), .text(file.problem),
                    ])
            }
        }
    }

    /// Forgets files: those whose notes follow another path now, or that never had one.
    package func forget(_ paths: [String], of source: Int64) async throws {
        for start in stride(from: 0, to: paths.count, by: Self.batch) {
            let part = Array(paths[start..<min(start + Self.batch, paths.count)])
            _ = try await store.relaxedTransaction { session in
                try session.run(
                    "DELETE FROM gateway_source_files WHERE source_id = $1 AND path IN \(session.dialect.texts("$2"))",
                    [.integer(source), .texts(part)])
            }
        }
    }

    /// The number of files that were removed since a time, and forgets those that were removed so long ago that their notes left
    /// the bin.
    package func removed(of source: Int64, since time: Int64, now: Int64) async throws -> Int {
        let oldest = now - Self.binLifetime
        return try await store.transaction { session in
            try session.run(
                "DELETE FROM gateway_source_files WHERE source_id = $1 AND state = 2 AND gone_at < $2",
                [.integer(source), .integer(oldest)])
            let row = try session.first(
                "SELECT count(*) FROM gateway_source_files WHERE source_id = $1 AND state <> 0 AND gone_at >= $2",
                [.integer(source), .integer(time)])
            return row.map { $0.count(0) } ?? 0
        }
    }

    /// A source with the counts of its files, and the first files that were not read.
    package func figures(of stored: StoredSource, problems limit: Int = 0) async throws -> SourceDetails {
        let id = stored.id
        return try await store.snapshot { session in
            var details = SourceDetails(source: stored.source, problems: [])
            let rows = try session.rows(
                """
                SELECT state, CASE WHEN problem IS NULL THEN 1 ELSE 0 END AS clean, count(*) FROM gateway_source_files WHERE source_id = $1
                GROUP BY 1, 2
                """, [.integer(id)])
            for row in rows {
                switch (row.integer(0) ?? 0, row.integer(1) == 1) {
                case (0, true): details.source.files += row.count(2)
                case (_, false): details.source.unread += row.count(2)
                default: details.source.removed += row.count(2)
                }
            }
            guard limit > 0 else { return details }
            let listed = try session.rows(
                """
                SELECT path, problem FROM gateway_source_files WHERE source_id = $1 AND problem IS NOT NULL
                ORDER BY path LIMIT $2
                """, [.integer(id), .count(limit)])
            details.problems = listed.compactMap { row in
                row.text(0).map { SourceDetails.Problem(path: $0, reason: row.text(1) ?? "") }
            }
            return details
        }
    }
}
