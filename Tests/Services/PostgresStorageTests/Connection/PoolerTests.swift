import Foundation
import Logging
import TestSupport
import Testing

@testable import PostgresStorage

/// PostgreSQL behind pgbouncer with its default settings.
@Suite(
    .serialized,
    .enabled("needs a PostgreSQL server and pgbouncer") { await PostgresServer.isPossible && Pooler.program != nil })
struct PoolerTests {
    private func pooler(_ mode: String, _ settings: String = "") async throws -> Pooler {
        let server = try #require(await PostgresServer.shared())
        let pooler = try Pooler(try await server.database(), mode: mode, settings: settings)
        try await pooler.begin()
        return pooler
    }

    @Test(arguments: ["", "ignore_startup_parameters = options"])
    func `a session behind a pooler has its settings, and the store works`(_ settings: String) async throws {
        let pooler = try await pooler("session", settings)
        let connection = try await PostgresConnection.open(pooler.address, timeout: .seconds(7))
        #expect(await connection.isPooled)
        for (name, value) in [
            ("search_path", "selene, public"), ("statement_timeout", "7s"), ("lock_timeout", "7s"),
            ("idle_in_transaction_session_timeout", "14s"),
        ] {
            let rows = try await connection.run("SELECT current_setting($1)", [.text(name)])
            #expect(rows.text(0, 0) == value)
        }
        let store = PostgresStore(pooler.address, logger: Logger(label: "test"))
        try await store.prepare()
        let identity = try await store.identity()
        #expect(!identity.isEmpty)
        #expect(try await store.identity() == identity)
        store.close()
    }

    @Test(arguments: ["transaction", "statement"])
    func `a pooler that changes connections between transactions is refused with the remedy`(_ mode: String)
        async throws
    {
        for settings in ["", "ignore_startup_parameters = options\ndefault_pool_size = 1", "server_round_robin = 1"] {
            let pooler = try await pooler(mode, settings)
            let store = PostgresStore(pooler.address, logger: Logger(label: "test"))
            let error = await #expect(throws: PostgresError.self) { try await store.prepare() }
            #expect(error?.message.contains("pool_mode = session") == true, "\(String(describing: error))")
            #expect(error?.message.contains("Scale.md") == true)
            store.close()
        }
    }

    @Test func `a direct connection is none of a pooler`() async throws {
        let server = try #require(await PostgresServer.shared())
        #expect(try await PostgresConnection.open(PostgresAddress(server.uri)).isPooled == false)
    }
}

/// A pgbouncer in front of a database, for the time of a test.
private final class Pooler {
    static var program: String? {
        ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    let address: PostgresAddress
    private let process = Process()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "selene-pooler-\(UUID().uuidString)")

    init(_ database: String, mode: String, settings: String = "") throws {
        let parts = try #require(URLComponents(string: database))
        let (port, name) = (try LoopbackSocket.freePort(), String(parts.path.dropFirst()))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: "pgbouncer.ini")
        try Data(
            """
            [databases]
            \(name) = host=127.0.0.1 port=\(parts.port ?? 0) user=\(parts.user ?? "") password=\(parts.password ?? "")
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            unix_socket_dir =
            auth_type = any
            pool_mode = \(mode)
            \(settings)
            """.utf8
        ).write(to: file)
        process.executableURL = URL(filePath: try #require(Self.program))
        process.arguments = (getuid() == 0 ? ["-u", "nobody"] : []) + ["-q", file.path]
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        address = try PostgresAddress("postgres://anyone@127.0.0.1:\(port)/\(name)")
    }

    deinit {
        // It may have begun with other signals blocked, as the thread that started it has them. It keeps nothing.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Waits until connections are accepted.
    func begin() async throws {
        let isThere = await eventually {
            do {
                _ = try await PostgresConnection.open(self.address)
                return true
            } catch {
                return false
            }
        }
        #expect(isThere)
    }
}
