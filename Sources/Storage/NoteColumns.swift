import GRDB

/// Which columns a file's `raw_notes` and `processed_notes` have: they grew over the years, and old files still open.
struct NoteColumns: Sendable {
    let raw: Set<String>
    let processed: Set<String>

    init(_ database: Database) throws {
        raw = Set(try database.columns(in: "raw_notes").map { $0.name.lowercased() })
        processed = Set(try database.columns(in: "processed_notes").map { $0.name.lowercased() })
    }

    /// `n.column`, or NULL where this file has no such column.
    func raw(_ column: String) -> String { raw.contains(column) ? "n.\(column)" : "NULL" }

    /// `p.column`, or NULL where this file has no such column.
    func processed(_ column: String) -> String { processed.contains(column) ? "p.\(column)" : "NULL" }

    /// The condition that hides the notes of test runs.
    var isShown: String { raw.contains("test_run") ? "n.test_run IS NULL" : "1" }
}
