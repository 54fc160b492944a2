import GatewayAPI
import KeyRoom
import Storage
import TestSupport
import Testing

@testable import Access

@Suite struct BrowserSessions {
    private func open(_ setting: KeyRingOnStillClock, _ key: String) async throws -> OpenedSession {
        try #require(try await setting.ring.openSession(key: key, userAgent: "Firefox", replacing: nil))
    }

    @Test func `a session has the rights of its key and ends with it`() async throws {
        try await KeyRingOnStillClock.with { setting in
            let grant = KeyGrant(scopes: [.llm], models: ["a"], requestsPerMinute: 7)
            let key = try await setting.database.keys.create(name: "phone", grant: grant)
            let opened = try await open(setting, key.secret)
            #expect(opened.secret.utf8.count == KeyRing.sessionBytes)
            let holder = try #require(try await setting.ring.find(session: opened.secret))
            #expect(holder.identity.holder == .key(id: key.record.id, name: "phone") && holder.identity.grant == grant)
            #expect(holder.identity.session == holder.session.id)
            // The session's secret is not a key, and the key is not a session.
            #expect(try await setting.ring.find(bearer: opened.secret) == .wrong)
            #expect(try await setting.ring.find(session: key.secret) == nil)
            _ = try await setting.database.keys.change("phone") { $0.scopes = [.notesRead] }
            try await waitUntil {
                try await setting.ring.find(session: opened.secret)?.identity.grant.scopes == [.notesRead]
            }
            try await setting.database.keys.revoke("phone")
            try await waitUntil { try await setting.ring.find(session: opened.secret) == nil }
        }
    }

    @Test func `a session ends after 30 days without use, and use prolongs it`() async throws {
        try await KeyRingOnStillClock.with { setting in
            let key = try await setting.database.keys.create(name: "phone")
            let opened = try await open(setting, key.secret)
            for _ in 0..<3 {
                setting.clock.advance(seconds: WebSessionRoom.lifetime - 1)
                #expect(try await setting.ring.find(session: opened.secret) != nil)
                try await setting.ring.writeSessionUses()
                let used = setting.clock.keyClock.unixSeconds()
                try await waitUntil { try await setting.ring.find(session: opened.secret)?.session.lastUsedAt == used }
            }
            setting.clock.advance(seconds: WebSessionRoom.lifetime)
            #expect(try await setting.ring.find(session: opened.secret) == nil)
            try await setting.ring.pruneSessions()
            #expect(try await setting.database.webSessions.all().isEmpty)
        }
    }

    @Test func `what goes on in the name of a session ends with it, and with the token that opened it`() async throws {
        try await KeyRingOnStillClock.with(token: "a-token-of-some-length") { setting in
            let ring = setting.ring
            let key = try await setting.database.keys.create(name: "phone", grant: .everything)
            let (own, other) = (try await open(setting, key.secret), try await open(setting, key.secret))
            func question(_ secret: String) async throws -> @Sendable () async throws -> Bool {
                ring.question(of: try #require(try await ring.find(session: secret)).identity, for: .llm)
            }
            let (first, second) = (try await question(own.secret), try await question(other.secret))
            #expect(try await first())
            try await ring.endSession(secret: own.secret)
            try await waitUntil { try await !first() }
            #expect(try await second())
            let ofToken = ring.question(of: .token, for: .llm)
            #expect(try await ofToken())
            ring.setToken("a-token-of-some-length")
            #expect(try await ofToken())
            ring.setToken("another-token-of-some-length")
            #expect(try await !ofToken())
        }
    }

    @Test func `a session of a key that expires ends with it, and an expired key opens none`() async throws {
        try await KeyRingOnStillClock.with { setting in
            let end = setting.clock.keyClock.unixSeconds() + 100
            let key = try await setting.database.keys.create(name: "guest", grant: KeyGrant(expiresAt: end))
            let opened = try await open(setting, key.secret)
            #expect(try await setting.ring.find(session: opened.secret) != nil)
            setting.clock.advance(seconds: 100)
            #expect(try await setting.ring.find(session: opened.secret) == nil)
            await #expect(throws: AccessRefusal.keyExpired) { try await open(setting, key.secret) }
        }
    }

    @Test func `a session of the token ends when the token changes`() async throws {
        try await KeyRingOnStillClock.with(token: "a-token-of-some-length") { setting in
            let opened = try await open(setting, "a-token-of-some-length")
            #expect(try await setting.ring.find(session: opened.secret)?.identity.holder == .token)
            setting.ring.setToken("another-token-of-some-length")
            #expect(try await setting.ring.find(session: opened.secret) == nil)
            setting.ring.setToken(nil)
            #expect(try await setting.ring.find(session: opened.secret) == nil)
            setting.ring.setToken("a-token-of-some-length")
            #expect(try await setting.ring.find(session: opened.secret) != nil)
        }
    }

    @Test func `a gateway without keys opens no session, and a wrong key neither`() async throws {
        try await KeyRingOnStillClock.with { setting in
            #expect(try await !setting.ring.needsCredential())
            #expect(try await setting.ring.openSession(key: "x", userAgent: "", replacing: nil) == nil)
            _ = try await setting.database.keys.create(name: "phone")
            try await waitUntil { try await setting.ring.needsCredential() }
            #expect(try await setting.ring.openSession(key: "x", userAgent: "", replacing: nil) == nil)
        }
    }

    @Test func `five wrong codes a minute are answered, whoever sends them, and right ones do not count`() async throws
    {
        try await KeyRingOnStillClock.with { setting in
            let now = setting.clock.keyClock.unixSeconds()
            func pair(_ code: PairingCode) async throws -> OpenedSession? {
                try await setting.ring.openSession(code: code.text, poll: nil, userAgent: "")
            }
            for _ in 0..<10 {
                let code = PairingCode()
                _ = try await setting.database.pairings.offer(
                    code, name: "x", grant: KeyGrant(), grantedBy: nil, now: now)
                let opened = try #require(try await pair(code))
                #expect(try await setting.ring.find(session: opened.secret) != nil)
            }
            let code = PairingCode()
            _ = try await setting.database.pairings.offer(code, name: "x", grant: KeyGrant(), grantedBy: nil, now: now)
            let answered = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        do {
                            let opened = try await pair(PairingCode())
                            #expect(opened == nil)
                            return true
                        } catch let refusal as AccessRefusal {
                            guard case .tooManyPairingTries(let seconds) = refusal else { throw refusal }
                            #expect((1...13).contains(seconds))
                            return false
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(answered == PairingTries.perMinute)
            await #expect(throws: AccessRefusal.self) { _ = try await pair(code) }
            setting.clock.advance(seconds: 12)
            #expect(try await pair(code) != nil)
        }
    }
}
