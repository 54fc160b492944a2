import Crypto
package import Foundation
import Machine
import Storage
import SwiftASN1
import X509

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A certificate authority of this machine in a folder, with the one certificate that it issues.
///
/// The authority may sign for local names and networks and for the names that it was created for, and for nothing else
/// (name constraints), so that a stolen authority cannot stand in for other sites.
package struct LocalAuthority: Sendable {
    /// How long a certificate of the server is valid. Apple's systems refuse more than 825 days.
    static let serverLifetime: TimeInterval = 90 * 86_400
    /// The rest of a certificate's time at which it is renewed.
    static let renewalTime: TimeInterval = 30 * 86_400
    private static let lifetime: TimeInterval = 3650 * 86_400
    /// Certificates are valid a little earlier, for devices whose clock is slow.
    private static let earlier: TimeInterval = 3600

    /// The folder of the four files.
    package let folder: String
    /// The authority's certificate, to be installed on devices, in PEM.
    package var authorityFile: String { folder + "/ca.crt" }
    /// The server's certificate, in PEM.
    package var certificateFile: String { folder + "/server.crt" }
    /// The server's private key, in PEM.
    package var keyFile: String { folder + "/server.key" }
    private var authorityKeyFile: String { folder + "/ca.key" }

    /// An authority in a folder, which may not exist yet.
    package init(folder: String) { self.folder = folder }

    /// The authority in the folder of a server's certificate; nil when there is none.
    package init?(besideCertificate path: String) {
        self.init(folder: URL(filePath: path).deletingLastPathComponent().path)
        guard exists else { return nil }
    }

    /// Whether the folder has an authority that can issue certificates.
    package var exists: Bool {
        [authorityFile, authorityKeyFile, keyFile, certificateFile].allSatisfy {
            FileManager.default.isReadableFile(atPath: $0)
        }
    }

    /// Creates the authority with new keys, and the server's certificate.
    ///
    /// - Throws: ``StorageError`` when a file cannot be written.
    package func create(names: [ServerName], now: Date) throws {
        try PrivateFile.createFolder(folder)
        let key = P256.Signing.PrivateKey()
        let signer = Certificate.PrivateKey(key)
        let subject = try DistinguishedName {
            CommonName("Selene local authority \(Self.day(now))")
            OrganizationName("Selene Gateway")
        }
        let own = names.filter { !$0.isLocal }
        let domains = ServerName.localDomains + own.compactMap { if case .name(let text) = $0 { text } else { nil } }
        let ranges =
            ServerName.localRanges
            + own.compactMap { name -> [UInt8]? in
                guard case .address(let bytes) = name else { return nil }
                return bytes + [UInt8](repeating: 255, count: bytes.count)
            }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: signer.publicKey,
            notValidBefore: now - Self.earlier, notValidAfter: now + Self.lifetime, issuer: subject, subject: subject,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                Critical(
                    NameConstraints(
                        permittedDNSDomains: domains,
                        permittedIPRanges: ranges.map { ASN1OctetString(contentBytes: $0[...]) }))
                SubjectKeyIdentifier(hash: signer.publicKey)
            }, issuerPrivateKey: signer)
        try write(key.pemRepresentation, to: authorityKeyFile)
        try write(try certificate.serializeAsPEM().pemString, to: authorityFile)
        try write(P256.Signing.PrivateKey().pemRepresentation, to: keyFile)
        try issue(names, now: now)
    }

    /// Issues the server's certificate again, with the same key.
    ///
    /// - Throws: ``StorageError``; errors of X509 when a file is damaged.
    func issue(_ names: [ServerName], now: Date) throws {
        let authority = try Certificate(pemEncoded: try text(authorityFile))
        let signer = try Certificate.PrivateKey(pemEncoded: try text(authorityKeyFile))
        let key = try Certificate.PrivateKey(pemEncoded: try text(keyFile))
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key.publicKey, notValidBefore: now - Self.earlier,
            notValidAfter: min(now + Self.serverLifetime, authority.notValidAfter), issuer: authority.subject,
            subject: try DistinguishedName { CommonName(names.first?.text ?? "selene") },
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names.map(\.generalName))
                SubjectKeyIdentifier(hash: key.publicKey)
                AuthorityKeyIdentifier(keyIdentifier: try authority.extensions.subjectKeyIdentifier?.keyIdentifier)
            }, issuerPrivateKey: signer)
        try write(try certificate.serializeAsPEM().pemString, to: certificateFile)
    }

    /// Renews the server's certificate when less than 30 days are left, or when the machine has an address that it lacks.
    ///
    /// - Parameter addresses: The machine's addresses; those outside of local networks are left out.
    /// - Returns: Whether it was renewed.
    /// - Throws: ``StorageError``; errors of X509 when a file is damaged.
    package func renewIfDue(addresses: [ServerName], now: Date) throws -> Bool {
        let current = try Certificate(pemEncoded: try text(certificateFile))
        let names = try self.names(of: current)
        let new = addresses.filter { $0.isLocal && !names.contains($0) }
        guard !new.isEmpty || current.notValidAfter < now + Self.renewalTime else { return false }
        try issue(names + new, now: now)
        return true
    }

    /// The names of the server's certificate and the end of its time.
    package func server() throws -> (names: [ServerName], end: Date) {
        let current = try Certificate(pemEncoded: try text(certificateFile))
        return (try names(of: current), current.notValidAfter)
    }

    /// The names and addresses of this machine that belong to local networks.
    package static var ownNames: [ServerName] {
        let host = NetworkAddresses.hostName.split(separator: ".").first.map { String($0) } ?? ""
        let texts = ["\(host).local", "\(host).lan", "localhost", "127.0.0.1", "::1"] + NetworkAddresses.current
        return texts.compactMap { ServerName($0) }.filter(\.isLocal)
    }

    /// The authority's certificate in PEM; nil when it cannot be read.
    package var pem: String? { try? text(authorityFile) }

    /// The authority's certificate in DER.
    ///
    /// - Throws: Errors of Foundation and of SwiftASN1 when the file is missing or damaged.
    package func der() throws -> [UInt8] { try PEMDocument(pemString: try text(authorityFile)).derBytes }

    /// SHA-256 of the authority's certificate, as devices show it.
    package func fingerprint() throws -> String {
        SHA256.hash(data: try der()).map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined(separator: ":")
    }

    private func names(of certificate: Certificate) throws -> [ServerName] {
        try certificate.extensions.subjectAlternativeNames?.compactMap { ServerName($0) } ?? []
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    /// Writes a file with mode 0600 beside its final name, and renames it.
    private func write(_ text: String, to path: String) throws {
        let temporary = path + ".new"
        try? FileManager.default.removeItem(atPath: temporary)
        guard PrivateFile.create(temporary) else {
            throw StorageError(.cannotOpen, "cannot write \(path)")
        }
        let file = try FileHandle(forWritingTo: URL(filePath: temporary))
        try file.write(contentsOf: Data((text.hasSuffix("\n") ? text : text + "\n").utf8))
        try file.synchronize()
        try file.close()
        guard unsafe rename(temporary, path) == 0 else { throw StorageError(.cannotOpen, "cannot write \(path)") }
    }

    private static func day(_ date: Date) -> String {
        String(Timestamp.text(Int64(date.timeIntervalSince1970)).prefix(10))
    }
}
