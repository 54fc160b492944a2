import Cryptography

/// Encrypts messages for a subscription: `aes128gcm` (RFC 8188) with the keys of RFC 8291, in one record.
package enum WebPushCipher {
    /// The largest body that every push service accepts, in bytes (RFC 8030, section 7.2).
    package static let bodyLimit = 4096
    /// Bytes that the encryption adds: the header with salt (16), record size (4), key length (1) and key (65), the
    /// delimiter of the padding (1) and the authentication tag (16).
    package static let overhead = 103
    /// The largest message, in bytes.
    package static let limit = bodyLimit - overhead

    /// Encrypts a message with a fresh key and salt.
    ///
    /// - Parameter padding: Zero bytes to add, so that the size says less about the message; as many as fit are added.
    /// - Throws: ``PushFieldError`` for a message over ``limit``, or a failure of the cryptography library.
    package static func encrypt(
        _ message: [UInt8], for subscription: WebPushSubscription, padding: Int = 0
    ) throws -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        let salt = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
        return try encrypt(
            message, for: subscription, key: P256.KeyAgreement.PrivateKey(), salt: salt, padding: padding)
    }

    /// Encrypts a message with a given key and salt of 16 bytes, which must not be used again.
    static func encrypt(
        _ message: [UInt8], for subscription: WebPushSubscription, key: P256.KeyAgreement.PrivateKey, salt: [UInt8],
        padding: Int
    ) throws -> [UInt8] {
        guard message.count <= limit else {
            throw PushFieldError("payload", "expected at most \(limit) bytes for Web Push, got \(message.count)")
        }
        let receiver = try P256.KeyAgreement.PublicKey(x963Representation: subscription.key)
        let sender = Array(key.publicKey.x963Representation)
        // RFC 8291, section 3.4: the secret of the subscription binds the shared secret to both keys.
        let info = Array("WebPush: info\u{0}".utf8) + subscription.key + sender
        let material = try key.sharedSecretFromKeyAgreement(with: receiver)
            .hkdfDerivedSymmetricKey(
                using: SHA256.self, salt: subscription.secret, sharedInfo: info, outputByteCount: 32)
        // RFC 8188, sections 2.2 and 2.3. The nonce of the first record is the derived one.
        let contentKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: material, salt: salt, info: Array("Content-Encoding: aes128gcm\u{0}".utf8),
            outputByteCount: 16)
        let nonce = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: material, salt: salt, info: Array("Content-Encoding: nonce\u{0}".utf8),
            outputByteCount: 12)
        let nonceBytes = unsafe nonce.withUnsafeBytes { unsafe Array($0) }
        // 2 marks the end of the last record; zeros follow as padding.
        let zeros = [UInt8](repeating: 0, count: min(max(padding, 0), limit - message.count))
        let sealed = try AES.GCM.seal(
            message + [2] + zeros, using: contentKey, nonce: AES.GCM.Nonce(data: nonceBytes))
        let recordSize: [UInt8] = [0, 0, 0x10, 0]
        return salt + recordSize + [UInt8(sender.count)] + sender + sealed.ciphertext + sealed.tag
    }
}
