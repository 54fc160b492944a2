import Cryptography
import GatewayAPI
import Schedules
import TestSupport
import Testing

@testable import Push

struct APNsTokenTests {
    @Test func `a token is signed as APNs expects`() throws {
        let key = P256.Signing.PrivateKey()
        let signer = try APNsSigner(keyID: "ABC123DEFG", teamID: "TEAM123456", key: key.pemRepresentation)
        let token = try signer.sign(at: Instant(milliseconds: 1_700_000_000_999))
        let parts = token.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        let texts = try parts.map { try #require(Base64URL.decode($0)) }
        #expect(String(decoding: texts[0], as: UTF8.self) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
        #expect(String(decoding: texts[1], as: UTF8.self) == #"{"iss":"TEAM123456","iat":1700000000}"#)
        #expect(texts[2].count == 64)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: texts[2])
        #expect(key.publicKey.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
        #expect(!"\(signer)".contains(key.pemRepresentation.prefix(80).suffix(20)))
    }

    @Test(arguments: [
        ("abc123defg", "TEAM123456", "key_id"), ("ABC123DEFG", "TEAM", "team_id"), ("ABC123DEFG", "TEAM123456", "key"),
    ])
    func `a signer names the wrong setting`(key: String, team: String, field: String) {
        let error = #expect(throws: PushFieldError.self) { try APNsSigner(keyID: key, teamID: team, key: "x") }
        #expect(error?.field == field)
    }

    private static let start = Instant(seconds: 1_700_000_000)

    @Test(
        arguments: [
            (0, 0, false), (2399, 2399, false), (2400, 2400, true), (2400, 0, true), (0, 2400, true), (3600, 60, true),
            (-3600, 1199, false), (-3600, 1200, true), (-60, 2000, false), (-61, 1200, true),
        ] as [(Int64, Int64, Bool)])
    func `either clock ends a token`(wall: Int64, uptime: Int64, isOver: Bool) {
        let life = APNsTokenLife(signed: Self.start, uptime: 500, seed: 0)
        #expect(life.isOver(now: Self.start.adding(seconds: wall), uptime: 500 + uptime) == isOver)
    }

    @Test func `extreme clocks never trap`() {
        for uptime in [Int64.min, -1, 0, .max] {
            let life = APNsTokenLife(signed: .earliest, uptime: uptime, seed: .max)
            for other in [Int64.min, 0, .max] {
                _ = life.isOver(now: .latest, uptime: other)
                _ = life.isOver(now: .earliest, uptime: other)
            }
        }
    }

    @Test func `tokens are replaced after 40 to 50 minutes, whenever it is asked`() {
        var random = SeededGenerator(9)
        for _ in 0..<500 {
            var (now, uptime) = (Self.start, Int64(0))
            var life = APNsTokenLife(signed: now, uptime: uptime, seed: random.next())
            #expect((2400...3000).contains(life.age))
            for _ in 0..<50 {
                let step = Int64.random(in: 1...60, using: &random)
                now = now.adding(seconds: step)
                uptime += step
                guard life.isOver(now: now, uptime: uptime) else {
                    #expect(now.seconds - life.signed.seconds < 3000)
                    continue
                }
                #expect(now.seconds - life.signed.seconds >= 2400)
                #expect(now.seconds - life.signed.seconds <= 3060)
                life = APNsTokenLife(signed: now, uptime: uptime, seed: random.next())
            }
        }
    }
}
