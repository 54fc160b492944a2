import FakeAPNs
import Foundation
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

    @Test func `a process that starts again uses the token of the one before it`() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "token").path
        let key = FakeAPNs.newKey()
        func tokens(_ keyID: String, uptime: Int64) throws -> APNsTokens {
            let signer = try APNsSigner(keyID: keyID, teamID: "TEAM123456", key: key)
            return APNsTokens(signer, file: APNsTokenFile(path: path, of: signer)) { uptime }
        }
        let first = try tokens("ABC123DEFG", uptime: 5000).current(at: Self.start)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let soon = Self.start.adding(seconds: 1100)
        let second = try tokens("ABC123DEFG", uptime: 3).current(at: soon)
        #expect(second.authorization == first.authorization && second.life.signed == Self.start)
        #expect(try tokens("ABC123DEFH", uptime: 3).current(at: soon).authorization != first.authorization)
        let third = try tokens("ABC123DEFG", uptime: 9).current(at: Self.start.adding(seconds: 3000))
        #expect(third.authorization != first.authorization, "one that is nearly too old is replaced")
        for damaged in ["", "x", "ABC123DEFG\nTEAM123456\n99999999999999999999\nbearer a"] {
            try Data(damaged.utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            _ = try tokens("ABC123DEFG", uptime: 9).current(at: soon)
        }
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
