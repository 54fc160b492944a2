import Cryptography
package import Foundation
import GatewayAPI
import Machine

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
    private static let kind = "CERTIFICATE"

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
    /// - Throws: ``FileError`` when a file cannot be written.
    package func create(names: [ServerName], now: Date) throws {
        try PrivateFile.createFolder(folder)
        let key = P256.Signing.PrivateKey()
        let subject = Certificate.name(
            (Certificate.commonName, "Selene local authority \(Self.day(now))"),
            (Certificate.organization, "Selene Gateway"))
        let own = names.filter { !$0.isLocal }
        let domains = ServerName.localDomains + own.compactMap { if case .name(let text) = $0 { text } else { nil } }
        let ranges =
            ServerName.localRanges
            + own.compactMap { name -> [UInt8]? in
                guard case .address(let bytes) = name else { return nil }
                return bytes + [UInt8](repeating: 255, count: bytes.count)
            }
        let certificate = try Certificate.make(
            key: key.publicKey, subject: subject, issuer: subject, from: now - Self.earlier, to: now + Self.lifetime,
            extensions: Certificate.Extension.authority + Certificate.Extension.permitted(domains, ranges), signer: key)
        try write(key.pemRepresentation, to: authorityKeyFile)
        try write(PEM.text(certificate, kind: Self.kind), to: authorityFile)
        try write(P256.Signing.PrivateKey().pemRepresentation, to: keyFile)
        try issue(names, now: now)
    }

    /// Issues the server's certificate again, with the same key.
    ///
    /// - Throws: ``FileError``, also for a damaged file; errors of Foundation when a file is missing.
    func issue(_ names: [ServerName], now: Date) throws {
        let (authority, signer) = (try certificate(authorityFile), try key(authorityKeyFile))
        let certificate = try Certificate.make(
            key: try key(keyFile).publicKey,
            subject: Certificate.name((Certificate.commonName, names.first?.text ?? "selene")),
            issuer: authority.subject, from: now - Self.earlier, to: min(now + Self.serverLifetime, authority.end),
            extensions: Certificate.Extension.server + Certificate.Extension.names(names),
            last: Certificate.Extension.signer(authority.keyIdentifier), signer: signer)
        try write(PEM.text(certificate, kind: Self.kind), to: certificateFile)
    }

    /// Renews the server's certificate when less than 30 days are left, or when the machine has an address that it lacks.
    ///
    /// - Parameter addresses: The machine's addresses; those outside of local networks are left out.
    /// - Returns: Whether it was renewed.
    /// - Throws: ``FileError``, also for a damaged file; errors of Foundation when a file is missing.
    package func renewIfDue(addresses: [ServerName], now: Date) throws -> Bool {
        let current = try certificate(certificateFile)
        let new = addresses.filter { $0.isLocal && !current.names.contains($0) }
        guard !new.isEmpty || current.end < now + Self.renewalTime else { return false }
        try issue(current.names + new, now: now)
        return true
    }

    /// The names of the server's certificate and the end of its time.
    package func server() throws -> (names: [ServerName], end: Date) {
        let current = try certificate(certificateFile)
        return (current.names, current.end)
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
    /// - Throws: An error of Foundation when the file is missing, ``FileError`` when it is damaged.
    package func der() throws -> [UInt8] { try der(authorityFile) }

    /// SHA-256 of the authority's certificate, as devices show it.
    package func fingerprint() throws -> String {
        SHA256.hash(data: try der()).map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined(separator: ":")
    }

    private func certificate(_ path: String) throws -> Certificate {
        let bytes = try der(path)
        do { return try Certificate(der: bytes) } catch { throw Self.damaged(path, "certificate") }
    }

    private func der(_ path: String) throws -> [UInt8] {
        guard let bytes = PEM.bytes(of: PEM.block(in: try text(path)), kinds: Self.kind) else {
            throw Self.damaged(path, "certificate")
        }
        return Array(bytes)
    }

    private func key(_ path: String) throws -> P256.Signing.PrivateKey {
        let block = PEM.block(in: try text(path))
        do { return try P256.Signing.PrivateKey(pemRepresentation: block) } catch {
            throw Self.damaged(path, "private key of the curve P-256")
        }
    }

    private static func damaged(_ path: String, _ expected: String) -> FileError {
        FileError(
            .cannotOpen, "\(path) is damaged: expected a \(expected) in PEM; `selene tls init --force` makes new files")
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    /// Writes a file with mode 0600 beside its final name, and renames it.
    private func write(_ text: String, to path: String) throws {
        let temporary = path + ".new"
        try? FileManager.default.removeItem(atPath: temporary)
        guard PrivateFile.create(temporary) else {
            throw FileError(.cannotOpen, "cannot write \(path)")
        }
        let file = try FileHandle(forWritingTo: URL(filePath: temporary))
        try file.write(contentsOf: Data((text.hasSuffix("\n") ? text : text + "\n").utf8))
        try file.synchronize()
        try file.close()
        guard unsafe rename(temporary, path) == 0 else { throw FileError(.cannotOpen, "cannot write \(path)") }
    }

    private static func day(_ date: Date) -> String {
        String(Timestamp.text(Int64(date.timeIntervalSince1970)).prefix(10))
    }
}
