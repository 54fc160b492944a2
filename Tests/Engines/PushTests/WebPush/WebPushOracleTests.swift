import Cryptography
import Foundation
import GatewayAPI
import Testing

@testable import Push

/// The same bytes as another implementation, see Oracle/web_push_vectors.py.
struct WebPushOracleTests {
    private static let lines: [String] = {
        guard let url = Bundle.module.url(forResource: "web-push", withExtension: "jsonl", subdirectory: "Fixtures"),
            let text = try? String(contentsOf: url, encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").map(String.init)
    }()

    @Test func `http-ece encrypts to the same bytes`() throws {
        try #require(Self.lines.count == 30)
        for line in Self.lines {
            let value = try PushMessageTests.json(line)
            guard case .object(let members) = value else {
                Issue.record("no object")
                return
            }
            func bytes(_ name: String) throws -> [UInt8] {
                guard case .string(let text) = members[name] else { return [] }
                return try #require(Base64URL.decode(text))
            }
            let receiver = WebPushReceiver(
                key: try P256.KeyAgreement.PrivateKey(rawRepresentation: bytes("receiver")), secret: try bytes("secret")
            )
            let body = try WebPushCipher.encrypt(
                bytes("message"), for: receiver.subscription(),
                key: P256.KeyAgreement.PrivateKey(rawRepresentation: bytes("sender")), salt: bytes("salt"), padding: 0)
            #expect(try body == bytes("body"))
            #expect(try receiver.decrypt(body) == bytes("message"))
        }
    }
}
