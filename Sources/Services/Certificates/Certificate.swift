import Cryptography
import Foundation
import GatewayAPI

/// What the authority needs of a certificate (RFC 5280), and how it makes one.
struct Certificate {
    /// Whom the certificate is for, as bytes.
    let subject: [UInt8]
    /// The last second at which it is valid.
    let end: Date
    /// The names and addresses that it is for.
    let names: [ServerName]
    let keyIdentifier: [UInt8]?

    /// Reads a certificate. Its signature is not checked.
    ///
    /// - Throws: ``DER/Reader/Damaged``.
    init(der: [UInt8]) throws(DER.Reader.Damaged) {
        var (names, keyIdentifier) = ([ServerName](), [UInt8]?.none)
        var outer = DER.Reader(der[...])
        var certificate = try outer.open()
        var fields = try certificate.open()
        _ = try fields.next(0xA0)
        _ = try fields.next(DER.integer)
        for _ in 0..<2 { _ = try fields.next(DER.sequence) }
        var times = try fields.open()
        _ = try Self.time(&times)
        end = try Self.time(&times)
        subject = Array(try fields.next(DER.sequence, whole: true))
        _ = try fields.next(DER.sequence)
        while let tag = fields.tag {
            guard tag == 0xA3 else {
                _ = try fields.next(tag)
                continue
            }
            var list = try fields.open(tag)
            var extensions = try list.open()
            while extensions.tag != nil {
                var entry = try extensions.open()
                let kind = Array(try entry.next(DER.identifier))
                if entry.tag == DER.boolean { _ = try entry.next(DER.boolean) }
                var content = try entry.open(DER.bytes)
                if kind == Extension.names {
                    var texts = try content.open()
                    while let tag = texts.tag { names += ServerName(tag: tag, try texts.next(tag)).map { [$0] } ?? [] }
                } else if kind == Extension.keyIdentifier {
                    keyIdentifier = Array(try content.next(DER.bytes))
                }
            }
        }
        (self.names, self.keyIdentifier) = (names, keyIdentifier)
    }

    /// Makes a certificate, with a random number.
    ///
    /// - Parameters:
    ///   - issuer: The ``subject`` of the authority.
    ///   - extensions: Each from ``Extension``, without that of the key's identifier, which comes after them.
    ///   - last: Extensions that come after it.
    /// - Returns: The certificate in DER.
    static func make(
        key: P256.Signing.PublicKey, subject: [UInt8], issuer: [UInt8], from start: Date, to end: Date,
        extensions: [UInt8], last: [UInt8] = [], signer: P256.Signing.PrivateKey
    ) throws -> [UInt8] {
        var number = (0..<16).map { _ in UInt8.random(in: 0...255) }
        // Positive, and of 16 bytes.
        number[0] = number[0] & 0x7F | 0x40
        let identifier = Extension.make(
            Extension.keyIdentifier, DER.value(DER.bytes, Array(Self.identifier(of: key))))
        let fields = DER.sequence(
            DER.value(0xA0, DER.value(DER.integer, [2])), DER.value(DER.integer, number), ecdsaWithSHA256, issuer,
            DER.sequence(Self.bytes(of: start), Self.bytes(of: end)), subject, Array(key.derRepresentation),
            DER.value(0xA3, DER.sequence(extensions, identifier, last)))
        let signature = Array(try signer.signature(for: fields).derRepresentation)
        return DER.sequence(fields, ecdsaWithSHA256, DER.value(DER.bits, [0], signature))
    }

    /// A name: pairs of an attribute's last byte below 2.5.4 and its text, such as ``commonName``.
    static func name(_ parts: (UInt8, String)...) -> [UInt8] {
        DER.value(
            DER.sequence,
            parts.flatMap { attribute, text in
                DER.value(
                    DER.set,
                    DER.sequence(
                        DER.value(DER.identifier, [0x55, 4, attribute]), DER.value(DER.text, Array(text.utf8))))
            })
    }

    static let (commonName, organization): (UInt8, UInt8) = (3, 10)

    private static let ecdsaWithSHA256 = DER.sequence(
        DER.value(DER.identifier, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2]))

    /// SHA-1 of the public key, which names it and protects nothing (RFC 5280, section 4.2.1.2).
    private static func identifier(of key: P256.Signing.PublicKey) -> [UInt8] {
        Array(Insecure.SHA1.hash(data: key.x963Representation))
    }

    /// A time in the form with two digits for years before 2050, else in the one with four.
    private static func bytes(of date: Date) -> [UInt8] {
        let text = Timestamp.text(Int64(date.timeIntervalSince1970.rounded(.down)))
        let digits = text.utf8.filter { (0x30...0x39).contains($0) } + [UInt8(ascii: "Z")]
        let isShort = "1950" <= text && text < "2050"
        return DER.value(isShort ? 0x17 : 0x18, isShort ? Array(digits.dropFirst(2)) : digits)
    }

    private static func time(_ reader: inout DER.Reader) throws(DER.Reader.Damaged) -> Date {
        let isShort = reader.tag == 0x17
        let digits = String(decoding: try reader.next(isShort ? 0x17 : 0x18), as: UTF8.self)
        let text = isShort ? (digits < "5" ? "20" : "19") + digits : digits
        guard text.utf8.count == 15, text.hasSuffix("Z") else { throw DER.Reader.Damaged() }
        let parts = [4, 6, 8, 10, 12, 14].map { text.prefix($0).suffix($0 == 4 ? 4 : 2) }
        guard
            let seconds = Timestamp.unixSeconds(
                "\(parts[0])-\(parts[1])-\(parts[2]) \(parts[3]):\(parts[4]):\(parts[5])")
        else { throw DER.Reader.Damaged() }
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }

    /// What a certificate may be used for.
    enum Extension {
        static let names: [UInt8] = [0x55, 0x1D, 17]
        static let keyIdentifier: [UInt8] = [0x55, 0x1D, 14]

        static func make(_ kind: [UInt8], critical: Bool = false, _ content: [UInt8]) -> [UInt8] {
            DER.sequence(
                DER.value(DER.identifier, kind), critical ? DER.value(DER.boolean, [255]) : [],
                DER.value(DER.bytes, content))
        }

        /// The certificate signs others, which sign none.
        static let authority =
            make(
                [0x55, 0x1D, 19], critical: true,
                DER.sequence(DER.value(DER.boolean, [255]), DER.value(DER.integer, [0])))
            // Bits 5 and 6: certificates and lists of revoked ones.
            + make([0x55, 0x1D, 15], critical: true, DER.value(DER.bits, [1, 6]))

        /// The certificate is one of a TLS server, and signs none.
        static let server =
            make([0x55, 0x1D, 19], critical: true, DER.sequence())
            // Bit 0: signatures.
            + make([0x55, 0x1D, 15], critical: true, DER.value(DER.bits, [7, 0x80]))
            + make(
                [0x55, 0x1D, 37], DER.sequence(DER.value(DER.identifier, [0x2B, 6, 1, 5, 5, 7, 3, 1])))

        /// The only names that certificates of the authority may have: domains with all below them, and addresses with masks.
        static func permitted(_ domains: [String], _ ranges: [[UInt8]]) -> [UInt8] {
            let trees = domains.map { DER.value(0x82, Array($0.utf8)) } + ranges.map { DER.value(0x87, $0) }
            return make(
                [0x55, 0x1D, 30], critical: true,
                DER.sequence(DER.value(0xA0, trees.flatMap { DER.sequence($0) })))
        }

        static func names(_ list: [ServerName]) -> [UInt8] {
            make(names, DER.value(DER.sequence, list.flatMap(\.generalName)))
        }

        /// Which key of the authority has signed.
        static func signer(_ keyIdentifier: [UInt8]?) -> [UInt8] {
            make([0x55, 0x1D, 35], DER.sequence(keyIdentifier.map { DER.value(0x80, $0) } ?? []))
        }
    }
}
