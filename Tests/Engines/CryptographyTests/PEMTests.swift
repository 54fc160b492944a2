import Cryptography
import Foundation
import TestSupport
import Testing

/// Keys as text, and what `openssl` says to them.
struct PEMTests {
    /// The key of RFC 6979 in PKCS #8 and in SEC 1.
    static let pkcs8 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFX
        Z7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6JVqdMclh63TGNW1owEm4kjth
        +mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ
        -----END PRIVATE KEY-----
        """
    static let sec1 = PEM.text(
        bytes("30310201010420" + P256Tests.number + "a00a06082a8648ce3d030107"), kind: "EC PRIVATE KEY")

    static func der(_ digits: String) -> String { PEM.text(bytes(digits), kind: "PRIVATE KEY") }

    @Test(arguments: [pkcs8, sec1, pkcs8 + "\n", pkcs8.replacing("\n", with: "\r\n")])
    func `a key is read from PKCS 8 and SEC 1`(text: String) throws {
        let key = try P256.Signing.PrivateKey(pemRepresentation: text)
        #expect(hex(key.rawRepresentation) == P256Tests.number)
        #expect(Array(key.publicKey.x963Representation) == bytes(P256Tests.point))
        #expect(key.pemRepresentation == Self.pkcs8)
    }

    @Test(arguments: [
        "", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----",
        // Junk in the text, around it, and other labels.
        pkcs8.replacing("MIGH", with: "MIG!"), pkcs8.replacing("MIGH", with: "MIGHA"), "junk\n" + pkcs8,
        pkcs8 + "\njunk", pkcs8 + "\n" + pkcs8, pkcs8.replacing("END PRIVATE", with: "END EC PRIVATE"),
        pkcs8.replacing("PRIVATE KEY", with: "PUBLIC KEY"), pkcs8.replacing("PRIVATE KEY", with: "CERTIFICATE"),
        pkcs8.replacing("PRIVATE KEY", with: "ENCRYPTED PRIVATE KEY"), pkcs8.replacing("-----BEGIN", with: "----BEGIN"),
        // A length of 4 GB, an endless length, an empty sequence, a number that is too long, too short or zero.
        der("3084ffffffff020100"), der("3080020100"), der("3000"), der("30"), der("05"),
        der("30320201010421" + P256Tests.number + "00a00a06082a8648ce3d030107"),
        der("30310201010420" + P256Tests.zero + "a00a06082a8648ce3d030107"),
        der("30310201010420" + P256Tests.order + "a00a06082a8648ce3d030107"),
        // The curve secp256k1, no curve, and a byte after the key.
        der("302e0201010420" + P256Tests.number + "a00706052b8104000a"), der("30250201010420" + P256Tests.number),
        der("30310201010420" + P256Tests.number + "a00a06082a8648ce3d03010700"),
    ]) func `other texts are no key`(text: String) {
        #expect(throws: (any Error).self) { try P256.Signing.PrivateKey(pemRepresentation: text) }
    }

    @Test func `damaged keys never trap, and read keys sign`() throws {
        var random = SeededGenerator(3)
        for original in [Self.pkcs8, Self.sec1] {
            let whole = Array(try #require(PEM.bytes(of: original, kinds: "PRIVATE KEY", "EC PRIVATE KEY")))
            for count in 0..<whole.count {
                let text = PEM.text(whole.prefix(count), kind: "PRIVATE KEY")
                #expect(throws: (any Error).self, "\(count)") { try P256.Signing.PrivateKey(pemRepresentation: text) }
            }
            for _ in 0..<500 {
                var damaged = whole
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    damaged[Int.random(in: damaged.indices, using: &random)] = .random(in: 0...255, using: &random)
                }
                let text = PEM.text(damaged, kind: "PRIVATE KEY")
                guard let key = try? P256.Signing.PrivateKey(pemRepresentation: text) else { continue }
                let signature = try key.signature(for: Data("a".utf8))
                #expect(key.publicKey.isValidSignature(signature, for: Data("a".utf8)))
            }
        }
    }

    @Test func `a block is found in a text, and lines have 64 characters`() throws {
        let text = "# Apple\r\n\r\n" + Self.pkcs8.replacing("\n", with: "\r\n") + "\r\nrest\n" + Self.sec1
        #expect(PEM.block(in: text) == Self.pkcs8 && PEM.block(in: "none") == "")
        for count in [1, 47, 48, 49, 96, 100] {
            let lines = PEM.text([UInt8](repeating: 1, count: count), kind: "X").split(separator: "\n")
            #expect(lines.dropFirst().dropLast(2).allSatisfy { $0.count == 64 } && lines.last == "-----END X-----")
            #expect(PEM.bytes(of: lines.joined(separator: "\n"), kinds: "X") == Data(repeating: 1, count: count))
        }
    }

    @Test func `openssl and this module read each other's keys and signatures`() async throws {
        guard await Shell.has("openssl") else { return }
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func path(_ name: String) -> String { folder.appending(path: name).path }
        func openssl(_ words: String...) async throws -> Shell.Outcome { try await Shell.run(["openssl"] + words) }
        let message = Data("message".utf8)
        try message.write(to: folder.appending(path: "message"))

        // Our key and our signature.
        let key = P256.Signing.PrivateKey()
        try key.pemRepresentation.write(toFile: path("own.key"), atomically: true, encoding: .utf8)
        try key.publicKey.pemRepresentation.write(toFile: path("own.pub"), atomically: true, encoding: .utf8)
        try key.signature(for: message).derRepresentation.write(to: folder.appending(path: "own.sig"))
        let checked = try await openssl("pkey", "-in", path("own.key"), "-check", "-pubcheck", "-noout", "-text")
        #expect(checked.status == 0 && checked.output.contains("prime256v1"), "\(checked.output)")
        let own = try await openssl("pkey", "-in", path("own.key"), "-pubout")
        #expect(own.output == key.publicKey.pemRepresentation + "\n")
        let verified = try await openssl(
            "dgst", "-sha256", "-verify", path("own.pub"), "-signature", path("own.sig"), path("message"))
        #expect(verified.output == "Verified OK\n")

        // Its keys, in both forms, and secrets of both.
        for form in [
            "ecparam -name prime256v1 -genkey -noout", "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256",
        ] {
            let made = try await Shell.run(
                ["openssl"] + form.split(separator: " ").map { String($0) } + ["-out", path("its.key")])
            #expect(made.status == 0, "\(made.output)")
            let text = try String(contentsOfFile: path("its.key"), encoding: .utf8)
            let its = try P256.Signing.PrivateKey(pemRepresentation: text)
            _ = try await openssl("dgst", "-sha256", "-sign", path("its.key"), "-out", path("its.sig"), path("message"))
            let signature = try Self.raw(Array(Data(contentsOf: folder.appending(path: "its.sig"))))
            #expect(its.publicKey.isValidSignature(try .init(rawRepresentation: signature), for: message))
            _ = try await openssl(
                "pkeyutl", "-derive", "-inkey", path("its.key"), "-peerkey", path("own.pub"), "-out", path("shared"))
            let agreement = try P256.KeyAgreement.PrivateKey(rawRepresentation: key.rawRepresentation)
            let secret = try agreement.sharedSecretFromKeyAgreement(
                with: .init(x963Representation: its.publicKey.x963Representation))
            #expect(secret.withUnsafeBytes { Data($0) } == (try Data(contentsOf: folder.appending(path: "shared"))))
        }

        // Keys that are none of ours.
        for form in [
            "ecparam -name secp384r1 -genkey -noout", "ecparam -name secp256k1 -genkey -noout",
            "genpkey -algorithm ed25519", "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024",
        ] {
            _ = try await Shell.run(
                ["openssl"] + form.split(separator: " ").map { String($0) } + ["-out", path("other.key")])
            let text = try String(contentsOfFile: path("other.key"), encoding: .utf8)
            #expect(throws: (any Error).self, "\(form)") { try P256.Signing.PrivateKey(pemRepresentation: text) }
        }
        _ = try await openssl(
            "pkcs8", "-topk8", "-in", path("own.key"), "-passout", "pass:secret", "-out", path("locked.key"))
        let locked = try String(contentsOfFile: path("locked.key"), encoding: .utf8)
        #expect(locked.contains("ENCRYPTED"))
        for text in [locked, locked.replacing("ENCRYPTED ", with: "")] {
            #expect(throws: (any Error).self) { try P256.Signing.PrivateKey(pemRepresentation: text) }
        }
    }

    /// r and s of a signature in DER.
    private static func raw(_ der: [UInt8]) throws -> [UInt8] {
        var (result, place) = ([UInt8](), 2)
        for _ in 0..<2 {
            let count = Int(der[place + 1])
            let number = der[(place + 2)..<(place + 2 + count)].drop { $0 == 0 }
            result += [UInt8](repeating: 0, count: 32 - number.count) + number
            place += 2 + count
        }
        return result
    }
}
