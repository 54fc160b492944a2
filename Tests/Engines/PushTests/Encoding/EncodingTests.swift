import Cryptography
import Schedules
import TestSupport
import Testing

@testable import Push

struct EncodingTests {
    @Test func `base64url has the vectors of RFC 4648`() {
        for (text, encoded) in [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ] {
            #expect(Base64URL.encode(text.utf8) == encoded)
            #expect(Base64URL.decode(encoded) == Array(text.utf8))
        }
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
        #expect(Base64URL.decode("-_8=") == [0xFB, 0xFF])
    }

    @Test(arguments: ["A", "AAAAA", "+/8", "Zg=", "Zg===", "Zh", "Zm9", "Z g", "=", "Zm9v="])
    func `other texts are no base64url`(text: String) { #expect(Base64URL.decode(text) == nil) }

    @Test func `random bytes survive base64url`() {
        var random = SeededGenerator(1)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    private static let now = Instant(seconds: 784_111_777)

    @Test(
        arguments: [
            ("0", 0), ("120", 120), (" 120 ", 120), ("604800", 604_800), ("604801", 604_800),
            ("99999999999999999999999", 604_800), ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
            ("Sun, 06 Nov 1994 08:48:37 GMT", 0), ("Thu, 31 Dec 2099 23:59:59 GMT", 604_800), ("-1", nil), ("1.5", nil),
            ("", nil), ("soon", nil), ("Sun, 31 Feb 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil),
            ("Sun, 6 Nov 1994 08:49:37 GMT", nil), ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("1 2", nil),
        ] as [(String, Int64?)])
    func `Retry-After is read in seconds and as a date`(text: String, seconds: Int64?) {
        #expect(RetryAfter.seconds(text, now: Self.now) == seconds)
    }

    @Test func `no Retry-After is nil`() { #expect(RetryAfter.seconds(nil, now: Self.now) == nil) }

    @Test func `keys are read from PEM`() throws {
        let key = P256.Signing.PrivateKey()
        #expect(try PrivateKeyText.pem(key.pemRepresentation, field: "key").rawRepresentation == key.rawRepresentation)
        let text = "# Apple\r\n" + key.pemRepresentation.split(separator: "\n").joined(separator: "\r\n") + "\r\n"
        #expect(throws: Never.self) { try PrivateKeyText.pem(text, field: "key") }
        let raw = Base64URL.encode(key.rawRepresentation)
        #expect(try PrivateKeyText.raw(raw, field: "key").rawRepresentation == key.rawRepresentation)
    }

    /// A new key of the curve P-384, which nobody uses.
    static let otherCurve = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDSJlpDD3QISDdnQ76D
        4P8DET1CFHs6y9yov5zvQvO3SiofvD5d1pUvH/aUWEdpTSGhZANiAATWbTOZnyVK
        e36QdxOQLOhQNDUvBTQdwkngdyD6WQPHrdsIrpuk0rtv/+sFen1gsIicsgAEqUBs
        iwW8NLEI3wt4/ZIu/kp9lD6tM0HV+jJi7kmwe9eZdxrjsP9O/Sxpm0g=
        -----END PRIVATE KEY-----
        """

    static let broken: [(String, String)] = [
        ("", "expected a private key in PEM"), ("hello", "expected a private key in PEM"),
        (String(repeating: "a", count: 9000), "at most 8192 bytes"),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----", "passphrase"),
        (P256.Signing.PrivateKey().publicKey.pemRepresentation, "got PUBLIC KEY"),
        (otherCurve, "not a key of the curve P-256"),
        ("-----BEGIN PRIVATE KEY-----", "damaged"),
        ("-----BEGIN PRIVATE KEY-----\n!\n-----END PRIVATE KEY-----", "damaged"),
        (P256.Signing.PrivateKey().pemRepresentation + "\n" + P256.Signing.PrivateKey().pemRepresentation, "got 2"),
    ]

    @Test(arguments: broken) func `a text without a key is refused`(text: String, reason: String) {
        let error = #expect(throws: PushFieldError.self) { try PrivateKeyText.pem(text, field: "apns.key") }
        #expect(error?.field == "apns.key")
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func `damaged keys never trap`() {
        var random = SeededGenerator(2)
        let key = Array(P256.Signing.PrivateKey().pemRepresentation.utf8)
        for _ in 0..<3000 {
            var bytes = key
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 10...126, using: &random)
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
            _ = try? PrivateKeyText.pem(String(decoding: bytes, as: UTF8.self), field: "key")
        }
    }
}
