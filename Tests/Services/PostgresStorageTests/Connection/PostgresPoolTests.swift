import Foundation
import TestSupport
import Testing

@testable import PostgresStorage

/// Connections that many tasks share, and what breaks them.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct PostgresPoolTests {
    private struct Stage {
        var pool: PostgresPool
        /// A pool that no proxy disturbs.
        var direct: PostgresPool
        var proxy: CuttingProxy
    }

    private func stage(_ change: (inout PostgresPool.Options) -> Void = { _ in }) async throws -> Stage {
        let server = try #require(await PostgresServer.shared())
        let uri = try await server.database()
        let proxy = try CuttingProxy(to: server.port)
        var options = PostgresPool.Options()
        change(&options)
        let pool = PostgresPool(try PostgresAddress(PostgresServer.uri(uri, port: proxy.port)), options: options)
        let direct = PostgresPool(try PostgresAddress(uri))
        try await direct.lend { try await $0.script("CREATE TABLE t (n bigint, s text)") }
        return Stage(pool: pool, direct: direct, proxy: proxy)
    }

    private func count(_ stage: Stage) async throws -> Int64 {
        try await stage.direct.read { try await $0.run("SELECT count(*) FROM t").integer(0, 0) ?? -1 }
    }

    @Test func `tasks share no more connections than the pool has`() async throws {
        let stage = try await stage { $0.size = 3 }
        defer { stage.proxy.stop() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let found = try await stage.pool.read {
                        try await $0.run("SELECT $1::bigint, pg_sleep(0.001)", [.integer(Int64(number))])
                    }
                    #expect(found.integer(0, 0) == Int64(number))
                }
            }
            try await group.waitForAll()
        }
        #expect(stage.proxy.accepted <= 3)
        #expect(stage.pool.statistics.idle == stage.pool.statistics.open)
    }

    @Test func `a caller that waits too long, or after too many others, is refused`() async throws {
        let stage = try await stage {
            $0.size = 1
            $0.maxWaiting = 1
            $0.waitTimeout = .milliseconds(300)
        }
        defer { stage.proxy.stop() }
        let holder = Task { try await stage.pool.lend { try await $0.run("SELECT pg_sleep(60)") } }
        try await waitUntil { stage.pool.statistics.open == 1 }
        let waiter = Task { try await stage.pool.read { try await $0.run("SELECT 1") } }
        try await waitUntil { stage.pool.statistics.waiting == 1 }
        let refused = await #expect(throws: PostgresError.self) {
            try await stage.pool.read { try await $0.run("SELECT 1") }
        }
        #expect(refused?.code == .busy)
        let tired = await #expect(throws: PostgresError.self) { try await waiter.value }
        #expect(tired?.code == .busy)
        #expect(stage.pool.statistics.waiting == 0)
        holder.cancel()
        await #expect(throws: CancellationError.self) { try await holder.value }
        #expect(try await stage.pool.read { try await $0.run("SELECT 1::bigint").integer(0, 0) } == 1)
    }

    @Test func `a cancelled caller leaves the line`() async throws {
        let stage = try await stage { $0.size = 1 }
        defer { stage.proxy.stop() }
        let holder = Task { try await stage.pool.lend { try await $0.run("SELECT pg_sleep(60)") } }
        try await waitUntil { stage.pool.statistics.open == 1 }
        let waiter = Task { try await stage.pool.read { try await $0.run("SELECT 1") } }
        try await waitUntil { stage.pool.statistics.waiting == 1 }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(stage.pool.statistics.waiting == 0)
        holder.cancel()
        _ = await holder.result
    }

    @Test func `idle connections that were cut are replaced unnoticed`() async throws {
        let stage = try await stage()
        defer { stage.proxy.stop() }
        for _ in 0..<3 {
            #expect(try await stage.pool.read { try await $0.run("SELECT 1::bigint").integer(0, 0) } == 1)
            stage.proxy.cutAll()
        }
        #expect(stage.proxy.accepted >= 3)
    }

    @Test func `a server that is away is refused at once, and found again later`() async throws {
        let stage = try await stage { $0.pauses = .milliseconds(100)...(.milliseconds(200)) }
        defer { stage.proxy.stop() }
        stage.proxy.refuse(true)
        for _ in 0..<100 {
            await #expect(throws: PostgresError.self) { try await stage.pool.read { try await $0.run("SELECT 1") } }
        }
        // The pauses spare the server most attempts.
        #expect(stage.proxy.accepted < 50)
        #expect(stage.pool.statistics.failure != nil)
        stage.proxy.refuse(false)
        try await waitUntil { (try? await stage.pool.read { try await $0.run("SELECT 1") }) != nil }
        #expect(stage.pool.statistics.failure == nil)
    }

    @Test(arguments: [
        CuttingProxy.Trigger("INSERT INTO t", passesOn: false), .init("INSERT INTO t", passesOn: true),
        .init("COMMIT", passesOn: false), .init("COMMIT", passesOn: true), .init("BEGIN", passesOn: true),
    ])
    func `a connection that breaks in any phase of a transaction loses nothing and does nothing twice`(
        _ trigger: CuttingProxy.Trigger
    ) async throws {
        let stage = try await stage()
        defer { stage.proxy.stop() }
        stage.proxy.cut(at: trigger)
        let value = try await stage.pool.write { connection in
            try await connection.run("INSERT INTO t VALUES (1, 'once')", isPrepared: false)
            return 42
        }
        #expect(value == 42)
        #expect(stage.proxy.cuts == 1)
        #expect(try await count(stage) == 1)
    }

    @Test func `an error in a transaction undoes it`() async throws {
        let stage = try await stage()
        defer { stage.proxy.stop() }
        await #expect(throws: PostgresError.self) {
            try await stage.pool.write { connection in
                try await connection.run("INSERT INTO t VALUES (1, '')")
                try await connection.run("SELECT 1/0")
            }
        }
        #expect(try await count(stage) == 0)
        #expect(stage.pool.statistics.idle == 1)
    }

    @Test func `a cancelled transaction is undone`() async throws {
        let stage = try await stage()
        defer { stage.proxy.stop() }
        let task = Task {
            try await stage.pool.write { connection in
                try await connection.run("INSERT INTO t VALUES (1, '')")
                try await connection.run("SELECT pg_sleep(60)")
            }
        }
        try await waitUntil {
            try await stage.direct.read {
                try await $0.run(
                    "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND state = 'active' AND pid <> pg_backend_pid()"
                ).integer(0, 0) == 1
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await count(stage) == 0)
    }

    @Test func `a transaction that the server refuses for others' sake is repeated, and takes place once`() async throws
    {
        let stage = try await stage()
        defer { stage.proxy.stop() }
        for state in ["40001", "40P01"] {
            let attempts = Locked(0)
            try await stage.pool.write { connection in
                try await connection.run("INSERT INTO t VALUES (1, '')")
                attempts.change { $0 += 1 }
                guard attempts.value < 3 else { return }
                try await connection.script("DO $$ BEGIN RAISE SQLSTATE '\(state)'; END $$")
            }
        }
        #expect(try await count(stage) == 2)
        let error = await #expect(throws: PostgresError.self) {
            try await stage.pool.write { try await $0.script("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$") }
        }
        #expect(error?.code == .serialization)
    }

    @Test func `a closed pool refuses`() async throws {
        let stage = try await stage()
        defer { stage.proxy.stop() }
        _ = try await stage.pool.read { try await $0.run("SELECT 1") }
        stage.pool.close()
        let error = await #expect(throws: PostgresError.self) {
            try await stage.pool.read { try await $0.run("SELECT 1") }
        }
        #expect(error?.code == .lost)
    }
}
