import Foundation
import GatewayAPI
import Storage
import TestSupport
import Testing

@testable import PostgresStorage

/// Keys, sessions and pairings that gateways share.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct PostgresKeyTests {
    /// A file that uses the store's keys, as a gateway does.
    private func gateway(_ uri: String, _ folder: TemporaryFolder, _ name: String) throws -> GatewayDatabase {
        let database = try GatewayDatabase(path: folder.path(name))
        database.share(try PostgresStage.store(uri).shared)
        return database
    }

    @Test func `a key that one gateway makes, changes and revokes is so for another`() async throws {
        let (stage, folder) = (try await PostgresStage(), try TemporaryFolder())
        let (first, second) = (try gateway(stage.uri, folder, "a"), try gateway(stage.uri, folder, "b"))
        let key = try await first.keys.create(name: "phone", grant: KeyGrant(scopes: [.llm], tokensPerDay: 100))
        await #expect { try await second.keys.create(name: "phone") } throws: {
            ($0 as? StorageError)?.code == .conflict
        }
        let day = UTCDay.today
        var snapshot = try await second.keys.snapshot(of: day)
        #expect(snapshot.keys == [key.record])
        _ = try await first.keys.change("phone") { $0.models = ["m", "n"] }
        _ = try await first.keys.addUsage(
            [KeyDay(key: key.record.id, day: day): KeyUsage(requests: 1, promptTokens: 5)], lastUsed: [:], sumsOf: day)
        let sums = try await second.keys.addUsage(
            [KeyDay(key: key.record.id, day: day): KeyUsage(requests: 1, completionTokens: 6)],
            lastUsed: [key.record.id: 1_700_000_000], sumsOf: day)
        #expect(sums == [key.record.id: 11])
        snapshot = try await second.keys.snapshot(of: day)
        #expect(snapshot.keys.first?.grant.models == ["m", "n"])
        #expect(snapshot.tokens == [key.record.id: 11])
        #expect(try await first.keys.find("phone").lastUsedAt == "2023-11-14 22:13:20")
        #expect(try await first.keys.usage(since: day).first?.usage.requests == 2)
        try await second.keys.revoke(String(key.record.id))
        #expect(try await first.keys.snapshot(of: day).keys.first?.revokedAt != nil)
        await #expect { try await first.keys.revoke("phone") } throws: { ($0 as? StorageError)?.code == .notFound }
        #expect(try await first.keys.create(name: "phone").record.id != key.record.id)
        // The files' own tables stay empty.
        #expect(try await first.ownCredentials.read().keys.isEmpty)
    }

    @Test func `keys that a key made end with it, and are limited`() async throws {
        let (stage, folder) = (try await PostgresStage(), try TemporaryFolder())
        let (first, second) = (try gateway(stage.uri, folder, "a"), try gateway(stage.uri, folder, "b"))
        let root = try await first.keys.create(name: "root").record
        let now: Int64 = 1_800_000_000
        func pair(_ name: String) async throws -> KeyRecord? {
            let code = PairingCode()
            _ = try await first.pairings.offer(code, name: name, grant: KeyGrant(), grantedBy: root.id, now: now)
            return try await second.pairings.redeem(code, poll: nil, session: name, userAgent: "", now: now)?.key
        }
        for number in 1...KeyFamilies.maxChildren {
            #expect(try await pair("device \(number)")?.parent == root.id)
        }
        await #expect { _ = try await pair("one more") } throws: { ($0 as? StorageError)?.code == .conflict }
        await #expect {
            _ = try await second.keys.change("device 1") { $0.scopes = [.admin] }
        } throws: {
            ($0 as? StorageError)?.code == .invalid
        }
        #expect(try await second.keys.revoke("root").count == KeyFamilies.maxChildren)
        #expect(try await first.keys.all().allSatisfy { $0.revokedAt != nil })
    }

    @Test(.slow) func `sessions are shared, bounded, and end with their key`() async throws {
        let (stage, folder) = (try await PostgresStage(), try TemporaryFolder())
        let (first, second) = (try gateway(stage.uri, folder, "a"), try gateway(stage.uri, folder, "b"))
        let key = try await first.keys.create(name: "k").record.id
        for number in 0...WebSessionStore.maxSessionsPerKey {
            _ = try await first.webSessions.open(
                secret: "s\(number)", owner: .key(key), userAgent: "x", now: 100 + Int64(number))
        }
        let binding = [UInt8](repeating: 7, count: 32)
        _ = try await second.webSessions.open(secret: "t", owner: .token(binding: binding), userAgent: "y", now: 50)
        var sessions = try await second.webSessions.all()
        #expect(sessions.count == WebSessionStore.maxSessionsPerKey + 1)
        #expect(!sessions.contains { $0.hash == WebSessionRecord.hash(of: "s0") })
        #expect(sessions.last?.owner == .token(binding: binding))
        try await second.webSessions.recordUse([sessions[0].id: 900])
        _ = try await first.webSessions.open(
            secret: "new", owner: .key(key), userAgent: "x", replacing: "s3", now: 999)
        sessions = try await first.webSessions.all()
        #expect(!sessions.contains { $0.hash == WebSessionRecord.hash(of: "s3") })
        #expect(sessions[0].lastUsedAt == 900)
        try await first.webSessions.end(secret: "s4")
        #expect(try await second.webSessions.end(id: sessions[0].id))
        #expect(try await !first.webSessions.end(id: sessions[0].id))
        try await first.keys.revoke("k")
        try await second.webSessions.prune(now: 1000)
        #expect(try await first.webSessions.all().map(\.userAgent) == ["y"])
    }

    @Test(.slow) func `a code is redeemed once, whichever gateways try`() async throws {
        let (stage, folder) = (try await PostgresStage(), try TemporaryFolder())
        let databases = try ["a", "b", "c"].map { try gateway(stage.uri, folder, $0) }
        let code = PairingCode()
        _ = try await databases[0].pairings.request(
            code, poll: "p", name: "tablet", userAgent: "x", address: "192.0.2.1", now: 10)
        #expect(try await databases[1].pairings.isApproved(code, poll: "p", now: 11) == false)
        #expect(try await databases[1].pairings.isApproved(code, poll: "other", now: 11) == nil)
        #expect(
            try await databases[1].pairings.redeem(code, poll: "p", session: "s", userAgent: "x", now: 11) == nil)
        let approved = try await databases[2].pairings.approve(code, grant: KeyGrant(), grantedBy: nil, now: 12)
        #expect(approved?.name == "tablet")
        #expect(try await databases[0].pairings.isApproved(code, poll: "p", now: 13) == true)
        let redeemed = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, database) in databases.enumerated() {
                group.addTask {
                    let made = try await database.pairings.redeem(
                        code, poll: "p", session: "s\(number)", userAgent: "x", now: 14)
                    if made != nil { redeemed.change { $0 += 1 } }
                }
            }
            try await group.waitForAll()
        }
        #expect(redeemed.value == 1)
        #expect(try await databases[1].keys.all().map(\.name) == ["tablet"])
        #expect(try await databases[1].webSessions.all().count == 1)
        let offer = PairingCode()
        _ = try await databases[0].pairings.offer(offer, name: "tablet", grant: KeyGrant(), grantedBy: 999, now: 20)
        // The key that offered does not exist.
        #expect(
            try await databases[1].pairings.redeem(offer, poll: nil, session: "z", userAgent: "x", now: 21) == nil)
    }

    @Test(.slow) func `a change of keys is announced to followers, also after a restart of the server`() async throws {
        let server = try #require(await PostgresServer.start())
        defer { server.stop() }
        let uri = try await server.database()
        let store = try PostgresStage.store(uri)
        let heard = Locked<[String]>([])
        let following = Task {
            await store.follow { subject in heard.change { $0.append(subject) } }
        }
        try await waitUntil { heard.value.count >= 3 }
        heard.change { $0 = [] }
        let other = try PostgresStage.store(uri)
        _ = try await PostgresCredentials(other).createKey(
            name: "k", secret: "slk_1", grant: KeyGrant(), parent: nil, now: 1_700_000_000)
        try await waitUntil { heard.value.contains("keys") }
        heard.change { $0 = [] }
        try await server.command("restart")
        try await waitUntil { heard.value.contains("keys") }
        following.cancel()
        await following.value
    }
}
