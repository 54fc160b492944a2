import Database
import Foundation
import GatewayAPI
import StoreTestSupport
import TestSupport
import Testing

@testable import KeyRoom
@testable import Storage

@Suite(.serialized) struct Pairings {
    let now: Int64 = 1_800_000_000

    @Test func `codes are typed in any case and grouping, and are random`() throws {
        let code = PairingCode()
        #expect(code.text.utf8.count == 8 && code.text.utf8.allSatisfy(PairingCode.letters.contains))
        #expect(PairingCode(code.grouped.lowercased()) == code)
        #expect(PairingCode(" " + code.text.lowercased() + " ") == code)
        for wrong in [
            "", "BCDFGHJ", "BCDFGHJKL", "ABCDEFGH", "BCDFGHJ1", "ＢCDFGHJK", String(repeating: "B", count: 9000),
        ] {
            #expect(PairingCode(wrong) == nil, "\(wrong.prefix(20))")
        }
        #expect(Set((0..<1000).map { _ in PairingCode() }).count == 1000)
    }

    @Test(arguments: NotesPlace.allCases)
    func `an offer gives a key and a session once, until it expires`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store
        let code = PairingCode()
        let grant = KeyGrant(scopes: [.llm], models: ["a", "b"], expiresAt: now + 1000, requestsPerMinute: 5)
        let end = try await store.pairings.offer(code, name: "phone", grant: grant, grantedBy: nil, now: now)
        #expect(end == now + 300)
        #expect(try await redeem(store, PairingCode(), nil, now) == nil)
        #expect(try await redeem(store, code, "poll", now) == nil)
        #expect(try await redeem(store, code, nil, end) == nil)
        #expect(try await store.pairings.request(code, now: now) == nil)
        let paired = try #require(try await redeem(store, code, nil, end - 1))
        #expect(paired.key.name == "phone" && paired.key.grant == grant)
        #expect(try await store.keys.find("phone").grant == grant)
        #expect(try await store.webSessions.all().map(\.owner) == [.key(paired.key.id)])
        #expect(try await redeem(store, code, nil, now) == nil)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a name that is taken gets a number`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store
        var names: [String] = []
        for _ in 0..<3 {
            let code = PairingCode()
            _ = try await store.pairings.offer(code, name: "phone", grant: KeyGrant(), grantedBy: nil, now: now)
            names.append(try #require(try await redeem(store, code, nil, now)).key.name)
        }
        #expect(names == ["phone", "phone 2", "phone 3"])
        await #expect(throws: StorageError.self) {
            _ = try await store.pairings.offer(PairingCode(), name: " ", grant: KeyGrant(), grantedBy: nil, now: now)
        }
        await #expect(throws: StorageError.self) {
            _ = try await store.pairings.offer(
                PairingCode(), name: "x", grant: KeyGrant(scopes: []), grantedBy: nil, now: now)
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `a request waits for approval, and only the device that made it gets the key`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store
        let code = PairingCode()
        _ = try await store.pairings.request(
            code, poll: "poll", name: "tablet", userAgent: "Firefox", address: "10.8.0.9", now: now)
        #expect(try await store.pairings.isApproved(code, poll: "poll", now: now) == false)
        #expect(try await store.pairings.isApproved(code, poll: "other", now: now) == nil)
        #expect(try await redeem(store, code, "poll", now) == nil)
        let shown = try #require(try await store.pairings.request(code, now: now))
        #expect(shown.name == "tablet" && shown.address == "10.8.0.9" && shown.userAgent == "Firefox")
        #expect(try await store.pairings.approve(PairingCode(), grant: KeyGrant(), grantedBy: nil, now: now) == nil)
        #expect(try await store.pairings.approve(code, grant: KeyGrant(), grantedBy: nil, now: now) != nil)
        // Another approval cannot raise what was given.
        #expect(try await store.pairings.approve(code, grant: .everything, grantedBy: nil, now: now) == nil)
        #expect(try await store.pairings.isApproved(code, poll: "poll", now: now) == true)
        #expect(try await redeem(store, code, nil, now) == nil)
        #expect(try await redeem(store, code, "other", now) == nil)
        #expect(try await redeem(store, code, "poll", now)?.key.grant == KeyGrant())
    }

    @Test(arguments: NotesPlace.allCases)
    func `what a key offered ends with the key, or with its right to offer it`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store
        let giver = try await store.keys.create(name: "giver").record.id
        for change in 0..<3 {
            let code = PairingCode()
            _ = try await store.pairings.offer(code, name: "x", grant: KeyGrant(), grantedBy: giver, now: now)
            switch change {
            case 0: #expect(try await redeem(store, code, nil, now) != nil)
            case 1:
                _ = try await store.keys.change("giver") { $0.scopes = [.llm] }
                #expect(try await redeem(store, code, nil, now) == nil)
                _ = try await store.keys.change("giver") { $0.scopes = KeyScope.ordinary }
            default:
                try await store.keys.revoke("giver")
                #expect(try await redeem(store, code, nil, now) == nil)
            }
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `few pairings wait at once, and requests do not take the places of offers`(
        _ kind: NotesPlace
    ) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let store = stage.store
        func request(_ address: String, _ now: Int64) async throws {
            _ = try await store.pairings.request(
                PairingCode(), poll: "p", name: "x", userAgent: "", address: address, now: now)
        }
        for _ in 0..<PairingRoom.maxPendingPerAddress { try await request("a", now) }
        await #expect(throws: StorageError.self) { try await request("a", now) }
        for number in PairingRoom.maxPendingPerAddress..<PairingRoom.maxPending {
            try await request("\(number)", now)
        }
        await #expect(throws: StorageError.self) { try await request("b", now) }
        _ = try await store.pairings.offer(PairingCode(), name: "x", grant: KeyGrant(), grantedBy: nil, now: now)
        try await request("a", now + PairingRoom.lifetime)
    }

    @Test(arguments: NotesPlace.allCases)
    func `a code is redeemed once, whichever processes try`(_ kind: NotesPlace) async throws {
        guard let stage = try await StoreStage(kind) else { return }
        let stores = [stage.store, stage.other, stage.store]
        let code = PairingCode()
        _ = try await stage.store.pairings.request(
            code, poll: "p", name: "tablet", userAgent: "x", address: "192.0.2.1", now: 10)
        #expect(
            try await stage.other.pairings.approve(code, grant: KeyGrant(), grantedBy: nil, now: 12)?.name == "tablet")
        #expect(try await stage.store.pairings.isApproved(code, poll: "p", now: 13) == true)
        let redeemed = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, store) in stores.enumerated() {
                group.addTask {
                    let made = try await store.pairings.redeem(
                        code, poll: "p", session: "s\(number)", userAgent: "x", now: 14)
                    if made != nil { redeemed.change { $0 += 1 } }
                }
            }
            try await group.waitForAll()
        }
        #expect(redeemed.value == 1)
        #expect(try await stage.other.keys.all().map(\.name) == ["tablet"])
        #expect(try await stage.other.webSessions.all().count == 1)
        let offer = PairingCode()
        _ = try await stage.store.pairings.offer(offer, name: "tablet", grant: KeyGrant(), grantedBy: 999, now: 20)
        // The key that offered does not exist.
        #expect(try await stage.other.pairings.redeem(offer, poll: nil, session: "z", userAgent: "x", now: 21) == nil)
    }

    @Test func `a key gives no more than it has`() {
        let own = KeyGrant(scopes: [.llm, .notesRead], models: ["a", "b"], expiresAt: 100)
        var good = own
        #expect(own.mayGive(good))
        good = KeyGrant(scopes: [.llm], models: ["a"], expiresAt: 50)
        #expect(own.mayGive(good))
        for (name, bad) in [
            ("scope", KeyGrant(scopes: [.admin], models: ["a"], expiresAt: 50)),
            ("models", KeyGrant(scopes: [.llm], models: [], expiresAt: 50)),
            ("model", KeyGrant(scopes: [.llm], models: ["c"], expiresAt: 50)),
            ("time", KeyGrant(scopes: [.llm], models: ["a"], expiresAt: 101)),
            ("no end", KeyGrant(scopes: [.llm], models: ["a"])),
        ] { #expect(!own.mayGive(bad), "\(name)") }
        #expect(!KeyGrant(requestsPerMinute: 5).mayGive(KeyGrant(scopes: [.llm])))
        #expect(!KeyGrant(tokensPerDay: 5).mayGive(KeyGrant(scopes: [.llm], tokensPerDay: 5)))
        #expect(KeyGrant(scopes: [.admin]).mayGive(.everything))
        #expect(!KeyGrant(scopes: [.admin], expiresAt: 5).mayGive(.everything))
    }

    private func redeem(
        _ store: any SQLStore, _ code: PairingCode, _ poll: String?, _ now: Int64
    ) async throws -> (key: KeyRecord, session: WebSessionRecord)? {
        try await store.pairings.redeem(
            code, poll: poll, session: UUID().uuidString, userAgent: "Firefox", now: now)
    }
}
