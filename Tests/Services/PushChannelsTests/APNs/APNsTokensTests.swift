import FakeAPNs
import Push
import Schedules
import TestSupport
import Testing

@testable import PushChannels

struct APNsTokensTests {
    private static let start = Instant(seconds: 1_700_000_000)

    private func tokens(_ uptime: Locked<Int64>) throws -> APNsTokens {
        APNsTokens(try APNsSigner(keyID: "ABC123DEFG", teamID: "TEAM123456", key: FakeAPNs.newKey())) { uptime.value }
    }

    @Test func `many that ask at once get one token`() async throws {
        let tokens = try tokens(Locked(0))
        let all = await withTaskGroup(of: APNsToken?.self) { group in
            for _ in 0..<200 { group.addTask { try? tokens.current(at: Self.start) } }
            return await group.reduce(into: Set<APNsToken>()) { if let token = $1 { $0.insert(token) } }
        }
        #expect(all.count == 1)
    }

    @Test func `one of many that were refused renews`() throws {
        let uptime = Locked<Int64>(0)
        let tokens = try tokens(uptime)
        let first = try tokens.current(at: Self.start)
        uptime.change { $0 = 1500 }
        let later = Self.start.adding(seconds: 1500)
        for _ in 0..<10 { #expect(try tokens.renew(after: first, at: later)) }
        #expect(try tokens.current(at: later).number == 2)
    }

    @Test func `a young token is renewed only if the clock was set`() throws {
        let uptime = Locked<Int64>(0)
        let tokens = try tokens(uptime)
        let first = try tokens.current(at: Self.start)
        uptime.change { $0 = 10 }
        #expect(try !tokens.renew(after: first, at: Self.start.adding(seconds: 10)))
        // A refused token is not used again, whoever asks.
        let second = try tokens.current(at: Self.start.adding(seconds: 11))
        #expect(second.number == 2)
        #expect(try tokens.renew(after: second, at: Self.start.adding(seconds: 7200)))
        #expect(try tokens.current(at: Self.start.adding(seconds: 7200)).number == 3)
    }

    @Test func `after too many tokens the one before is used as long as it is valid`() throws {
        let uptime = Locked<Int64>(0)
        let tokens = try tokens(uptime)
        let first = try tokens.current(at: Self.start)
        uptime.change { $0 = 1300 }
        let later = Self.start.adding(seconds: 1300)
        #expect(try tokens.renew(after: first, at: later))
        let second = try tokens.current(at: later)
        #expect(second.authorization != first.authorization)
        tokens.goBack(from: second, at: later)
        let third = try tokens.current(at: later)
        #expect(third.authorization == first.authorization)
        // Its age counts from its own signing.
        uptime.change { $0 = 3001 }
        let last = try tokens.current(at: Self.start.adding(seconds: 3001))
        #expect(last.authorization != first.authorization)
        tokens.goBack(from: last, at: Self.start.adding(seconds: 3600))
        #expect(try tokens.current(at: Self.start.adding(seconds: 3600)).authorization == last.authorization)
    }
}
