import Database
import Foundation
import GRDB
import GatewayAPI
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage

/// What a session promises, on a file and on a server.
@Suite(.serialized) struct SQLSessionTests {
    /// A store with the table `t`, two columns of each type; nil where there can be no server.
    private func store(_ place: NotesPlace) async throws -> StoreStage? {
        guard let made = try await StoreStage(place) else { return nil }
        let store = made.store
        try await store.transaction { session in
            let words = session.dialect
            try session.run(
                """
                CREATE TABLE t (id \(words.id), i \(words.integer), r \(words.real), x \(words.text), b \(words.bytes))
                """)
        }
        return made
    }

    @Test(arguments: NotesPlace.allCases)
    func `values of each type come back, and NULL of each type`(_ engine: NotesPlace) async throws {
        guard let made = try await store(engine) else { return }
        let rows = try await made.store.transaction { session in
            var rows: [SQLRow] = []
            for values: [SQLValue] in [
                [.integer(.min), .real(-0.5), .text("é'$1?"), .bytes([0, 255])],
                [.integer(nil), .real(nil), .text(nil), .bytes(nil)],
                [.count(3), .real(1e300), .text(""), .bytes([])],
            ] {
                rows += try session.rows(
                    "INSERT INTO t (i, r, x, b) VALUES ($1, $2, $3, $4) RETURNING i, r, x, b, id, $3", values)
            }
            return rows
        }
        #expect(
            rows == [
                SQLRow([
                    .integer(.min), .real(-0.5), .text("é'$1?"), .bytes([0, 255]), .integer(1), .text("é'$1?"),
                ]),
                SQLRow([.null, .null, .null, .null, .integer(2), .null]),
                SQLRow([.integer(3), .real(1e300), .text(""), .bytes([]), .integer(3), .text("")]),
            ])
        let found = try await made.store.rows(
            "SELECT id FROM t WHERE x = $1 OR ($2 AND i IS NULL) OR i = $3 ORDER BY id",
            [.text(""), .bool(true), .integer(.min)])
        #expect(found.map { $0.integer(0) } == [1, 2, 3])
        let same = try await made.store.rows(
            "SELECT id FROM t WHERE i \(made.store.dialect.isSame) $1", [.integer(nil)])
        #expect(same.map { $0.integer(0) } == [2])
        #expect(try await made.store.run("UPDATE t SET i = $1 WHERE id > $2", [.integer(1), .integer(1)]) == 2)
        #expect(try await made.store.run("DELETE FROM t WHERE i = $1", [.integer(9)]) == 0)
        let bounded = try await made.store.rows(
            "SELECT \(made.store.dialect.bounded("x", 3)), \(made.store.dialect.bounded("x", 6)) FROM t WHERE id = 1",
            [])
        #expect(bounded == [SQLRow([.null, .text("é'$1?")])])
    }

    @Test(arguments: NotesPlace.allCases)
    func `any number of rows come as one parameter`(
        _ engine: NotesPlace
    ) async throws {
        guard let made = try await store(engine) else { return }
        let words = made.store.dialect
        let list = words.list("$1", ["i", "x"], texts: ["x"])
        let both: [[JSONValue]] = [[.integer(.min), .string("é\"\\'$1")], [.integer(.max), .string("2")]]
        for rows in [[], both] {
            let added = try await made.store.run("INSERT INTO t (i, x) \(list)", [.list(rows)])
            #expect(added == rows.count)
        }
        let rows = try await made.store.rows("SELECT i, x FROM t ORDER BY id", [])
        #expect(
            rows == [SQLRow([.integer(.min), .text("é\"\\'$1")]), SQLRow([.integer(.max), .text("2")])])
        let changed = try await made.store.run(
            "UPDATE t SET r = 1 WHERE id IN (\(words.list("$1", ["id"])))", [.list([[.integer(2)], [.integer(9)]])])
        #expect(changed == 1)
        for (texts, ids) in [(["2", "é\"\\'$1"], [1, 2]), (["é"], []), ([], [])] as [([String], [Int64])] {
            let found = try await made.store.rows(
                "SELECT id FROM t WHERE x IN \(words.texts("$1")) ORDER BY id", [.texts(texts)])
            #expect(found.map { $0.integer(0) } == ids)
        }
    }

    @Test func `a quick snapshot of a file does not wait for long reads`() async throws {
        let made = try #require(try await store(.file))
        let store = made.store
        let (reading, isOver) = (Locked(0), Locked(false))
        try await withThrowingTaskGroup(of: Void.self) { group in
            // All readers of the pool.
            for _ in 0..<4 {
                group.addTask {
                    try await store.snapshot { session in
                        _ = try session.first("SELECT count(*) FROM t")
                        reading.change { $0 += 1 }
                        while !isOver.value { Thread.sleep(forTimeInterval: 0.001) }
                    }
                }
            }
            try await waitUntil { reading.value == 4 }
            try await store.run("INSERT INTO t (i) VALUES ($1)", [.integer(1)])
            #expect(try await store.quickSnapshot { try $0.first("SELECT count(*) FROM t") }?.count(0) == 1)
            isOver.change { $0 = true }
            try await group.waitForAll()
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `what is behind a zero byte is stored`(_ engine: NotesPlace) async throws {
        guard let made = try await store(engine) else { return }
        let rows = try await made.store.transaction {
            try $0.rows("INSERT INTO t (x) VALUES ($1) RETURNING x", [.text("a\0b\0")])
        }
        #expect(rows == [SQLRow([.text("a\u{FFFD}b\u{FFFD}")])])
    }

    @Test(arguments: NotesPlace.allCases)
    func `a dollar sign that begins no parameter stays`(_ engine: NotesPlace) async throws {
        guard let made = try await store(engine) else { return }
        let rows = try await made.store.rows("SELECT '$.a', 'b$', $1", [.text("$1")])
        #expect(rows == [SQLRow([.text("$.a"), .text("b$"), .text("$1")])])
    }

    @Test(arguments: NotesPlace.allCases)
    func `a transaction that throws leaves nothing, and the next one works`(_ engine: NotesPlace) async throws {
        struct Stop: Error {}
        guard let made = try await store(engine) else { return }
        let store = made.store
        for isRelaxed in [false, true] {
            let body: @Sendable (any SQLSession) throws -> Void = { session in
                try session.run("INSERT INTO t (i) VALUES ($1)", [.integer(1)])
                throw Stop()
            }
            await #expect(throws: Stop.self) {
                if isRelaxed {
                    try await store.relaxedTransaction(body)
                } else {
                    try await store.transaction(body)
                }
            }
        }
        await #expect(throws: (any Error).self) { try await store.run("INSERT INTO nowhere VALUES (1)") }
        await #expect(throws: Stop.self) { try await store.snapshot { _ in throw Stop() } }
        #expect(try await store.rows("SELECT id FROM t", []).isEmpty)
        #expect(try await store.run("INSERT INTO t (i) VALUES ($1)", [.integer(1)]) == 1)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a snapshot sees one state, whatever is written meanwhile`(_ engine: NotesPlace) async throws {
        guard let made = try await store(engine) else { return }
        let store = made.store
        let (looked, written) = (Locked(false), Locked(false))
        async let counts = store.snapshot { session in
            let first = try session.first("SELECT count(*) FROM t")?.count(0)
            looked.change { $0 = true }
            while !written.value { Thread.sleep(forTimeInterval: 0.001) }
            return [first, try session.first("SELECT count(*) FROM t")?.count(0)]
        }
        try await waitUntil { looked.value }
        try await store.run("INSERT INTO t (i) VALUES ($1)", [.integer(1)])
        written.change { $0 = true }
        #expect(try await counts == [0, 0])
        #expect(try await store.rows("SELECT count(*) FROM t", []).first?.count(0) == 1)
    }

    @Test(arguments: NotesPlace.allCases)
    func `what has one lock runs one after another`(_ engine: NotesPlace) async throws {
        guard let made = try await store(engine) else { return }
        let store = made.store
        try await withThrowingTaskGroup(of: Void.self) { group in
            // More than a pool has connections.
            for _ in 0..<24 {
                group.addTask {
                    try await store.transaction { session in
                        try session.lock("t")
                        let last = try session.first("SELECT coalesce(max(i), 0) FROM t")?.integer(0) ?? 0
                        try session.run("INSERT INTO t (i) VALUES ($1)", [.integer(last + 1)])
                    }
                }
            }
            try await group.waitForAll()
        }
        let found = try await store.rows("SELECT i FROM t ORDER BY i", []).map { $0.integer(0) }
        #expect(found == (1...24).map { Int64($0) })
    }

    @Test(arguments: NotesPlace.allCases)
    func `the clock of a store is the time`(_ engine: NotesPlace) async throws {
        guard let made = try await store(engine) else { return }
        let clock = try await made.store.snapshot { try $0.clock() }
        #expect(abs(clock.now - Timestamp.milliseconds) < 60_000)
        #expect(clock.steadySince <= clock.now)
    }

    @Test(.enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
    func `a statement of a task that is cancelled ends, and its connection works on`() async throws {
        let store = try await PostgresStage { $0.size = 1 }.store
        try await store.prepare()
        let began = Locked(false)
        let task = Task {
            try await store.transaction { session in
                began.change { $0 = true }
                try session.run("SELECT pg_sleep(600)")
            }
        }
        try await waitUntil { began.value }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.rows("SELECT 1::bigint", [SQLValue]()).first?.integer(0) == 1)
    }
}
