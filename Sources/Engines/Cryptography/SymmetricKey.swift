#if !canImport(CryptoKit)
package import FoundationEssentials

/// The length of a new key.
package struct SymmetricKeySize: Sendable {
    /// The length in bits.
    package let bitCount: Int
    /// 256 bits.
    package static let bits256 = SymmetricKeySize(bitCount: 256)
}

/// A key for ``HMAC`` and ``AES``. Printing it shows no part of it.
package struct SymmetricKey: ContiguousBytes, Sendable {
    let secret: Secret

    init(_ secret: Secret) { self.secret = secret }

    /// A key of these bytes.
    package init(data: some ContiguousBytes) { secret = unsafe data.withUnsafeBytes { unsafe Secret(copying: $0) } }

    /// A random key.
    package init(size: SymmetricKeySize) { secret = .random(count: size.bitCount / 8) }

    /// Calls the closure with the bytes.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        unsafe try body(UnsafeRawBufferPointer(secret.bytes))
    }
}

/// Codes that only those who have the key can make and check (RFC 2104).
package enum HMAC<Hash: HashFunction> {
    /// The code of a message.
    package static func authenticationCode(for data: some DataProtocol, using key: SymmetricKey) -> Digest {
        var bytes = unsafe Array(key.secret.bytes)
        if bytes.count > Hash.blockByteCount {
            var hash = Hash()
            hash.update(data: bytes)
            bytes = hash.finalize().bytes
        }
        bytes += [UInt8](repeating: 0, count: Hash.blockByteCount - bytes.count)
        var (inner, outer) = (Hash(), Hash())
        inner.update(data: bytes.map { $0 ^ 0x36 })
        inner.update(data: data)
        outer.update(data: bytes.map { $0 ^ 0x5C })
        outer.update(data: inner.finalize().bytes)
        return outer.finalize()
    }

    /// Whether the code is that of the message. Compares in constant time.
    package static func isValidAuthenticationCode(
        _ code: some ContiguousBytes, authenticating data: some DataProtocol, using key: SymmetricKey
    ) -> Bool {
        unsafe code.withUnsafeBytes { unsafe Digest(Array($0)) } == authenticationCode(for: data, using: key)
    }
}

/// Keys from a secret (RFC 5869).
package enum HKDF<Hash: HashFunction> {
    /// Derives a key.
    ///
    /// - Parameter outputByteCount: At most 255 times the length of the hash.
    package static func deriveKey(
        inputKeyMaterial: SymmetricKey, salt: some DataProtocol, info: some DataProtocol, outputByteCount: Int
    ) -> SymmetricKey {
        let material = unsafe Array(inputKeyMaterial.secret.bytes)
        let base = SymmetricKey(
            data: HMAC<Hash>.authenticationCode(for: material, using: SymmetricKey(data: Array(salt))))
        var (bytes, block, number) = ([UInt8](), [UInt8](), UInt8(0))
        while bytes.count < outputByteCount {
            number += 1
            block = HMAC<Hash>.authenticationCode(for: block + Array(info) + [number], using: base).bytes
            bytes += block
        }
        return SymmetricKey(data: Array(bytes.prefix(outputByteCount)))
    }
}

/// What two owners of keys have in common. Not to be used as a key itself.
package struct SharedSecret: Sendable {
    let key: SymmetricKey

    /// Derives a key with ``HKDF``.
    package func hkdfDerivedSymmetricKey<Hash: HashFunction>(
        using hash: Hash.Type, salt: some DataProtocol, sharedInfo: some DataProtocol, outputByteCount: Int
    ) -> SymmetricKey {
        HKDF<Hash>.deriveKey(inputKeyMaterial: key, salt: salt, info: sharedInfo, outputByteCount: outputByteCount)
    }

    /// Calls the closure with the bytes.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        unsafe try key.withUnsafeBytes(body)
    }
}
#endif
