import Cryptography
import GatewayAPI

@testable import Push

/// A browser: it makes a subscription and decrypts messages by RFC 8188 and RFC 8291, with any number of records.
struct WebPushReceiver {
    let key: P256.KeyAgreement.PrivateKey
    let secret: [UInt8]

    struct Broken: Error {}

    func subscription(endpoint: String = "https://fcm.googleapis.com/x") throws -> WebPushSubscription {
        try WebPushSubscription(
            .object([
                "endpoint": .string(endpoint),
                "keys": .object([
                    "p256dh": .string(Base64URL.encode(key.publicKey.x963Representation)),
                    "auth": .string(Base64URL.encode(secret)),
                ]),
            ]), services: PushServices())
    }

    func decrypt(_ body: [UInt8]) throws -> [UInt8] {
        guard body.count > 21, body.count > 21 + Int(body[20]) else { throw Broken() }
        let salt = Array(body[0..<16])
        let size = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
        let sender = Array(body[21..<(21 + Int(body[20]))])
        guard size >= 18 else { throw Broken() }
        let shared = try key.sharedSecretFromKeyAgreement(with: P256.KeyAgreement.PublicKey(x963Representation: sender))
        let info = Array("WebPush: info\u{0}".utf8) + Array(key.publicKey.x963Representation) + sender
        let material = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: secret, sharedInfo: info, outputByteCount: 32)
        func derive(_ label: String, _ count: Int) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: material, salt: salt, info: Array("Content-Encoding: \(label)\u{0}".utf8),
                outputByteCount: count)
        }
        let contentKey = derive("aes128gcm", 16)
        let base = derive("nonce", 12).withUnsafeBytes { Array($0) }
        var plain: [UInt8] = []
        var rest = body[(21 + sender.count)...]
        var number = 0
        while !rest.isEmpty {
            let record = rest.prefix(size)
            rest = rest.dropFirst(size)
            guard record.count > 16 else { throw Broken() }
            var nonce = base
            for place in 0..<4 { nonce[11 - place] ^= UInt8(truncatingIfNeeded: number >> (8 * place)) }
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: nonce), ciphertext: record.dropLast(16), tag: record.suffix(16))
            let opened = Array(try AES.GCM.open(box, using: contentKey))
            guard let end = opened.lastIndex(where: { $0 != 0 }), opened[end] == (rest.isEmpty ? 2 : 1) else {
                throw Broken()
            }
            plain += opened[..<end]
            number += 1
        }
        return plain
    }
}
