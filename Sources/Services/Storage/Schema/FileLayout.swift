import GRDB
import Synchronization

/// The tables and columns of a file at one version of its schema.
struct FileLayout: Sendable {
    /// SQLite's `schema_version`, which counts schema changes.
    let version: Int64
    let columns: NoteColumns
    let schema: FileSchema

    init(_ database: Database, version: Int64) throws {
        self.version = version
        columns = try NoteColumns(database)
        schema = try FileSchema(database)
    }

    /// Reads the schema version of a connection's snapshot.
    static func version(_ database: Database) throws -> Int64 {
        try Row.fetchOne(database.cachedStatement(sql: "PRAGMA schema_version"))?.integer(0) ?? 0
    }
}

/// Caches the layout of the latest snapshot; another program may change its tables at any time.
final class LayoutCache: Sendable {
    private let latest = Mutex<FileLayout?>(nil)

    /// Returns the layout of a connection's snapshot; reads it again when the schema version has changed.
    func current(_ database: Database) throws -> FileLayout {
        let version = try FileLayout.version(database)
        if let known = latest.withLock({ $0 }), known.version == version { return known }
        let fresh = try FileLayout(database, version: version)
        latest.withLock { $0 = fresh }
        return fresh
    }
}
