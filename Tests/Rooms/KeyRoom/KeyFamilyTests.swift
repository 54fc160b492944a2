import Database
import Foundation
import GatewayAPI
import PushRoom
import StoreTestSupport
import TestSupport
import Testing

@testable import KeyRoom
@testable import Storage

/// Keys that keys made by pairing.
@Suite(.serialized) struct KeyFamilyTests {
    let now: Int64 = 1_800_000_000

    /// Lets a key pair a device.
    private func pair(
        _ store: any SQLStore, _ giver: Int64, _ name: String, _ grant: KeyGrant = KeyGrant()
    ) async throws -> KeyRecord? {
        let code = PairingCode()
        _ = try await store.pairings.offer(code, name: name, grant: grant, grantedBy: giver, now: now)
        return try await store.pairings.redeem(
            code, poll: nil, session: UUID().uuidString, userAgent: "", now: now)?.key
    }

    @Test(arguments: NotesPlace.allCases)
    func `revoking a key revokes the keys that it made, and those that they made`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store
        let root = try await store.keys.create(name: "root").record
        let child = try #require(try await pair(store, root.id, "child"))
        let grandchild = try #require(try await pair(store, child.id, "grandchild"))
        let other = try await store.keys.create(name: "other").record
        #expect(child.parent == root.id && grandchild.parent == child.id && other.parent == nil)
        #expect(try await store.keys.revoke("root") == ["child", "grandchild"])
        #expect(try await store.keys.all().filter { $0.revokedAt == nil }.map(\.name) == ["other"])
        #expect(try await pair(store, root.id, "late") == nil)
    }

    @Test(arguments: NotesPlace.allCases)
    func `keys that an administrator gave to others fill their own shares, not the administrator's`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store
        let admin = try await store.keys.create(name: "admin", grant: .everything).record.id
        let guest = try await store.keys.create(name: "guest", parent: admin).record.id
        let phone = try #require(try await pair(store, guest, "phone")).id
        let families = KeyFamilies(try await store.keys.all())
        #expect(families.sharing(with: admin) == [admin])
        #expect(families.sharing(with: guest) == [guest, phone] && families.sharing(with: phone) == [guest, phone])
        for number in 1..<KeyFamilies.maxChildren { _ = try await pair(store, guest, "phone \(number)") }
        await #expect(throws: StorageError.self) { _ = try await pair(store, guest, "one more") }
        #expect(try await pair(store, admin, "own phone") != nil)
        let owners = PushOwners(KeyFamilies(try await store.keys.all()))
        #expect(owners.sharing(with: admin) != owners.sharing(with: guest))
    }

    @Test func `a key has at most what its makers have now`() throws {
        func record(_ id: Int64, _ parent: Int64?, _ grant: KeyGrant, revoked: String? = nil) -> KeyRecord {
            KeyRecord(
                id: id, name: "\(id)", hash: [], prefix: "", grant: grant, createdAt: "", revokedAt: revoked,
                parent: parent)
        }
        let wide = KeyGrant(scopes: [.llm, .notesRead, .pushSend(topic: "sea")], models: ["a", "B:latest"])
        var maker = KeyGrant(
            scopes: [.llm, .pushSend], models: ["A", "b"], expiresAt: 50, requestsPerMinute: 5, tokensPerDay: 7)
        var shown = KeyFamilies([record(1, nil, maker), record(2, 1, wide)]).effective(record(2, 1, wide)).grant
        #expect(shown.scopes == [.llm, .pushSend(topic: "sea")] && shown.models == ["a", "B:latest"])
        #expect(shown.expiresAt == 50 && shown.requestsPerMinute == 5 && shown.tokensPerDay == 7)
        maker.models = ["c"]
        shown = KeyFamilies([record(1, nil, maker), record(2, 1, wide)]).effective(record(2, 1, wide)).grant
        #expect(!shown.allows(model: "a") && !shown.allows(model: "c") && !shown.allows(model: "anything"))
        // One that may administer gives what it does not have itself.
        maker = KeyGrant(scopes: [.admin])
        let families = KeyFamilies([record(1, nil, maker), record(2, 1, wide), record(3, 2, KeyGrant.everything)])
        #expect(families.effective(record(2, 1, wide)).grant == wide)
        #expect(families.effective(record(3, 2, .everything)).grant.scopes == [.llm, .notesRead])
        #expect(families.root(of: 3) == 2 && families.root(of: 2) == 2 && families.root(of: 1) == 1)
        // A revoked or missing maker, and rows in a circle, end the key.
        for rows in [
            [record(1, nil, maker, revoked: "x"), record(2, 1, wide)], [record(2, 9, wide)],
            [record(1, 2, maker), record(2, 1, wide)],
        ] {
            #expect(KeyFamilies(rows).effective(record(2, rows.last?.parent, wide)).revokedAt != nil)
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `a key and the keys it made pair at most 20 devices that may come in`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store
        let root = try await store.keys.create(name: "root").record
        let first = try #require(try await pair(store, root.id, "device"))
        for _ in 1..<KeyFamilies.maxChildren { _ = try await pair(store, first.id, "device") }
        for giver in [root.id, first.id] {
            await #expect { try await pair(store, giver, "one more") } throws: {
                ($0 as? StorageError)?.code == .conflict
            }
        }
        // Others are not concerned, and neither is it when one device was revoked.
        let other = try await store.keys.create(name: "other").record
        #expect(try await pair(store, other.id, "theirs") != nil)
        try await store.keys.revoke("device 20")
        #expect(try await pair(store, root.id, "one more") != nil)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a change that the maker's rights make void is refused`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store
        let root = try await store.keys.create(name: "root", grant: KeyGrant(scopes: [.llm])).record
        _ = try #require(try await pair(store, root.id, "child", KeyGrant(scopes: [.llm])))
        await #expect {
            _ = try await store.keys.change("child") { $0.scopes = [.llm, .admin] }
        } throws: {
            ($0 as? StorageError)?.message.contains("\"root\"") == true
        }
        #expect(try await store.keys.change("child") { $0.requestsPerMinute = 3 }.grant.requestsPerMinute == 3)
        await #expect {
            _ = try await store.keys.create(name: "more", grant: .everything, parent: root.id)
        } throws: {
            ($0 as? StorageError)?.code == .conflict
        }
    }

    @Test func `sessions of one family end those of the family, not of others`() {
        func record(_ id: Int64, _ parent: Int64?) -> KeyRecord {
            KeyRecord(id: id, name: "", hash: [], prefix: "", grant: KeyGrant(), createdAt: "", parent: parent)
        }
        let families = KeyFamilies(
            [record(1, nil)] + (2...21).map { record($0, 1) } + (100...130).map { record($0, nil) })
        // The owner's own session is the oldest of all.
        var sessions: [(id: Int64, key: Int64?, lastUsedAt: Int64)] = [(1, 100, 0)]
        for number in 0..<400 { sessions.append((10 + Int64(number), 1 + Int64(number % 21), 10 + Int64(number))) }
        let ended = Set(families.surplus(sessions))
        #expect(sessions.count - ended.count == WebSessionRoom.maxSessionsPerRoot + 1 && !ended.contains(1))
        // With too many in all, the family with the most loses.
        var many = sessions.filter { !ended.contains($0.id) }
        for number in 0..<(WebSessionRoom.maxSessions - many.count + 1) {
            many.append((10_000 + Int64(number), 2_000 + Int64(number / 10), 5))
        }
        #expect(families.surplus(many).count == 1 && !families.surplus(many).contains(1))
        #expect(families.surplus(many).allSatisfy { $0 < 10_000 })
    }
}
