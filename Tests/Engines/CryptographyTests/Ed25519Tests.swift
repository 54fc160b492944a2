import Cryptography
import Foundation
import Testing

/// RFC 8032, 7.1, and signatures and keys that are none.
struct Ed25519Tests {
    static let samples = [
        (
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
        (
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
        (
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
    ]

    private func isValid(_ key: [UInt8], _ message: [UInt8], _ signature: [UInt8]) throws -> Bool {
        try Curve25519.Signing.PublicKey(rawRepresentation: key).isValidSignature(signature, for: message)
    }

    @Test(arguments: samples)
    func `signatures of RFC 8032 are valid, and none with another bit is`(
        key: String, message: String, signature: String
    ) throws {
        let (key, message, signature) = (bytes(key), bytes(message), bytes(signature))
        #expect(try isValid(key, message, signature))
        #expect(try !isValid(key, message + [0], signature))
        for place in signature.indices {
            var other = signature
            other[place] ^= 1 << UInt8(place % 8)
            #expect(try !isValid(key, message, other), "\(place)")
        }
    }

    @Test func `bytes of another length and points beside the curve are no keys`() throws {
        let (key, message, signature) = Self.samples[1]
        for count in [0, 31, 33, 64] {
            #expect(throws: (any Error).self) {
                try Curve25519.Signing.PublicKey(rawRepresentation: [UInt8](repeating: 1, count: count))
            }
        }
        for count in [0, 1, 63, 65, 128] {
            let cut = Array((bytes(signature) + bytes(signature)).prefix(count))
            #expect(try !isValid(bytes(key), bytes(message), cut), "\(count)")
        }
        #expect(try !isValid([UInt8](repeating: 0xFF, count: 32), bytes(message), bytes(signature)))
    }
}
