package import Database

/// Reports that a gateway made in its file, before it kept them in the server that it shares.
extension EvaluationRoom {
    /// Copies the reports of a file, each once, whatever became of the copy. A call that breaks off has copied some; the next
    /// one goes on.
    ///
    /// The copies count as reports of their time: the next report deletes those beyond ``maxReports``.
    ///
    /// - Parameter name: The name of the file, which tells its reports from those of other files.
    /// - Returns: The number of new copies.
    package func copy(from file: any SQLStore, named name: String) async throws -> Int {
        let known = Set(
            try await store.rows("SELECT origin FROM gateway_evaluation_copies", []).compactMap { $0.text(0) })
        var count = 0
        for row in try await file.rows("SELECT id, created_at FROM gateway_evaluations ORDER BY id", []) {
            guard let id = row.integer(0) else { continue }
            // Files that were one file once have different reports of one number.
            let time = row.date(1) ?? ""
            let origin = "\(name) \(id) \(time)"
            guard !known.contains(origin), let report = try await Self.contents(of: id, in: file) else { continue }
            let isNew = try await store.transaction { session in
                let marked = try session.run(
                    "INSERT INTO gateway_evaluation_copies (origin) VALUES ($1) ON CONFLICT (origin) DO NOTHING",
                    [.text(origin)])
                guard marked > 0 else { return false }
                _ = try Self.insert(report.texts, report.figures, at: time, session)
                return true
            }
            if isNew { count += 1 }
        }
        return count
    }

    /// Nil for a report that was deleted meanwhile.
    private static func contents(
        of id: Int64, in file: any SQLStore
    ) async throws -> (texts: [String], figures: [UInt8])? {
        // Another program may have written longer values.
        let columns = ["collection", "name", "means", "report", "figures"].map { file.dialect.bounded($0, maxBytes) }
        let rows = try await file.rows(
            "SELECT \(columns.joined(separator: ", ")) FROM gateway_evaluations WHERE id = $1", [.integer(id)])
        return rows.first.map { row in ((0..<4).map { row.text($0) ?? "" }, row.bytes(4) ?? []) }
    }
}
