import Foundation
import TestSupport
import Testing

@testable import PostgresStorage

/// One connection to a real server.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct PostgresConnectionTests {
    private func open(timeout: Duration = .seconds(30)) async throws -> PostgresConnection {
        let server = try #require(await PostgresServer.shared())
        return try await PostgresConnection.open(PostgresAddress(server.uri), timeout: timeout)
    }

    @Test func `values of every type come back as they were sent`() async throws {
        let connection = try await open()
        let rows = try await connection.run(
            """
            SELECT $1::bigint, $2::float8, $3::boolean, $4::text, $5::bytea, $6::bigint[], $7::text[], $8::bytea[], $9::text,
                $10::text[], (-5)::integer, 7::smallint
            """,
            [
                .integer(.min), .double(-0.1), .bool(true), .text("é\u{1F600}'\\"), .bytes([0, 255, 10]),
                .integers([.max, -1, 0]), .texts(["a", nil, "{\"b,"]), .blobs([[0], nil, []]), .null, .texts([]),
            ])
        #expect(rows.integer(0, 0) == .min)
        #expect(rows.double(0, 1) == -0.1)
        #expect(rows.bool(0, 2) == true)
        #expect(rows.text(0, 3) == "é\u{1F600}'\\")
        #expect(rows.bytes(0, 4) == [0, 255, 10])
        #expect(rows.integers(0, 5) == [.max, -1, 0])
        #expect(rows.texts(0, 6) == ["a", "{\"b,"])
        #expect(rows.text(0, 8) == nil)
        #expect(rows.texts(0, 9) == [])
        #expect(rows.integer(0, 10) == -5)
        #expect(rows.integer(0, 11) == 7)
        #expect(rows.integer(1, 0) == nil)
        #expect(rows.integer(0, 99) == nil)
    }

    @Test func `U+0000 is stored as the replacement character, since text cannot hold it`() async throws {
        let connection = try await open()
        let rows = try await connection.run("SELECT $1::text", [.text("a\0b")])
        #expect(rows.text(0, 0) == "a\u{FFFD}b")
    }

    @Test(.slow) func `a large value goes both ways without either side waiting for the other`() async throws {
        let connection = try await open()
        let text = String(repeating: "0123456789abcdef", count: 1 << 20)
        let rows = try await connection.run("SELECT $1::text, $1::text", [.text(text)])
        #expect(rows.text(0, 0) == text)
        #expect(rows.text(0, 1) == text)
    }

    @Test func `a statement runs once for each row of a pipeline, and an error stops it`() async throws {
        let connection = try await open()
        try await connection.script("CREATE TEMP TABLE t (n bigint PRIMARY KEY, s text)")
        let changed = try await connection.many(
            "INSERT INTO t VALUES ($1, $2)",
            (0..<1000).map { [.integer($0), .text(String(repeating: "x", count: 5000))] })
        #expect(changed == Array(repeating: 1, count: 1000))
        await #expect(throws: PostgresError.self) {
            try await connection.many("INSERT INTO t VALUES ($1, $2)", [[.integer(7), .text("")]])
        }
        #expect(try await connection.run("SELECT count(*) FROM t").integer(0, 0) == 1000)
        #expect(await connection.isUsable)
    }

    @Test func `errors have a code, and the connection stays usable`() async throws {
        let connection = try await open()
        let cases: [(String, PostgresError.Code)] = [
            ("SELECT 1/0", .invalid), ("SELEC 1", .failed), ("SELECT * FROM no_such_table", .failed),
            ("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$", .serialization),
            ("DO $$ BEGIN RAISE SQLSTATE '53100'; END $$", .diskFull),
            ("DO $$ BEGIN RAISE SQLSTATE '25006'; END $$", .readOnly),
        ]
        for (sql, code) in cases {
            let error = await #expect(throws: PostgresError.self) { try await connection.run(sql, isPrepared: false) }
            #expect(error?.code == code)
            #expect(await connection.isUsable)
        }
    }

    @Test func `a cancelled task cancels its statement in the server, and the connection stays usable`() async throws {
        let connection = try await open()
        let other = try await open()
        let task = Task { try await connection.run("SELECT pg_sleep(60), 'cancelled by a test'") }
        let running =
            "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%cancelled by a test%' AND pid <> pg_backend_pid() AND state = 'active'"
        try await waitUntil { try await other.run(running).integer(0, 0) == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await waitUntil { try await other.run(running).integer(0, 0) == 0 }
        #expect(try await connection.run("SELECT 1::bigint").integer(0, 0) == 1)
    }

    @Test(.slow) func `a late cancellation never ends the next statement`() async throws {
        var connection = try await open()
        var ended = 0
        for number in 0..<200 {
            let task = Task { [connection] in try await connection.run("SELECT pg_sleep(0.002)") }
            try await Task.sleep(for: .microseconds(number * 20))
            task.cancel()
            if (try? await task.value) == nil { ended += 1 }
            if await !connection.isUsable { connection = try await open() }
            #expect(try await connection.run("SELECT pg_sleep(0.001), 1::bigint").integer(0, 1) == 1)
        }
        #expect(ended > 0)
    }

    @Test func `a statement that takes too long ends with a timeout`() async throws {
        let connection = try await open(timeout: .milliseconds(200))
        let error = await #expect(throws: PostgresError.self) { try await connection.run("SELECT pg_sleep(60)") }
        #expect(error?.code == .timeout)
        #expect(try await connection.run("SELECT 1::bigint").integer(0, 0) == 1)
    }

    @Test(.slow) func `a peer that falls silent ends in a timeout, and the connection is given up`() async throws {
        let server = try #require(await PostgresServer.shared())
        let proxy = try CuttingProxy(to: server.port)
        defer { proxy.stop() }
        let address = try PostgresAddress(PostgresServer.uri(server.uri, port: proxy.port))
        let connection = try await PostgresConnection.open(address, timeout: .milliseconds(200))
        proxy.hold(true)
        let error = await #expect(throws: PostgresError.self) { try await connection.run("SELECT 1") }
        #expect(error?.code == .timeout)
        #expect(await !connection.isUsable)
    }

    @Test func `a cut connection is lost`() async throws {
        let server = try #require(await PostgresServer.shared())
        let proxy = try CuttingProxy(to: server.port)
        defer { proxy.stop() }
        let address = try PostgresAddress(PostgresServer.uri(server.uri, port: proxy.port))
        let connection = try await PostgresConnection.open(address)
        proxy.cut(at: .init("SELECT 'cut'", passesOn: true))
        let error = await #expect(throws: PostgresError.self) { try await connection.run("SELECT 'cut'") }
        #expect(error?.code == .lost)
        #expect(await !connection.isUsable)
    }

    @Test func `notifications arrive`() async throws {
        let (listener, speaker) = (try await open(), try await open())
        try await listener.script("LISTEN test_notifications")
        #expect(try await listener.notification(within: .milliseconds(1)) == nil)
        try await speaker.script("NOTIFY test_notifications, 'hello'")
        #expect(try await listener.notification(within: .seconds(30)) == "hello")
    }

    @Test func `a wrong password, a closed port and a wrong address have clear errors without secrets`() async throws {
        let server = try #require(await PostgresServer.shared())
        var components = try #require(URLComponents(string: server.uri))
        let secret = try #require(components.password)
        components.password = "wrong-" + secret
        let wrong = try PostgresAddress(try #require(components.string))
        let refused = await #expect(throws: PostgresError.self) { try await PostgresConnection.open(wrong) }
        #expect(refused?.code == .authentication)
        #expect(refused?.message.contains(secret) == false)
        components.port = try LoopbackSocket.freePort()
        let closed = try PostgresAddress(try #require(components.string))
        let error = await #expect(throws: PostgresError.self) { try await PostgresConnection.open(closed) }
        #expect(error?.code == .refused)
        #expect(error?.message.contains(secret) == false)
        #expect(!"\(closed)".contains(secret))
    }

    @Test func `TLS that the server does not have is asked for in vain`() async throws {
        let server = try #require(await PostgresServer.shared())
        let address = try PostgresAddress(server.uri + "?sslmode=require")
        let error = await #expect(throws: PostgresError.self) { try await PostgresConnection.open(address) }
        #expect(error?.code == .refused)
        #expect(error?.message.contains("SSL") == true)
    }
}

struct PostgresAddressTests {
    @Test func `an address is shown without its password`() throws {
        let address = try PostgresAddress("postgres://me:s3cret@db.example:5433/notes?sslmode=verify-full")
        #expect("\(address)" == "db.example:5433/notes")
        #expect(address.redacted("no s3cret here") == "no … here")
        #expect(!address.isUnencrypted)
        #expect(try PostgresAddress("postgresql://me@db.example/notes").isUnencrypted)
        #expect(try !PostgresAddress("postgresql://me@127.0.0.1/notes").isUnencrypted)
        #expect("\(try PostgresAddress("postgres://a:1,b:2/n"))" == "a:1,b:2/n")
    }

    @Test(arguments: [
        "", "mysql://x", "postgres://u:s3cret@h:port/x", "postgres://u:s3cret@[::1",
        "postgres://u:s3cret@h/x?no_such=1",
        "postgres://u\0@h",
    ])
    func `a wrong address is refused without being repeated`(_ text: String) {
        let error = #expect(throws: PostgresError.self) { try PostgresAddress(text) }
        #expect(error?.code == .address)
        #expect(error?.message.contains("s3cret") == false)
    }
}
