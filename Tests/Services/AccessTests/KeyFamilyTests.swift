import GatewayAPI
import KeyRoom
import Server
import Storage
import TestSupport
import Testing

@testable import Access

/// What a key that another key made may do.
@Suite struct KeysThatKeysMade {
    /// Makes a key in the name of another one.
    private func identity(
        _ setting: KeyRingOnStillClock, _ name: String, _ grant: KeyGrant = KeyGrant(), parent: Int64? = nil
    ) async throws -> Identity {
        let key = try await setting.database.keys.create(name: name, grant: grant, parent: parent)
        var identity: Identity?
        // On a busy machine the ring may answer from its copy.
        try await waitUntil {
            if case .known(let found) = try await setting.ring.find(bearer: key.secret) { identity = found }
            return identity?.keyID == key.record.id
        }
        return try #require(identity)
    }

    @Test func `shares are counted at the root`() async throws {
        try await KeyRingOnStillClock.with { setting in
            let root = try await identity(setting, "root")
            let child = try await identity(setting, "child", parent: root.keyID)
            let grandchild = try await identity(setting, "grandchild", parent: child.keyID)
            #expect(Set([root, child, grandchild].map(\.admissionName)).count == 1)
            #expect(grandchild.rootKey == root.keyID && grandchild.keyID != root.keyID)
            let id = try #require(grandchild.keyID)
            #expect(try await setting.ring.rootKey(of: id) == root.keyID)
            // Those to whom an administrator gives keys are people of their own.
            let admin = try await identity(setting, "admin", .everything)
            let guest = try await identity(setting, "guest", parent: admin.keyID)
            #expect(guest.admissionName != admin.admissionName)
        }
    }

    @Test func `requests and tokens count for the key that made one, too`() async throws {
        try await KeyRingOnStillClock.with { setting in
            let root = try await identity(setting, "root")
            let rootID = try #require(root.keyID)
            var child = try await identity(setting, "child", parent: rootID)
            let childID = try #require(child.keyID)
            _ = try await setting.database.keys.change("root") { ($0.requestsPerMinute, $0.tokensPerDay) = (3, 100) }
            try await waitUntil {
                guard let now = try await setting.ring.identity(ofKey: childID) else { return false }
                child = now
                return now.grant.tokensPerDay == 100
            }
            let limited = try #require(try await setting.ring.identity(ofKey: rootID))
            #expect(setting.refusal(child) == nil && setting.refusal(limited) == nil && setting.refusal(child) == nil)
            #expect(setting.refusal(limited)?.code == .rateLimited && setting.refusal(child)?.code == .rateLimited)
            setting.clock.advance(seconds: 60)
            setting.ring.recordTokens(child, of: nil, prompt: 60, completion: 0)
            setting.ring.recordTokens(limited, of: nil, prompt: 0, completion: 39)
            #expect(!setting.ring.isSpent(child) && !setting.ring.isSpent(limited))
            setting.ring.recordTokens(child, of: nil, prompt: 1, completion: 0)
            #expect(setting.ring.isSpent(child) && setting.ring.isSpent(limited))
        }
    }

    @Test func `a key is good no longer when one that made it ends, expires or is narrowed`() async throws {
        try await KeyRingOnStillClock.with { setting in
            let (keys, ring) = (setting.database.keys, setting.ring)
            let root = try await identity(setting, "root")
            let child = try await identity(setting, "child", parent: root.keyID)
            #expect(try await ring.question(of: child, for: .notesRead)())
            _ = try await keys.change("root") { $0.scopes = [.llm] }
            try await waitUntil { try await !ring.question(of: child, for: .notesRead)() }
            #expect(try await ring.question(of: child, for: .llm)())
            let end = setting.clock.keyClock.unixSeconds() + 10
            _ = try await keys.change("root") { ($0.scopes, $0.expiresAt) = (KeyScope.ordinary, end) }
            try await waitUntil { try await ring.question(of: child, for: .notesRead)() }
            setting.clock.advance(seconds: 10)
            #expect(try await !ring.question(of: child, for: .notesRead)())
            _ = try await keys.change("root") { $0.expiresAt = nil }
            try await waitUntil { try await ring.question(of: child, for: .notesRead)() }
            try await keys.revoke("root")
            try await waitUntil { try await !ring.question(of: child, for: .llm)() }
        }
    }

    @Test func `wrong pairing codes of one address do not stop another, and all together are limited`() async throws {
        let clock = StillClock()
        let tries = PairingTries(clock: clock.keyClock)
        func refused(_ address: ClientAddress) -> Bool {
            do throws(AccessRefusal) {
                try tries.take(address)
                return false
            } catch {
                return true
            }
        }
        let stranger = ClientAddress(v4: 0x0A00_0001)
        #expect((0..<20).count { _ in !refused(stranger) } == PairingTries.perMinute)
        #expect(!refused(.loopback))
        tries.giveBack(.loopback)
        let passed = (0..<2000).count { !refused(ClientAddress(v4: 0x0B00_0000 + UInt32($0))) }
        #expect(passed + PairingTries.perMinute == PairingTries.perMinuteInAll)
        #expect(refused(.loopback))
        clock.advance(seconds: 60)
        #expect(!refused(.loopback) && !refused(stranger))
    }
}
