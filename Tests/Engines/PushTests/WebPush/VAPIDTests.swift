import Cryptography
import GatewayAPI
import Schedules
import Testing

@testable import Push

struct VAPIDTests {
    private static let now = Instant(seconds: 1_700_000_000)

    @Test func `a token names origin, end and sender`() throws {
        let key = VAPIDSigner.makeKey()
        let signer = try VAPIDSigner(key: key, subject: "mailto:ops@example.com")
        let token = try signer.sign(origin: "https://push.example.com:8443", at: Self.now)
        let text = try #require(token.authorization.split(separator: " ", maxSplits: 1).last)
        #expect(token.authorization.hasPrefix("vapid t="))
        let fields = text.split(separator: ",").map { $0.drop { $0 == " " } }
        try #require(fields.count == 2)
        #expect(fields[1] == "k=" + signer.publicKey)
        let parts = fields[0].dropFirst(2).split(separator: ".").map(String.init)
        let texts = try parts.map { try #require(Base64URL.decode($0)) }
        try #require(texts.count == 3)
        #expect(String(decoding: texts[0], as: UTF8.self) == #"{"typ":"JWT","alg":"ES256"}"#)
        #expect(
            String(decoding: texts[1], as: UTF8.self)
                == #"{"aud":"https://push.example.com:8443","exp":1700043200,"sub":"mailto:ops@example.com"}"#)
        let publicKey = try P256.Signing.PublicKey(x963Representation: #require(Base64URL.decode(signer.publicKey)))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: texts[2])
        #expect(publicKey.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
        #expect(!"\(signer)".contains(key))
    }

    @Test func `the key may be PEM`() throws {
        let key = P256.Signing.PrivateKey()
        let signer = try VAPIDSigner(key: key.pemRepresentation, subject: "https://example.com/contact")
        #expect(signer.publicKey == Base64URL.encode(key.publicKey.x963Representation))
    }

    @Test(arguments: [
        "", "ops@example.com", "mailto:", "mailto:@example.com", "mailto:x@localhost", "mailto:x@nas.local",
        "mailto:x@1.2.3.4", "mailto:x@\u{212A}.com",
        "mailto:x@y@example.com", "mailto:a b@example.com", "http://example.com", "https://localhost",
        "https://10.0.0.1",
        "mailto:x@" + String(repeating: "a", count: 300) + ".com",
    ])
    func `a subject has to reach someone on the Internet`(subject: String) {
        let error = #expect(throws: PushFieldError.self) {
            try VAPIDSigner(key: VAPIDSigner.makeKey(), subject: subject)
        }
        #expect(error?.field == "subject")
    }

    @Test(arguments: ["", "AAAA", String(repeating: "A", count: 43), String(repeating: "_", count: 43)])
    func `a key that is none is refused`(key: String) {
        let error = #expect(throws: PushFieldError.self) { try VAPIDSigner(key: key, subject: "mailto:a@b.de") }
        #expect(error?.field == "key")
    }

    @Test(arguments: [(0, false), (21_599, false), (21_600, true), (-60, false), (-61, true)] as [(Int64, Bool)])
    func `a token lives for six hours`(age: Int64, isOver: Bool) {
        let token = VAPIDToken(authorization: "", signed: Self.now)
        #expect(token.isOver(at: Self.now.adding(seconds: age)) == isOver)
    }
}
