import Foundation
import GatewayAPI
import Testing

@testable import Storage

@Suite struct Pairings {
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

    @Test func `an offer gives a key and a session once, until it expires`() async throws {
        let database = try TemporaryDatabase().open()
        let code = PairingCode()
        let grant = KeyGrant(scopes: [.llm], models: ["a", "b"], expiresAt: now + 1000, requestsPerMinute: 5)
        let end = try await database.pairings.offer(code, name: "phone", grant: grant, grantedBy: nil, now: now)
        #expect(end == now + 300)
        #expect(try await redeem(database, PairingCode(), nil, now) == nil)
        #expect(try await redeem(database, code, "poll", now) == nil)
        #expect(try await redeem(database, code, nil, end) == nil)
        #expect(try await database.pairings.request(code, now: now) == nil)
        let paired = try #require(try await redeem(database, code, nil, end - 1))
        #expect(paired.key.name == "phone" && paired.key.grant == grant)
        #expect(try await database.keys.find("phone").grant == grant)
        #expect(try await database.webSessions.all().map(\.owner) == [.key(paired.key.id)])
        #expect(try await redeem(database, code, nil, now) == nil)
    }

    @Test func `a name that is taken gets a number`() async throws {
        let database = try TemporaryDatabase().open()
        var names: [String] = []
        for _ in 0..<3 {
            let code = PairingCode()
            _ = try await database.pairings.offer(code, name: "phone", grant: KeyGrant(), grantedBy: nil, now: now)
            names.append(try #require(try await redeem(database, code, nil, now)).key.name)
        }
        #expect(names == ["phone", "phone 2", "phone 3"])
        await #expect(throws: StorageError.self) {
            _ = try await database.pairings.offer(PairingCode(), name: " ", grant: KeyGrant(), grantedBy: nil, now: now)
        }
        await #expect(throws: StorageError.self) {
            _ = try await database.pairings.offer(
                PairingCode(), name: "x", grant: KeyGrant(scopes: []), grantedBy: nil, now: now)
        }
    }

    @Test func `a request waits for approval, and only the device that made it gets the key`() async throws {
        let database = try TemporaryDatabase().open()
        let code = PairingCode()
        _ = try await database.pairings.request(
            code, poll: "poll", name: "tablet", userAgent: "Firefox", address: "10.8.0.9", now: now)
        #expect(try await database.pairings.isApproved(code, poll: "poll", now: now) == false)
        #expect(try await database.pairings.isApproved(code, poll: "other", now: now) == nil)
        #expect(try await redeem(database, code, "poll", now) == nil)
        let shown = try #require(try await database.pairings.request(code, now: now))
        #expect(shown.name == "tablet" && shown.address == "10.8.0.9" && shown.userAgent == "Firefox")
        #expect(try await database.pairings.approve(PairingCode(), grant: KeyGrant(), grantedBy: nil, now: now) == nil)
        #expect(try await database.pairings.approve(code, grant: KeyGrant(), grantedBy: nil, now: now) != nil)
        // Another approval cannot raise what was given.
        #expect(try await database.pairings.approve(code, grant: .everything, grantedBy: nil, now: now) == nil)
        #expect(try await database.pairings.isApproved(code, poll: "poll", now: now) == true)
        #expect(try await redeem(database, code, nil, now) == nil)
        #expect(try await redeem(database, code, "other", now) == nil)
        #expect(try await redeem(database, code, "poll", now)?.key.grant == KeyGrant())
    }

    @Test func `what a key offered ends with the key, or with its right to offer it`() async throws {
        let database = try TemporaryDatabase().open()
        let giver = try await database.keys.create(name: "giver").record.id
        for change in 0..<3 {
            let code = PairingCode()
            _ = try await database.pairings.offer(code, name: "x", grant: KeyGrant(), grantedBy: giver, now: now)
            switch change {
            case 0: #expect(try await redeem(database, code, nil, now) != nil)
            case 1:
                _ = try await database.keys.change("giver") { $0.scopes = [.llm] }
                #expect(try await redeem(database, code, nil, now) == nil)
                _ = try await database.keys.change("giver") { $0.scopes = KeyScope.ordinary }
            default:
                try await database.keys.revoke("giver")
                #expect(try await redeem(database, code, nil, now) == nil)
            }
        }
    }

    @Test func `few pairings wait at once, and requests do not take the places of offers`() async throws {
        let database = try TemporaryDatabase().open()
        func request(_ address: String, _ now: Int64) async throws {
            _ = try await database.pairings.request(
                PairingCode(), poll: "p", name: "x", userAgent: "", address: address, now: now)
        }
        for _ in 0..<PairingStore.maxPendingPerAddress { try await request("a", now) }
        await #expect(throws: StorageError.self) { try await request("a", now) }
        for number in PairingStore.maxPendingPerAddress..<PairingStore.maxPending {
            try await request("\(number)", now)
        }
        await #expect(throws: StorageError.self) { try await request("b", now) }
        _ = try await database.pairings.offer(PairingCode(), name: "x", grant: KeyGrant(), grantedBy: nil, now: now)
        try await request("a", now + PairingStore.lifetime)
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
        _ database: GatewayDatabase, _ code: PairingCode, _ poll: String?, _ now: Int64
    ) async throws -> (key: KeyRecord, session: WebSessionRecord)? {
        try await database.pairings.redeem(
            code, poll: poll, session: UUID().uuidString, userAgent: "Firefox", now: now)
    }
}
