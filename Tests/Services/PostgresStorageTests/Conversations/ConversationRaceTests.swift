import Foundation
import GatewayAPI
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage

/// Two gateways that write the same chat sessions at once, on a file and on PostgreSQL.
@Suite(.serialized) struct ConversationRaceTests {
    typealias Kind = ConversationStage.Kind

    private func change(_ set: (inout SessionChange) -> Void) -> SessionChange { ConversationStoreTests.change(set) }

    @Test(.slow, arguments: Kind.allCases)
    func `two that add at once lose nothing, and a follower misses none`(kind: Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let title = change { $0.title = "s" }
        _ = try await stage.store.sessions.save("s", title)
        let follower = Task {
            var (seen, cursor) = ([Message](), PageCursor?.none)
            while seen.count < 150 {
                try Task.checkCancellation()
                let found = try await stage.store.messages.page(of: "s", after: cursor, limit: 7)?.items ?? []
                seen += found
                guard let last = found.last, let time = last.createdAt.flatMap(Timestamp.unixSeconds) else {
                    try await Task.sleep(for: .milliseconds(2))
                    continue
                }
                cursor = PageCursor(time, last.id)
            }
            return seen
        }
        let added = Locked<Set<Int64>>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (which, store) in stage.stores.enumerated() {
                for worker in 0..<3 {
                    group.addTask {
                        for number in 0..<25 {
                            let content = "\(which) \(worker) \(number)"
                            let message = try await store.messages.add(to: "s", role: "user", content: content)
                            let id = try #require(message).id
                            added.change { $0.insert(id) }
                            // Changes of other fields are not lost.
                            var change = SessionChange()
                            if worker == 0 { change.summaryText = .set(content) } else { change.isPinned = true }
                            _ = try await store.sessions.save("s", change)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let limit = Task {
            try await Task.sleep(for: .seconds(20))
            follower.cancel()
        }
        let seen = try await follower.value
        limit.cancel()
        #expect(seen.map(\.id) == added.value.sorted())
        #expect(Set(seen.map(\.content)).count == 150)
        for which in 0..<2 {
            for worker in 0..<3 {
                let own = seen.map(\.content).filter { $0.hasPrefix("\(which) \(worker) ") }
                #expect(own == (0..<25).map { "\(which) \(worker) \($0)" })
            }
        }
        let session = try await stage.store.sessions.find("s")
        #expect(session?.title == "s" && session?.isPinned == true && session?.summaryText?.hasSuffix(" 0 24") == true)
    }

    @Test(.slow, arguments: Kind.allCases) func `a session that two create at once is one`(kind: Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        for round in 0..<10 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (which, store) in stage.stores.enumerated() {
                    let change = change {
                        $0.title = "s"
                        if which == 0 { $0.isPinned = true } else { $0.summaryText = .set("short") }
                    }
                    group.addTask { _ = try await store.sessions.save("\(round)", change) }
                }
                try await group.waitForAll()
            }
            let session = try await stage.store.sessions.find("\(round)")
            #expect(session?.isPinned == true && session?.summaryText == "short")
        }
        #expect(try await stage.store.sessions.page(after: nil, limit: 99).items.count == 10)
    }

    @Test(.slow, arguments: Kind.allCases)
    func `a session deleted meanwhile takes all its messages along`(kind: Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let title = change { $0.title = "s" }
        for round in 0..<5 {
            let (id, added) = ("s\(round)", Locked(0))
            _ = try await stage.store.sessions.save(id, title)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for store in stage.stores {
                    for _ in 0..<2 {
                        group.addTask {
                            while try await store.messages.add(to: id, role: "user", content: "x") != nil {
                                added.change { $0 += 1 }
                            }
                        }
                    }
                }
                group.addTask {
                    try await waitUntil { added.value > 5 }
                    #expect(try await stage.stores[1].sessions.delete(id))
                }
                try await group.waitForAll()
            }
            #expect(try await stage.store.messages.page(of: id, after: nil, limit: 9) == nil)
            #expect(try await stage.store.messages.recent(after: nil, limit: 9).items.isEmpty)
        }
    }
}

/// Faults of the server, and older schemas.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct PostgresConversationTests {
    @Test(.slow, arguments: ["FOR NO KEY UPDATE", "INSERT INTO chat_sessions", "COMMIT"], [true, false])
    func `a write whose connection breaks happens once`(_ text: String, _ passesOn: Bool) async throws {
        let server = try #require(await PostgresServer.shared())
        let proxy = try CuttingProxy(to: server.port)
        defer { proxy.stop() }
        let stage = try await PostgresStage(through: proxy.port)
        let change = ConversationStoreTests.change { $0.title = "s" }
        if text != "INSERT INTO chat_sessions" { _ = try await stage.store.sessions.save("s", change) }
        try await stage.store.prepare()
        proxy.cut(at: .init(text, passesOn: passesOn))
        _ = try await stage.store.sessions.save("s", change)
        let message = try #require(try await stage.store.messages.add(to: "s", role: "user", content: "x"))
        #expect(proxy.cuts == 1)
        #expect(try await stage.store.messages.page(of: "s", after: nil, limit: 9)?.items == [message])
        #expect(try await stage.store.sessions.page(after: nil, limit: 9).items.count == 1)
    }

    @Test(.slow) func `a server that is away gives an outage, and the rows are there when it returns`() async throws {
        let server = try #require(await PostgresServer.start(["--set", "synchronous_commit = on"]))
        defer { server.stop() }
        let store = try PostgresStage.store(try await server.database()) {
            $0.pauses = .milliseconds(20)...(.milliseconds(100))
        }
        let saved = try await store.sessions.save("s", ConversationStoreTests.change { $0.title = "s" })
        try await server.command("stop")
        for _ in 0..<2 {
            await #expect { try await store.sessions.find("s") } throws: { ($0 as? PostgresError)?.isOutage == true }
            await #expect {
                try await store.messages.add(to: "s", role: "user", content: "x")
            } throws: {
                ($0 as? PostgresError)?.isOutage == true
            }
        }
        try await server.command("start")
        try await waitUntil { (try? await store.sessions.find("s")) == saved }
        #expect(try await store.messages.page(of: "s", after: nil, limit: 9)?.items.isEmpty == true)
    }

    @Test func `a database from before has the tables after the first use`() async throws {
        let server = try #require(await PostgresServer.shared())
        let store = try PostgresStage.store(try await server.database())
        defer { store.close() }
        let before = try #require(PostgresSchema.steps.firstIndex(of: PostgresSchema.conversations))
        try await store.pool.write { connection in
            try await connection.script(
                """
                CREATE EXTENSION IF NOT EXISTS vector;
                CREATE EXTENSION IF NOT EXISTS pg_trgm;
                CREATE SCHEMA selene;
                CREATE TABLE selene.meta (key text PRIMARY KEY, value text NOT NULL);
                """)
            for step in PostgresSchema.steps[..<before] { try await connection.script(step) }
            try await connection.script("INSERT INTO selene.meta VALUES ('schema', '\(before)'), ('identity', 'x')")
        }
        #expect(try await store.sessions.page(after: nil, limit: 1).items.isEmpty)
        #expect(try await store.identity() == "x")
    }
}
