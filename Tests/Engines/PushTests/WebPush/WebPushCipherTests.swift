import Cryptography
import GatewayAPI
import TestSupport
import Testing

@testable import Push

struct WebPushCipherTests {
    /// RFC 8291, section 5 and appendix A.
    enum Vector {
        static let message = Array("When I grow up, I want to be a watermelon".utf8)
        static let sender = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
        static let receiver = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
        static let receiverKey =
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        static let secret = "BTBZMqHH6r4Tts7J_aSIgg"
        static let salt = "DGv6ra1nlYgDCS1FRnbzlw"
        static let body =
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl"
            + "7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    }

    private static func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }

    private static func receiver() throws -> WebPushReceiver {
        WebPushReceiver(
            key: try P256.KeyAgreement.PrivateKey(rawRepresentation: bytes(Vector.receiver)),
            secret: try bytes(Vector.secret))
    }

    @Test func `RFC 8291's example, byte for byte`() throws {
        let receiver = try Self.receiver()
        let subscription = try receiver.subscription()
        #expect(Base64URL.encode(subscription.key) == Vector.receiverKey)
        let body = try WebPushCipher.encrypt(
            Vector.message, for: subscription,
            key: P256.KeyAgreement.PrivateKey(rawRepresentation: Self.bytes(Vector.sender)),
            salt: Self.bytes(Vector.salt), padding: 0)
        #expect(Base64URL.encode(body) == Vector.body)
        #expect(try receiver.decrypt(body) == Vector.message)
    }

    @Test func `random messages of all sizes are read by the receiver`() throws {
        var random = SeededGenerator(11)
        for size in [0, 1, 15, 16, 17, 41, 1000, 3992, 3993] {
            let secret = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
            let receiver = WebPushReceiver(key: P256.KeyAgreement.PrivateKey(), secret: secret)
            var message = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
            if size > 2 { message[size - 1] = 0 }
            for padding in [-1, 0, 1, 500, Int.max] {
                let body = try WebPushCipher.encrypt(message, for: receiver.subscription(), padding: padding)
                #expect(try receiver.decrypt(body) == message)
                #expect(body.count == size + 103 + min(max(padding, 0), 3993 - size))
                #expect(body.count <= 4096)
            }
        }
    }

    @Test func `a message that does not fit is refused`() throws {
        let receiver = try Self.receiver()
        let error = #expect(throws: PushFieldError.self) {
            try WebPushCipher.encrypt([UInt8](repeating: 1, count: 3994), for: receiver.subscription())
        }
        #expect(error?.description == "field \"payload\": expected at most 3993 bytes for Web Push, got 3994")
    }

    @Test func `each message has its own key and salt`() throws {
        let subscription = try Self.receiver().subscription()
        let bodies = try (0..<20).map { _ in try WebPushCipher.encrypt([1], for: subscription) }
        #expect(Set(bodies.map { Array($0[..<16]) }).count == 20)
        #expect(Set(bodies.map { Array($0[21..<86]) }).count == 20)
    }

    @Test func `a changed byte is noticed`() throws {
        let receiver = try Self.receiver()
        let body = try WebPushCipher.encrypt(Vector.message, for: receiver.subscription())
        for place in [0, 15, 30, 86, body.count - 1] {
            var changed = body
            changed[place] ^= 1
            #expect(throws: (any Error).self) { try receiver.decrypt(changed) }
        }
    }
}
