import FakeOllama
package import GRDB
import Gateway
import Logging
import PostgresStorage
import Search
package import Storage
import StoreTestSupport
import TestSupport
package import Testing

extension LiveGateway {
    /// A connection as another program opens it, with a busy timeout of ten seconds.
    package func otherProgram() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        return try DatabaseQueue(path: database.path, configuration: configuration)
    }

    /// The store as another process opens it, to be closed by `close`.
    package func withOtherStore(_ body: (any GatewayStore) async throws -> Void) async throws {
        if let server = application.configuration.search.postgresStore(Logger(label: "test")) {
            defer { server.close() }
            return try await body(server)
        }
        let file = try GatewayDatabase(path: database.path)
        try await body(file)
        try file.close()
    }

    /// The environment of commands that work on the notes of this gateway.
    package func commandEnvironment() async throws -> [String: String] {
        var environment = ["SELENE_DATABASE": database.path, "OLLAMA_HOST": fake.baseURL]
        environment["SELENE_STORE"] = try await NotesPlace.server(of: folder)
        return environment
    }

    /// Runs SQL as another program does: through a connection of its own.
    package func execute(_ sql: String) async throws {
        if let server = store as? PostgresStore {
            return try await server.pool.write { _ = try await $0.script(sql) }
        }
        let other = try otherProgram()
        try await other.write { try $0.execute(sql: sql) }
        try other.close()
    }

    /// The number that SQL counts, as another program reads it; -1 without a row.
    package func number(_ sql: String) async throws -> Int {
        if let server = store as? PostgresStore {
            return try await server.pool.read { try await $0.run(sql).integer(0, 0).map(Int.init) ?? -1 }
        }
        let other = try otherProgram()
        defer { try? other.close() }
        return try await other.read { try Int.fetchOne($0, sql: sql) ?? -1 }
    }
}

/// The answer of SQLite's integrity check of a file, "ok" for a sound one.
package func integrity(of path: String) throws -> String {
    let database = try DatabaseQueue(path: path)
    defer { try? database.close() }
    return try database.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") ?? "" }
}

extension Trait where Self == ConditionTrait {
    /// For tests whose other program writes SQLite's own tables, or looks at the file.
    package static var ofFile: Self { .enabled(if: NotesPlace.usual == .file, "another program works on the file") }
}
