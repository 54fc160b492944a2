#if !canImport(CryptoKit)
import CCrypto
package import FoundationEssentials

/// The curve P-256 (FIPS 186-4).
package enum P256 {
    /// Signatures (ECDSA with SHA-256).
    package enum Signing {
        /// A signature: the numbers r and s.
        package struct ECDSASignature: Sendable {
            /// r and s, 32 bytes each.
            package let rawRepresentation: Data

            /// A signature that was received; the numbers are checked with the message.
            ///
            /// - Throws: ``CryptoKitError`` unless there are 64 bytes.
            package init(rawRepresentation: some DataProtocol) throws {
                guard rawRepresentation.count == 64 else { throw CryptoKitError.incorrectParameterSize }
                self.rawRepresentation = Data(rawRepresentation)
            }

            /// The signature as certificates have it.
            package var derRepresentation: Data {
                var bytes = [UInt8](repeating: 0, count: 80)
                let count = unsafe selene_p256_signature(Array(rawRepresentation), &bytes)
                return Data(bytes.prefix(Int(count)))
            }
        }

        package struct PublicKey: Sendable {
            private let point: Point
            fileprivate let handle: SigningHandle

            /// A key from an uncompressed point, 65 bytes.
            ///
            /// - Throws: ``CryptoKitError`` for other bytes and for a point that is not on the curve.
            package init(x963Representation: some ContiguousBytes) throws {
                point = try Point(x963Representation)
                handle = try SigningHandle(point, nil)
            }

            fileprivate init(_ number: Secret) throws {
                point = try Point(number)
                handle = try SigningHandle(point, number)
            }

            /// The uncompressed point, 65 bytes.
            package var x963Representation: Data { Data(point.bytes) }

            /// The key as certificates have it: a SubjectPublicKeyInfo.
            package var derRepresentation: Data { Data([0x30, 0x59] + DER.algorithm + [3, 0x42, 0] + point.bytes) }

            /// ``derRepresentation`` as text.
            package var pemRepresentation: String { PEM.text(derRepresentation, kind: "PUBLIC KEY") }

            /// Whether the owner of the private key signed these bytes.
            package func isValidSignature(_ signature: ECDSASignature, for data: some DataProtocol) -> Bool {
                let hash = SHA256.hash(data: data).bytes
                return unsafe selene_p256_verify(handle.key, hash, Array(signature.rawRepresentation)) == 1
            }
        }

        package struct PrivateKey: Sendable {
            /// The key that others check signatures with.
            package let publicKey: PublicKey
            private let number: Secret

            /// A new key.
            package init() { self = newKey { try? PrivateKey($0) } }

            /// A key from its number, 32 bytes.
            ///
            /// - Throws: ``CryptoKitError`` for other bytes.
            package init(rawRepresentation: some ContiguousBytes) throws {
                try self.init(unsafe rawRepresentation.withUnsafeBytes { unsafe Secret(copying: $0) })
            }

            /// A key from the text of a `PRIVATE KEY` (PKCS #8) or an `EC PRIVATE KEY` (SEC 1).
            ///
            /// - Throws: ``CryptoKitError`` for other text and for other curves.
            package init(pemRepresentation: String) throws {
                guard let der = PEM.bytes(of: pemRepresentation, kinds: "PRIVATE KEY", "EC PRIVATE KEY") else {
                    throw CryptoKitError.incorrectParameterSize
                }
                var succeeded = false
                let number = unsafe Secret(count: 32) { buffer in
                    succeeded = unsafe selene_p256_read(Array(der), der.count, buffer.baseAddress) == 1
                }
                guard succeeded else { throw CryptoKitError.incorrectParameterSize }
                try self.init(number)
            }

            private init(_ number: Secret) throws { (self.number, publicKey) = (number, try PublicKey(number)) }

            /// The number, 32 bytes.
            package var rawRepresentation: Data { unsafe Data(number.bytes) }

            /// The key as text (PKCS #8).
            package var pemRepresentation: String {
                let key = unsafe DER.numberPrefix + number.bytes + DER.pointPrefix + publicKey.x963Representation
                return PEM.text([0x30, 0x81, 0x87, 2, 1, 0] + DER.algorithm + [4, 0x6D] + key, kind: "PRIVATE KEY")
            }

            /// Signs bytes.
            ///
            /// - Throws: ``CryptoKitError`` when the library fails.
            package func signature(for data: some DataProtocol) throws -> ECDSASignature {
                var bytes = [UInt8](repeating: 0, count: 64)
                guard unsafe selene_p256_sign(publicKey.handle.key, SHA256.hash(data: data).bytes, &bytes) == 1 else {
                    throw CryptoKitError.underlyingCoreCryptoError(error: 0)
                }
                return try ECDSASignature(rawRepresentation: bytes)
            }
        }
    }

    /// Secrets that two owners of keys have in common (ECDH).
    package enum KeyAgreement {
        package struct PublicKey: Sendable {
            fileprivate let point: Point

            /// A key from an uncompressed point, 65 bytes.
            ///
            /// - Throws: ``CryptoKitError`` for other bytes and for a point that is not on the curve.
            package init(x963Representation: some ContiguousBytes) throws { point = try Point(x963Representation) }

            fileprivate init(_ point: Point) { self.point = point }

            /// The uncompressed point, 65 bytes.
            package var x963Representation: Data { Data(point.bytes) }
        }

        package struct PrivateKey: Sendable {
            /// The key for the other side.
            package let publicKey: PublicKey
            private let number: Secret

            /// A new key.
            package init() { self = newKey { try? PrivateKey($0) } }

            /// A key from its number, 32 bytes.
            ///
            /// - Throws: ``CryptoKitError`` for other bytes.
            package init(rawRepresentation: some ContiguousBytes) throws {
                try self.init(unsafe rawRepresentation.withUnsafeBytes { unsafe Secret(copying: $0) })
            }

            private init(_ number: Secret) throws { (self.number, publicKey) = (number, PublicKey(try Point(number))) }

            /// The number, 32 bytes.
            package var rawRepresentation: Data { unsafe Data(number.bytes) }

            /// What both sides have in common: the x coordinate of the product.
            ///
            /// - Throws: ``CryptoKitError`` when the library fails.
            package func sharedSecretFromKeyAgreement(with key: PublicKey) throws -> SharedSecret {
                var product = try Point.multiply(key.point.bytes, by: number)
                defer { unsafe OPENSSL_cleanse(&product, product.count) }
                return SharedSecret(key: SymmetricKey(data: product[1...32]))
            }
        }
    }
}

/// A point of the curve, as 4, x and y.
private struct Point: Sendable {
    /// The order of the curve: private keys are smaller.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD,
        0xA7,
        0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
    let bytes: [UInt8]

    init(_ bytes: some ContiguousBytes) throws(CryptoKitError) {
        let bytes = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        // libcrypto also reads forms that begin with 6 or 7.
        guard bytes.count == 65, bytes[0] == 4 else { throw .incorrectParameterSize }
        self.bytes = try Self.multiply(bytes, by: nil)
    }

    /// The public point of a private number.
    init(_ number: Secret) throws(CryptoKitError) {
        guard unsafe number.bytes.count == 32, unsafe number.bytes.lexicographicallyPrecedes(Self.order) else {
            throw .incorrectParameterSize
        }
        bytes = try Self.multiply(nil, by: number)
    }

    /// Multiplies a point, else the generator, with a number, else 1.
    static func multiply(_ point: [UInt8]?, by number: Secret?) throws(CryptoKitError) -> [UInt8] {
        var product = [UInt8](repeating: 0, count: 65)
        guard unsafe selene_p256_multiply(Library.p256, number?.bytes.baseAddress, point, &product) == 1 else {
            throw .incorrectParameterSize
        }
        return product
    }
}

/// libcrypto's form of a key for signatures. That of a private key verifies, too.
// SAFETY: never changed after `init`; libcrypto lets any number of threads sign and verify with one key.
@safe private final class SigningHandle: @unchecked Sendable {
    let key: OpaquePointer

    init(_ point: Point, _ number: Secret?) throws(CryptoKitError) {
        guard let key = unsafe selene_p256_key(point.bytes, number?.bytes.baseAddress) else {
            throw .incorrectParameterSize
        }
        unsafe self.key = key
    }

    deinit { unsafe EVP_PKEY_free(key) }
}

/// The fixed parts of keys in DER.
private enum DER {
    /// The algorithm "public key of an elliptic curve" with the curve P-256.
    static let algorithm: [UInt8] = [
        0x30, 0x13, 6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1, 6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7,
    ]
    /// What is before the number, and between it and the point, in a private key.
    static let numberPrefix: [UInt8] = [0x30, 0x6B, 2, 1, 1, 4, 0x20]
    static let pointPrefix: [UInt8] = [0xA1, 0x44, 3, 0x42, 0]
}

/// Makes a key of a random number. One of 4 billion is not below the order.
private func newKey<Key>(_ make: (Secret) -> Key?) -> Key {
    for _ in 0..<4 { if let key = make(Secret.random(count: 32)) { return key } }
    preconditionFailure("libcrypto cannot make a key")
}
#endif
