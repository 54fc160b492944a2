package import GRDB
import Storage

extension LiveGateway {
    /// A connection as another program opens it, with a busy timeout of ten seconds.
    package func otherProgram() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        return try DatabaseQueue(path: database.path, configuration: configuration)
    }

    /// Runs SQL as another program does: through a connection of its own.
    package func execute(_ sql: String) async throws {
        let other = try otherProgram()
        try await other.write { try $0.execute(sql: sql) }
        try other.close()
    }
}

/// The answer of SQLite's integrity check of a file, "ok" for a sound one.
package func integrity(of path: String) throws -> String {
    let database = try DatabaseQueue(path: path)
    defer { try? database.close() }
    return try database.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") ?? "" }
}
