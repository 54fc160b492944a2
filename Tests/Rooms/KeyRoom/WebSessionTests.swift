import Database
import Foundation
import GRDB
import StoreTestSupport
import TestSupport
import Testing

@testable import KeyRoom
@testable import Storage

@Suite(.serialized) struct WebSessionTable {
    let now: Int64 = 1_800_000_000

    @Test(arguments: NotesPlace.allCases)
    func `a session is stored as a hash, found again, used and ended`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store
        let key = try await store.keys.create(name: "phone").record.id
        let opened = try await store.webSessions.open(
            secret: "slw_secret", owner: .key(key),
            userAgent: "Firefox\u{0} on\n Linux" + String(repeating: "ä", count: 500),
            now: now)
        #expect(opened.userAgent.utf8.count <= 200 && opened.userAgent.hasPrefix("Firefox on Linuxä"))
        #expect(try await store.webSessions.all() == [opened])
        #expect(opened.hash == WebSessionRecord.hash(of: "slw_secret"))
        if let path = stage.path {
            let bytes = try Data(contentsOf: URL(filePath: path)) + Data(contentsOf: URL(filePath: path + "-wal"))
            #expect(bytes.range(of: Data("slw_secret".utf8)) == nil)
        }
        try await store.webSessions.recordUse([opened.id: now + 100, 99: now])
        let used = try #require(try await store.webSessions.all().first)
        #expect(used.lastUsedAt == now + 100 && used.expiresAt == now + 100 + WebSessionRoom.lifetime)
        try await store.webSessions.recordUse([opened.id: now + 50])
        #expect(try await store.webSessions.all() == [used])
        let second = try await store.webSessions.open(
            secret: "slw_second", owner: .token(binding: Array(repeating: 7, count: 32)), userAgent: "",
            replacing: "slw_secret", now: now)
        #expect(try await store.webSessions.all() == [second])
        try await store.webSessions.end(secret: "slw_secret")
        #expect(try await !store.webSessions.end(id: opened.id))
        #expect(try await store.webSessions.end(id: second.id))
        #expect(try await store.webSessions.all().isEmpty)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a key has a bounded number of sessions, and the one unused for longest goes`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store
        for number in 0..<WebSessionRoom.maxSessionsPerKey + 5 {
            for key: Int64 in [1, 2] {
                _ = try await store.webSessions.open(
                    secret: "s\(key)-\(number)", owner: .key(key), userAgent: "\(number)", now: now + Int64(number))
            }
            // The first one is in use all the time.
            let first = try await store.webSessions.all().first { $0.owner == .key(1) }
            try await store.webSessions.recordUse([try #require(first).id: now + 1000])
        }
        let all = try await store.webSessions.all()
        #expect(all.count == 2 * WebSessionRoom.maxSessionsPerKey)
        #expect(all.contains { $0.owner == .key(1) && $0.userAgent == "0" })
        #expect(!all.contains { $0.owner == .key(1) && $0.userAgent == "1" })
        #expect(!all.contains { $0.owner == .key(2) && $0.userAgent == "0" })
    }

    @Test(arguments: NotesPlace.allCases)
    func `expired sessions and those of revoked keys are deleted`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store
        let live = try await store.keys.create(name: "live").record.id
        let dead = try await store.keys.create(name: "dead").record.id
        for (secret, owner, at) in [
            ("a", WebSessionRecord.Owner.key(live), now), ("b", .key(dead), now),
            ("c", .key(live), now - WebSessionRoom.lifetime),
            ("d", .token(binding: Array(repeating: 1, count: 32)), now),
        ] {
            _ = try await store.webSessions.open(secret: secret, owner: owner, userAgent: secret, now: at)
        }
        try await store.keys.revoke("dead")
        try await store.webSessions.prune(now: now)
        #expect(try await store.webSessions.all().map(\.userAgent) == ["a", "d"])
    }

    @Test func `rows that another program damaged are skipped`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")
        let database = try GatewayDatabase(path: path)
        let other = try DatabaseQueue(path: path)
        try await other.write { database in
            try database.execute(
                sql: """
                    INSERT INTO gateway_web_sessions (hash, key_id, token_binding, user_agent, created_at, last_used_at, expires_at)
                    VALUES (x'01', NULL, NULL, '', 1, 1, 1), (x'02', NULL, x'0102', x'ff', 1, 1, 1), ('x', 1, NULL, '', 1, 1, 1)
                    """)
        }
        #expect(try await database.webSessions.all().map(\.userAgent) == [""])
    }
}
