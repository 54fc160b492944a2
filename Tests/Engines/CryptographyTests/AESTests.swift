import Cryptography
import Foundation
import Testing

/// The vectors of McGrew and Viega that have no additional data, and what must fail.
struct AESTests {
    struct Vector: Sendable { var key: String, nonce: String, message: String, sealed: String, tag: String }

    static let message = """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525\
        b16aedf5aa0de657ba637b391aafd255
        """
    static let key = "feffe9928665731c6d6a8f9467308308"
    static let vectors = [
        Vector(
            key: "00000000000000000000000000000000", nonce: "000000000000000000000000", message: "", sealed: "",
            tag: "58e2fccefa7e3061367f1d57a4e7455a"),
        Vector(
            key: "00000000000000000000000000000000", nonce: "000000000000000000000000",
            message: "00000000000000000000000000000000", sealed: "0388dace60b6a392f328c2b971b2fe78",
            tag: "ab6e47d42cec13bdf53a67b21257bddf"),
        Vector(
            key: key, nonce: "cafebabefacedbaddecaf888", message: message,
            sealed: """
                42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05\
                1ba30b396a0aac973d58e091473f5985
                """, tag: "4d5c2af327cd64a62cf35abd2ba6fab4"),
        Vector(
            key: String(repeating: "0", count: 64), nonce: "000000000000000000000000", message: "", sealed: "",
            tag: "530f8afbc74536b9a963b4f1c4cb738b"),
        Vector(
            key: String(repeating: "0", count: 64), nonce: "000000000000000000000000",
            message: "00000000000000000000000000000000", sealed: "cea7403d4d606b6e074ec5d3baf39d18",
            tag: "d0d1c8a799996bf0265b98b5d48ab919"),
        Vector(
            key: key + key, nonce: "cafebabefacedbaddecaf888", message: message,
            sealed: """
                522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838\
                c5f61e6393ba7a0abcc9f662898015ad
                """, tag: "b094dac5d93471bdec1a502270e3cc6c"),
    ]

    @Test(arguments: vectors) func `AES-GCM has the vectors of its authors`(vector: Vector) throws {
        let (key, nonce) = (SymmetricKey(data: bytes(vector.key)), try AES.GCM.Nonce(data: bytes(vector.nonce)))
        let box = try AES.GCM.seal(bytes(vector.message), using: key, nonce: nonce)
        #expect(hex(box.ciphertext) == vector.sealed && hex(box.tag) == vector.tag)
        let received = try AES.GCM.SealedBox(nonce: nonce, ciphertext: bytes(vector.sealed), tag: bytes(vector.tag))
        #expect(hex(try AES.GCM.open(received, using: key)) == vector.message)
    }

    @Test func `a changed tag, message, nonce or key opens nothing`() throws {
        let (key, nonce) = (bytes(Self.key), bytes("cafebabefacedbaddecaf888"))
        let box = try AES.GCM.seal(
            Array("a message".utf8), using: SymmetricKey(data: key), nonce: AES.GCM.Nonce(data: nonce))
        func opens(_ nonce: [UInt8], _ text: [UInt8], _ tag: [UInt8], _ key: [UInt8]) -> Bool {
            (try? AES.GCM.open(
                AES.GCM.SealedBox(nonce: AES.GCM.Nonce(data: nonce), ciphertext: text, tag: tag),
                using: SymmetricKey(data: key))) != nil
        }
        let (text, tag) = (Array(box.ciphertext), Array(box.tag))
        func changed(_ bytes: [UInt8], _ bit: Int) -> [UInt8] {
            var bytes = bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            return bytes
        }
        #expect(opens(nonce, text, tag, key))
        for bit in 0..<128 { #expect(!opens(nonce, text, changed(tag, bit), key)) }
        for bit in 0..<72 { #expect(!opens(nonce, changed(text, bit), tag, key)) }
        for bit in 0..<96 { #expect(!opens(changed(nonce, bit), text, tag, key)) }
        for bit in 0..<128 { #expect(!opens(nonce, text, tag, changed(key, bit))) }
        #expect(!opens(nonce, text + [0], tag, key) && !opens(nonce, text.dropLast(), tag, key))
        #expect(!opens(nonce, [], tag, key) && !opens(nonce, text, [UInt8](repeating: 0, count: 16), key))
    }

    @Test func `a short tag, a short nonce and a short key are refused`() throws {
        let nonce = try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 12))
        for count in 0..<16 {
            #expect(throws: CryptoKitError.self) {
                try AES.GCM.SealedBox(
                    nonce: nonce, ciphertext: [1, 2] as [UInt8], tag: [UInt8](repeating: 0, count: count))
            }
        }
        for count in 0..<12 {
            #expect(throws: CryptoKitError.self) { try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: count)) }
        }
        for count in [0, 1, 15, 17, 31, 33, 64] {
            #expect(throws: CryptoKitError.self) {
                try AES.GCM.seal(
                    [1] as [UInt8], using: SymmetricKey(data: [UInt8](repeating: 0, count: count)), nonce: nonce)
            }
        }
    }

    @Test func `messages of all lengths survive`() throws {
        let key = SymmetricKey(size: .bits256)
        let nonce = try AES.GCM.Nonce(data: [UInt8](repeating: 7, count: 12))
        for count in [0, 1, 15, 16, 17, 4096, 100_000] {
            let message = Data(repeating: 5, count: count)
            #expect(try AES.GCM.open(AES.GCM.seal(message, using: key, nonce: nonce), using: key) == message)
        }
    }
}
