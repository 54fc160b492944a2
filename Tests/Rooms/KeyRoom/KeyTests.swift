import Database
import Foundation
import GRDB
import GatewayAPI
import StoreTestSupport
import TestSupport
import Testing

@testable import KeyRoom
@testable import Storage

@Suite(.serialized) struct Keys {
    @Test(arguments: NotesPlace.allCases)
    func `keys are shown once, stored as hashes and revoked for good`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store
        let key = try await store.keys.create(name: "phone")
        #expect(key.secret.hasPrefix("slk_"))
        #expect(key.secret.utf8.count >= 4 + 43)
        if let path = stage.path {
            let bytes = try Data(contentsOf: URL(filePath: path))
            #expect(bytes.range(of: Data(key.secret.utf8)) == nil)
        }
        await #expect(throws: StorageError.self) { try await store.keys.create(name: "phone") }
        await #expect(throws: StorageError.self) { try await store.keys.create(name: " ") }
        try await store.keys.revoke("phone")
        await #expect(throws: StorageError.self) { try await store.keys.revoke("phone") }
        let second = try await store.keys.create(name: "phone")
        #expect(second.secret != key.secret)
        let all = try await store.keys.all()
        #expect(all.map { $0.revokedAt != nil } == [true, false])
        #expect(try await store.keys.find("phone").id == second.record.id)
        #expect(try await store.keys.find("1").revokedAt != nil)
        try await store.keys.revoke(String(second.record.id))
    }

    @Test func `hashes match only when every byte is the same`() throws {
        let hash = Array(KeyHashBytes.of("a"))
        let right = try #require(KeyHash(bytes: hash))
        #expect(right.matches(KeyHash(of: "a")))
        #expect(!right.matches(KeyHash(of: "b")))
        for index in hash.indices {
            var other = hash
            other[index] ^= 1
            #expect(!right.matches(try #require(KeyHash(bytes: other))))
        }
        #expect(KeyHash(bytes: Array(hash.dropLast())) == nil)
        #expect(KeyHash(bytes: []) == nil)
    }

    @Test(arguments: NotesPlace.allCases)
    func `what a key may do is stored, and edits change only what they name`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store
        let grant = KeyGrant(
            scopes: [.llm, .admin], models: ["llama3.2", "hf.co/a/b:Q4"], expiresAt: 4_102_444_800,
            requestsPerMinute: 60, tokensPerDay: 1000)
        let key = try await store.keys.create(name: "a", grant: grant)
        #expect(key.record.grant == grant)
        #expect(try await store.keys.all().map(\.grant) == [grant])
        let edited = try await store.keys.change("a") { $0.requestsPerMinute = 5 }
        var expected = grant
        expected.requestsPerMinute = 5
        #expect(edited.grant == expected)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    _ = try await store.keys.change("a") { $0.tokensPerDay = ($0.tokensPerDay ?? 0) + 1 }
                }
            }
            try await group.waitForAll()
        }
        expected.tokensPerDay = 1020
        #expect(try await store.keys.find("a").grant == expected)
        #expect(try await store.keys.create(name: "b").record.grant == KeyGrant())
        await #expect(throws: StorageError.self) { try await store.keys.change("c") { _ in } }
    }

    @Test(arguments: NotesPlace.allCases)
    func `a grant that makes no sense is not stored`(_ kind: NotesPlace) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store
        for grant in [
            KeyGrant(scopes: []), KeyGrant(scopes: [KeyScope(rawValue: "a b")]), KeyGrant(models: [""]),
            KeyGrant(models: ["a b"]), KeyGrant(models: ["a\n"]), KeyGrant(expiresAt: -1), KeyGrant(expiresAt: .max),
            KeyGrant(requestsPerMinute: 0), KeyGrant(requestsPerMinute: .max), KeyGrant(tokensPerDay: 0),
            KeyGrant(tokensPerDay: .max),
        ] {
            await #expect(throws: StorageError.self) { try await store.keys.create(name: "a", grant: grant) }
        }
        #expect(try await store.keys.all().isEmpty)
    }

    @Test func `a model without a tag is the latest, and no other name will do`() {
        let grant = KeyGrant(models: ["llama3.2", "gemma3:270m", "host:5000/a/b"])
        for model in [
            "llama3.2", "LLaMA3.2", "llama3.2:LATEST", "llama3.2:latest", "gemma3:270m", "host:5000/a/b:latest",
        ] {
            #expect(grant.allows(model: model))
        }
        for model in ["llama3.2:1b", "llama3", "llama3.2:", "gemma3", "", "host:5000/a/b:x"] {
            #expect(!grant.allows(model: model), "\(model)")
        }
        #expect(KeyGrant().allows(model: "anything"))
    }

    @Test func `keys that are older than scopes may do everything but administer`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.sqlite")
        let queue = try DatabaseQueue(path: path)
        try Migrations.migrator.migrate(queue, upTo: "gateway-5-passages")
        try await queue.write { database in
            try database.execute(
                sql: """
                    INSERT INTO gateway_keys (name, hash, prefix, created_at, last_used_at) VALUES
                    ('old', ?, 'slk_old', '2026-01-01 00:00:00', '2026-01-02 00:00:00');
                    """, arguments: [Data(KeyHashBytes.of("slk_old"))])
        }
        try queue.close()
        let key = try #require(try await GatewayDatabase(path: path).keys.all().first)
        #expect(key.name == "old")
        #expect(key.lastUsedAt == "2026-01-02 00:00:00")
        #expect(key.grant == KeyGrant(scopes: [.llm, .notesRead, .notesWrite]))
        #expect(try #require(KeyHash(bytes: key.hash)).matches(KeyHash(of: "slk_old")))
    }

    @Test(arguments: NotesPlace.allCases)
    func `a date of expiry that cannot be read has passed`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store
        _ = try await store.keys.create(name: "a")
        try await store.run("UPDATE gateway_keys SET expires_at = 'soon'")
        #expect(try await store.keys.find("a").grant.isExpired(at: 1))
    }

    @Test(arguments: NotesPlace.allCases)
    func `usage of two connections adds up, by key and day`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let (first, second) = (stage.store, stage.other)
        let key = try await first.keys.create(name: "a").record.id
        let today = UTCDay(unixSeconds: 1_000_000)
        let tomorrow = UTCDay(unixSeconds: today.end)
        let (place, next) = (KeyDay(key: key, day: today), KeyDay(key: key, day: tomorrow))
        let count = KeyUsage(requests: 2, refused: 1, promptTokens: 3, completionTokens: 4)
        #expect(
            try await first.keys.addUsage([place: count], lastUsed: [key: 1_000_000], sumsOf: today)
                .mapValues(\.tokens) == [key: 7])
        #expect(
            try await second.keys.addUsage([place: count, next: count], lastUsed: [key: 999_999], sumsOf: today)
                .mapValues(\.tokens) == [key: 14])
        #expect(try await first.keys.snapshot(of: tomorrow).spent.mapValues(\.tokens) == [key: 7])
        let usage = try await first.keys.usage(since: today)
        #expect(usage.map(\.place) == [next, place])
        #expect(
            usage.map(\.usage) == [
                count, KeyUsage(requests: 4, refused: 2, promptTokens: 6, completionTokens: 8),
            ])
        #expect(try await first.keys.all().first?.lastUsedAt == Timestamp.text(1_000_000))
    }

    @Test(arguments: NotesPlace.allCases)
    func `costs add up over a month, and what limits a key is stored`(_ kind: NotesPlace) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store.keys
        let grant = KeyGrant(
            requestsAtOnce: 2, budgetPerMonth: Money(billionths: 5_000_000_001), priority: .low)
        let key = try await store.create(name: "a", grant: grant).record
        #expect(try await stage.other.keys.find("a").grant == grant)
        func day(_ text: String) throws -> UTCDay { UTCDay(unixSeconds: try #require(Timestamp.unixSeconds(text))) }
        let days = try ["2026-10-31", "2026-11-01", "2026-11-30", "2026-12-01"].map(day)
        let usage = KeyUsage(requests: 1, promptTokens: 2, completionTokens: 3, cost: Money(billionths: 7))
        let sums = try await store.addUsage(
            Dictionary(uniqueKeysWithValues: days.map { (KeyDay(key: key.id, day: $0), usage) }), lastUsed: [:],
            sumsOf: days[2])
        #expect(sums[key.id]?.tokens == 5 && sums[key.id]?.cost == Money(billionths: 14))
        var snapshot = try await store.snapshot(of: days[2])
        #expect(snapshot.spent == sums)
        _ = try await store.addUsage([KeyDay(key: key.id, day: days[1]): usage], lastUsed: [:], sumsOf: days[1])
        snapshot = try await store.snapshot(of: days[2], last: snapshot)
        #expect(snapshot.spent[key.id]?.tokens == 5 && snapshot.spent[key.id]?.cost == Money(billionths: 21))
        #expect(try await store.usage(since: days[3]).map(\.usage) == [usage])
        let version = snapshot.version
        let changed = try await store.change("a") { ($0.priority, $0.budgetPerMonth) = (.high, nil) }
        #expect(changed.grant == KeyGrant(requestsAtOnce: 2, priority: .high))
        snapshot = try await store.snapshot(of: days[2], last: snapshot)
        #expect(snapshot.keys.first?.grant == changed.grant)
        #expect(kind == .file || version != snapshot.version)
        for wrong in [KeyGrant(requestsAtOnce: 0), KeyGrant(budgetPerMonth: .zero)] {
            await #expect { try await store.create(name: "b", grant: wrong) } throws: {
                ($0 as? StorageError)?.code == .invalid
            }
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `a key that one process makes, changes and revokes is so for another`(_ kind: NotesPlace) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let (first, second) = (stage.store.keys, stage.other.keys)
        let key = try await first.create(name: "phone", grant: KeyGrant(scopes: [.llm], tokensPerDay: 100))
        await #expect { try await second.create(name: "phone") } throws: {
            ($0 as? StorageError)?.code == .conflict
        }
        let day = UTCDay.today
        // Each look knows the one before, as those of a server do.
        var snapshot = try await second.snapshot(of: day)
        #expect(snapshot.keys == [key.record])
        _ = try await first.change("phone") { $0.models = ["m", "n"] }
        _ = try await first.addUsage(
            [KeyDay(key: key.record.id, day: day): KeyUsage(requests: 1, promptTokens: 5)], lastUsed: [:], sumsOf: day)
        let sums = try await second.addUsage(
            [KeyDay(key: key.record.id, day: day): KeyUsage(requests: 1, completionTokens: 6)],
            lastUsed: [key.record.id: 1_700_000_000], sumsOf: day)
        #expect(sums.mapValues(\.tokens) == [key.record.id: 11])
        snapshot = try await second.snapshot(of: day, last: snapshot)
        #expect(snapshot.keys.first?.grant.models == ["m", "n"])
        #expect(snapshot.spent.mapValues(\.tokens) == [key.record.id: 11])
        #expect(try await first.find("phone").lastUsedAt == "2023-11-14 22:13:20")
        #expect(try await first.usage(since: day).first?.usage.requests == 2)
        _ = try await stage.store.webSessions.open(
            secret: "s", owner: .key(key.record.id), userAgent: "x", now: 1_700_000_000)
        snapshot = try await second.snapshot(of: day, last: snapshot)
        #expect(snapshot.sessions.map(\.userAgent) == ["x"])
        let version = snapshot.version
        _ = try await first.addUsage(
            [KeyDay(key: key.record.id, day: day): KeyUsage(promptTokens: 1)], lastUsed: [:], sumsOf: day)
        snapshot = try await second.snapshot(of: day, last: snapshot)
        #expect(
            snapshot.spent.mapValues(\.tokens) == [key.record.id: 12] && snapshot.version == version
                && snapshot.keys.count == 1)
        try await second.revoke(String(key.record.id))
        #expect(try await first.snapshot(of: day, last: snapshot).keys.first?.revokedAt != nil)
        await #expect { try await first.revoke("phone") } throws: { ($0 as? StorageError)?.code == .notFound }
        #expect(try await first.create(name: "phone").record.id != key.record.id)
    }

    @Test(arguments: NotesPlace.allCases)
    func `credentials that move keep names and ids, and find a place among others`(_ kind: NotesPlace) async throws {
        guard let stage = try await StoreStage(kind), let source = try await StoreStage(.file) else { return }
        let grant = KeyGrant(scopes: [.notesRead], models: ["m"], expiresAt: 4_102_444_800)
        let maker = try await source.store.keys.create(name: "phone", grant: grant).record.id
        _ = try await source.store.keys.create(name: "child", grant: grant, parent: maker)
        let phone = try await source.store.keys.change("phone") {
            ($0.requestsPerMinute, $0.requestsAtOnce, $0.priority) = (9, 3, .high)
        }
        try await source.store.keys.revoke("child")
        let day = UTCDay.today
        _ = try await source.store.keys.addUsage(
            [
                KeyDay(key: phone.id, day: day): KeyUsage(
                    requests: 3, refused: 1, promptTokens: 7, cost: Money(billionths: 9))
            ],
            lastUsed: [phone.id: 1_700_000_000], sumsOf: day)
        _ = try await source.store.webSessions.open(secret: "s", owner: .key(phone.id), userAgent: "x", now: 5)
        let own = try await stage.store.keys.create(name: "phone").record
        for _ in 0..<2 {
            try await stage.store.keys.add(source.store.keys.credentials())
            let moved = try await stage.store.keys.all()
            #expect(moved.map(\.name) == ["phone", "child", "phone 2"] && moved[0] == own)
            #expect(moved[2].hash == phone.hash && moved[2].grant == phone.grant && moved[1].parent == moved[2].id)
            #expect(moved[1].revokedAt != nil && moved[2].lastUsedAt == "2023-11-14 22:13:20")
            #expect(try await stage.store.webSessions.all().map(\.owner) == [.key(moved[2].id)])
            let usage = try await stage.store.keys.usage(since: day)
            #expect(usage.map(\.place.key) == [moved[2].id])
            #expect(
                usage.map(\.usage) == [KeyUsage(requests: 3, refused: 1, promptTokens: 7, cost: Money(billionths: 9))])
        }
        #expect(try await stage.store.keys.create(name: "next").record.id == 4)
    }

    @Test func `days begin at midnight UTC`() {
        #expect(UTCDay(unixSeconds: 0).text == "1970-01-01")
        #expect(UTCDay(unixSeconds: 86_399).end == 86_400)
        #expect(UTCDay(unixSeconds: 86_400).text == "1970-01-02")
        #expect(UTCDay(unixSeconds: -1).text == "1969-12-31")
        #expect(UTCDay(unixSeconds: 1_798_761_600).text == "2027-01-01")
    }
}

/// SHA-256 as the table holds it.
private enum KeyHashBytes {
    static func of(_ secret: String) -> [UInt8] {
        // printf %s a | sha256sum, and the same of slk_old
        switch secret {
        case "a": hex("ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb")
        default: hex("f9b8293b5525ef58d476f5a66edb37b50f01d2e79acf68ed7ad0bb3f5240a167")
        }
    }

    private static func hex(_ text: String) -> [UInt8] {
        stride(from: 0, to: text.count, by: 2).compactMap { offset in
            UInt8(text.dropFirst(offset).prefix(2), radix: 16)
        }
    }
}
