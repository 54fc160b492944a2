import Cryptography
import Foundation
import Testing

/// RFC 4231 and RFC 5869.
struct KeyedHashTests {
    struct Code: Sendable { var key: [UInt8], data: [UInt8], code: String }

    static let codes = [
        Code(
            key: [UInt8](repeating: 0x0B, count: 20), data: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Code(
            key: Array("Jefe".utf8), data: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Code(
            key: [UInt8](repeating: 0xAA, count: 20), data: [UInt8](repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Code(
            key: Array(1...25), data: [UInt8](repeating: 0xCD, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        Code(
            key: [UInt8](repeating: 0xAA, count: 131),
            data: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Code(
            key: [UInt8](repeating: 0xAA, count: 131),
            data: Array(
                """
                This is a test using a larger than block-size key and a larger than block-size data. The key needs to be \
                hashed before being used by the HMAC algorithm.
                """.utf8), code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
        // Of an empty key and an empty message.
        Code(key: [], data: [], code: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ]

    @Test(arguments: codes) func `HMAC has the vectors of RFC 4231`(vector: Code) {
        let key = SymmetricKey(data: vector.key)
        let code = HMAC<SHA256>.authenticationCode(for: vector.data, using: key)
        #expect(hex(code) == vector.code)
        #expect(HMAC<SHA256>.isValidAuthenticationCode(bytes(vector.code), authenticating: vector.data, using: key))
    }

    @Test func `a code that is changed, short, long or of another key is invalid`() {
        let (key, data) = (SymmetricKey(data: Array("Jefe".utf8)), Array("message".utf8))
        let code = Array(HMAC<SHA256>.authenticationCode(for: data, using: key))
        func isValid(_ code: [UInt8], _ data: [UInt8] = data, _ key: SymmetricKey = key) -> Bool {
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: data, using: key)
        }
        #expect(isValid(code))
        for bit in 0..<256 {
            var changed = code
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!isValid(changed))
        }
        for count in 0..<32 { #expect(!isValid(Array(code.prefix(count)))) }
        #expect(!isValid(code + [0]) && !isValid(code, data + [0]))
        #expect(!isValid(code, data, SymmetricKey(data: Array("Jeff".utf8))))
    }

    @Test(
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 22), Array(0...0x0C), Array(0xF0...0xF9), 42,
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
            ),
            (
                Array(0...0x4F), Array(0x60...0xAF), Array(0xB0...0xFF), 82,
                """
                b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09\
                da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
                """
            ),
            (
                [UInt8](repeating: 0x0B, count: 22), [], [], 42,
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
            ),
        ] as [([UInt8], [UInt8], [UInt8], Int, String)])
    func `HKDF has the vectors of RFC 5869`(
        material: [UInt8], salt: [UInt8], info: [UInt8], count: Int, derived: String
    ) {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: material), salt: salt, info: info, outputByteCount: count)
        #expect(key.withUnsafeBytes { hex($0) } == derived)
    }

    @Test func `keys derive up to the limit of HKDF`() {
        for count in [1, 31, 32, 33, 255 * 32] {
            let key = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: [1]), salt: [2] as [UInt8], info: [3] as [UInt8],
                outputByteCount: count)
            #expect(key.withUnsafeBytes { $0.count } == count)
        }
    }

    @Test func `random keys differ`() {
        let keys = (0..<100).map { _ in SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) } }
        #expect(Set(keys).count == 100 && keys.allSatisfy { $0.count == 32 })
    }
}
