import Cryptography
import Foundation
import TestSupport
import Testing

/// RFC 6979 (signatures), RFC 5903 and NIST (agreement), and keys and signatures that are none.
struct P256Tests {
    static let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
    static let prime = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
    static let generator = """
        04 6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296 \
        4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5
        """
    static let zero = String(repeating: "0", count: 64)

    // RFC 6979, A.2.5.
    static let number = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"
    static let point = """
        04 60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6 \
        7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299
        """
    static let r = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
    static let s = "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"

    static func isValid(_ signature: String, _ text: String = "sample") throws -> Bool {
        let key = try P256.Signing.PublicKey(x963Representation: bytes(point))
        return key.isValidSignature(try .init(rawRepresentation: bytes(signature)), for: Data(text.utf8))
    }

    @Test func `signatures of RFC 6979 are valid, and its key has its point`() throws {
        #expect(try Self.isValid(Self.r + Self.s))
        #expect(
            try Self.isValid(
                "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367"
                    + "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083", "test"))
        #expect(try !Self.isValid(Self.r + Self.s, "Sample"))
        let key = try P256.Signing.PrivateKey(rawRepresentation: bytes(Self.number))
        #expect(Array(key.publicKey.x963Representation) == bytes(Self.point))
        #expect(hex(key.rawRepresentation) == Self.number)
    }

    @Test func `s and its negative are both valid`() throws {
        // The order less s: the curve does not tell them apart, and neither do other libraries.
        let negative = "0834e36ad29a83bf2bc9385e491d6099c8fdf9d1ed67aa7ea5f51f93782857a9"
        #expect(try Self.isValid(Self.r + negative))
    }

    @Test(arguments: [
        zero + s, r + zero, zero + zero, order + s, r + order, order + order, prime + s, r + prime, s + r,
        String(repeating: "f", count: 64) + s, r + String(repeating: "f", count: 64),
        String(repeating: "f", count: 128),
        zero.dropLast() + "1" + zero.dropLast() + "1", r + r, s + s,
    ]) func `numbers out of range sign nothing`(signature: String) throws {
        #expect(try !Self.isValid(signature))
    }

    @Test func `a change of any bit makes a signature invalid`() throws {
        let (key, data) = (P256.Signing.PrivateKey(), Data("message".utf8))
        let signature = try key.signature(for: data)
        #expect(key.publicKey.isValidSignature(signature, for: data))
        for bit in stride(from: 0, to: 512, by: 7) {
            var changed = signature.rawRepresentation
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!key.publicKey.isValidSignature(try .init(rawRepresentation: changed), for: data))
        }
        #expect(!P256.Signing.PrivateKey().publicKey.isValidSignature(signature, for: data))
    }

    @Test(arguments: [0, 1, 32, 63, 65, 72, 128]) func `a signature has 64 bytes`(count: Int) {
        #expect(throws: (any Error).self) {
            try P256.Signing.ECDSASignature(rawRepresentation: Data(repeating: 1, count: count))
        }
    }

    @Test(arguments: [
        ("", ""), ("04", ""), (zero, zero), ("00", ""), ("00" + zero, zero), ("04" + zero, zero),
        ("04" + prime, prime), ("04" + String(repeating: "f", count: 64), String(repeating: "f", count: 64)),
        // Off the curve by one bit of y or of x, in other forms, and with a byte left over.
        (
            "04 6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
            "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f4"
        ),
        (
            "04 6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c297",
            "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
        ),
        (
            "07 6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
            "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
        ),
        ("03 6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296", ""),
        (
            "03 6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
            "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
        ),
        (generator, "00"),
        // x is 5 plus the prime: modulo the prime, the point is on the curve.
        (
            "04 ffffffff00000001000000000000000000000001000000000000000000000004",
            "459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc"
        ),
    ]) func `bytes that are no point of the curve are no key`(first: String, second: String) {
        #expect(throws: (any Error).self) { try P256.KeyAgreement.PublicKey(x963Representation: bytes(first + second)) }
        #expect(throws: (any Error).self) { try P256.Signing.PublicKey(x963Representation: bytes(first + second)) }
    }

    @Test(arguments: [
        "", "01", zero, order, prime, String(repeating: "f", count: 64),
        "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632552", number + "00", "00" + number,
        String(number.dropLast(2)),
    ]) func `a number out of range is no key`(number: String) {
        #expect(throws: (any Error).self) { try P256.Signing.PrivateKey(rawRepresentation: bytes(number)) }
        #expect(throws: (any Error).self) { try P256.KeyAgreement.PrivateKey(rawRepresentation: bytes(number)) }
    }

    @Test func `1 and the order less 1 are keys, with the generator and its negative`() throws {
        let one = try P256.KeyAgreement.PrivateKey(rawRepresentation: bytes(Self.zero.dropLast() + "1"))
        let last = try P256.KeyAgreement.PrivateKey(rawRepresentation: bytes(Self.order.dropLast() + "0"))
        #expect(Array(one.publicKey.x963Representation) == bytes(Self.generator))
        #expect(last.publicKey.x963Representation.prefix(33) == one.publicKey.x963Representation.prefix(33))
        #expect(last.publicKey.x963Representation != one.publicKey.x963Representation)
    }

    @Test(arguments: [
        // RFC 5903, 8.1.
        (
            "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433",
            "04 d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf63"
                + "56fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab",
            "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de"
        ),
        (
            "c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53",
            "04 dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c3772581180"
                + "5271a0461cdb8252d61f1c456fa3e59ab1f45b33accf5f58389e0577b8990bb3",
            "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de"
        ),
        // NIST CAVP, KAS_ECC_CDH_PrimitiveTest, P-256, count 0.
        (
            "7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534",
            "04 700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287"
                + "db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac",
            "46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b"
        ),
    ]) func `agreements have the vectors of RFC 5903 and NIST`(number: String, point: String, shared: String) throws {
        let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: bytes(number))
        let secret = try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: bytes(point)))
        #expect(secret.withUnsafeBytes { hex($0) } == shared)
        let derived = secret.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: [1] as [UInt8], sharedInfo: [2] as [UInt8], outputByteCount: 40)
        let expected = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: bytes(shared)), salt: [1] as [UInt8], info: [2] as [UInt8],
            outputByteCount: 40)
        #expect(derived.withUnsafeBytes { Array($0) } == expected.withUnsafeBytes { Array($0) })
    }

    @Test func `both sides of an agreement find the same secret`() throws {
        for _ in 0..<20 {
            let (left, right) = (P256.KeyAgreement.PrivateKey(), P256.KeyAgreement.PrivateKey())
            let first = try left.sharedSecretFromKeyAgreement(with: right.publicKey).withUnsafeBytes { Array($0) }
            let second = try right.sharedSecretFromKeyAgreement(with: left.publicKey).withUnsafeBytes { Array($0) }
            #expect(first == second && first.count == 32)
        }
    }

    @Test func `many tasks sign and verify with one key`() async throws {
        let key = P256.Signing.PrivateKey()
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    let data = Data("\(number)".utf8)
                    return key.publicKey.isValidSignature(try key.signature(for: data), for: data)
                }
            }
            for try await isValid in group { #expect(isValid) }
        }
    }
}
