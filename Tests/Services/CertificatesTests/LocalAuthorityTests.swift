import Foundation
import GatewayAPI
import Machine
import TestSupport
import Testing

@testable import Certificates

@Suite struct LocalAuthorities {
    private let now = Date(timeIntervalSince1970: Date.now.timeIntervalSince1970.rounded(.down))

    private func with(_ names: [String], _ body: (LocalAuthority) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-ca-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let authority = LocalAuthority(folder: folder.path)
        #expect(!authority.exists)
        try authority.create(names: names.compactMap { ServerName($0) }, now: now)
        #expect(authority.exists)
        try await body(authority)
    }

    @Test func `names and addresses are read, and others refused`() {
        for text in ["selene.local", "10.8.0.1", "fd00::1", "localhost", "a-b.example.org"] {
            #expect(ServerName(text)?.text == text)
        }
        #expect(ServerName("Home.LAN")?.text == "home.lan")
        for text in [
            "", "*.local", "a b", "-a", "a-", "10.8.0", "1.2.3.4.5", "a..b", "ü.local", "a/b",
            String(repeating: "a", count: 64),
        ] {
            #expect(ServerName(text) == nil, "\(text)")
        }
        for (text, isLocal) in [
            ("10.255.0.1", true), ("172.31.0.1", true), ("172.32.0.1", false), ("192.168.1.1", true),
            ("100.127.0.1", true),
            ("100.128.0.1", false), ("127.0.0.1", true), ("8.8.8.8", false), ("fd12::1", true), ("2001:db8::1", false),
            ("::1", true), ("selene.local", true), ("evillocal", false), ("example.org", false),
        ] { #expect(ServerName(text)?.isLocal == isLocal, "\(text)") }
        // A certificate of another program may have an address of any length.
        for count in [0, 1, 5, 17] { #expect(ServerName(tag: 0x87, [UInt8](repeating: 9, count: count)[...]) == nil) }
        #expect(ServerName(tag: 0x87, [10, 8, 0, 7])?.text == "10.8.0.7")
    }

    @Test func `openssl accepts the certificate for its names, and the authority for no other`() async throws {
        guard await Shell.has("openssl") else { return }
        try await with(["selene.local", "10.8.0.1", "fd00::1", "home.example.org"]) { authority in
            for name in [
                ["-verify_hostname", "selene.local"], ["-verify_hostname", "home.example.org"],
                ["-verify_ip", "10.8.0.1"],
                ["-verify_ip", "fd00::1"],
            ] {
                let outcome = try await verify(authority, name)
                #expect(outcome.status == 0, "\(name): \(outcome.output)")
            }
            for name in [["-verify_hostname", "other.local"], ["-verify_ip", "10.8.0.2"]] {
                #expect(try await verify(authority, name).status != 0, "\(name)")
            }
            // Whoever has the authority's key cannot use it for other sites.
            try authority.issue([.name("bank.example.com")], now: now)
            let outcome = try await verify(authority, ["-verify_hostname", "bank.example.com"])
            #expect(outcome.status != 0 && outcome.output.contains("permitted subtree violation"), "\(outcome.output)")
            let shown = try await Shell.run([
                "openssl", "x509", "-in", authority.authorityFile, "-noout", "-fingerprint", "-sha256",
            ])
            #expect(shown.output.contains(try authority.fingerprint()))
        }
    }

    @Test func `keys are private, and a renewal keeps the key and the names`() async throws {
        try await with(["selene.local"]) { authority in
            for name in ["ca.key", "ca.crt", "server.key", "server.crt"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: authority.folder + "/" + name)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
            let key = try String(contentsOfFile: authority.keyFile, encoding: .utf8)
            let first = try authority.server()
            #expect(first.names == [.name("selene.local")] && first.end == now + LocalAuthority.serverLifetime)
            let due = first.end - LocalAuthority.renewalTime
            #expect(try !authority.renewIfDue(addresses: [], now: due))
            #expect(try authority.renewIfDue(addresses: [], now: due + 1))
            let second = try authority.server()
            #expect(second.names == first.names && second.end == due + 1 + LocalAuthority.serverLifetime)
            #expect(try String(contentsOfFile: authority.keyFile, encoding: .utf8) == key)
            // The machine's new address in a local network is added; a public one is not.
            let addresses = ["10.8.0.7", "8.8.8.8"].compactMap { ServerName($0) }
            #expect(try authority.renewIfDue(addresses: addresses, now: due + 2))
            #expect(try authority.server().names.map(\.text) == ["selene.local", "10.8.0.7"])
            #expect(try !authority.renewIfDue(addresses: addresses, now: due + 3))
        }
    }

    @Test func `openssl reads all that the certificates say`() async throws {
        guard await Shell.has("openssl") else { return }
        try await with(["selene.local", "10.8.0.1", "fd00::1", "home.example.org", "203.0.113.7"]) { authority in
            let root = try await shown(authority.authorityFile)
            for text in [
                "Version: 3 (0x2)", "Signature Algorithm: ecdsa-with-SHA256", "Issuer: CN = Selene local authority 20",
                ", O = Selene Gateway", "Public-Key: (256 bit)", "NIST CURVE: P-256",
                "X509v3 Basic Constraints: critical CA:TRUE, pathlen:0",
                "X509v3 Key Usage: critical Certificate Sign, CRL Sign", "X509v3 Name Constraints: critical Permitted:",
                "DNS:localhost DNS:local DNS:lan DNS:internal DNS:home.arpa DNS:home.example.org IP:10.0.0.0/255.0.0.0",
                "IP:127.0.0.0/255.0.0.0", "IP:203.0.113.7/255.255.255.255", "X509v3 Subject Key Identifier:",
            ] { #expect(root.contains(text), "\(text): \(root)") }
            let server = try await shown(authority.certificateFile)
            for text in [
                "Issuer: CN = Selene local authority 20", "Subject: CN = selene.local",
                "X509v3 Basic Constraints: critical CA:FALSE", "X509v3 Key Usage: critical Digital Signature",
                "X509v3 Extended Key Usage: TLS Web Server Authentication", "DNS:selene.local, IP Address:10.8.0.1",
                "IP Address:FD00:0:0:0:0:0:0:1, DNS:home.example.org, IP Address:203.0.113.7",
            ] { #expect(server.contains(text), "\(text): \(server)") }
            // The server's certificate names the key of the authority.
            func identifier(_ text: String, _ title: String) -> Substring? {
                text.components(separatedBy: title).dropFirst().first?.split(separator: " ").first
            }
            let own = identifier(root, "X509v3 Subject Key Identifier:")
            #expect(own?.count == 59 && own == identifier(server, "X509v3 Authority Key Identifier:"))
            let strict = try await Shell.run([
                "openssl", "verify", "-x509_strict", "-CAfile", authority.authorityFile, authority.certificateFile,
            ])
            #expect(strict.status == 0, "\(strict.output)")
        }
    }

    @Test(arguments: [
        "2026-02-28 23:59:59", "2028-02-29 00:00:00", "2039-12-31 23:00:00", "2040-01-02 00:00:00",
        "2049-10-01 12:30:45",
    ]) func `times before and after 2050 are read as they were written`(text: String) async throws {
        let folder = try TemporaryFolder()
        let authority = LocalAuthority(folder: folder.url.path + "/tls")
        let time = Date(timeIntervalSince1970: TimeInterval(try #require(Timestamp.unixSeconds(text))))
        try authority.create(names: [.name("selene.local")], now: time)
        #expect(try authority.server().end == time + LocalAuthority.serverLifetime)
        guard await Shell.has("openssl") else { return }
        let dates = try await Shell.run([
            "openssl", "x509", "-in", authority.authorityFile, "-noout", "-startdate", "-enddate", "-dateopt",
            "iso_8601",
        ])
        let (start, end) = (Int64(time.timeIntervalSince1970) - 3600, Int64(time.timeIntervalSince1970) + 3650 * 86_400)
        #expect(dates.output == "notBefore=\(Timestamp.text(start))Z\nnotAfter=\(Timestamp.text(end))Z\n")
    }

    @Test func `an authority of an earlier version is read and renewed`() async throws {
        let folder = try TemporaryFolder()
        let authority = LocalAuthority(folder: folder.url.path)
        for (name, text) in Earlier.files {
            try text.write(toFile: authority.folder + "/" + name, atomically: true, encoding: .utf8)
        }
        let first = try authority.server()
        #expect(first.names.map(\.text) == Earlier.names)
        #expect(Timestamp.text(Int64(first.end.timeIntervalSince1970)) == "2027-02-25 21:06:47")
        #expect(try authority.fingerprint() == Earlier.fingerprint)
        let due = first.end - LocalAuthority.renewalTime + 1
        #expect(try authority.renewIfDue(addresses: [], now: due))
        let second = try authority.server()
        #expect(second.names == first.names && second.end == due + LocalAuthority.serverLifetime)
        guard await Shell.has("openssl") else { return }
        let outcome = try await Shell.run([
            "openssl", "verify", "-attime", "\(Int(due.timeIntervalSince1970))", "-x509_strict", "-CAfile",
            authority.authorityFile, "-verify_hostname", "home.example.org", authority.certificateFile,
        ])
        #expect(outcome.status == 0, "\(outcome.output)")
    }

    @Test func `a certificate never outlives its authority`() async throws {
        try await with(["selene.local"]) { authority in
            let late = now + 3600 * 86_400
            try authority.issue([.name("selene.local")], now: late)
            #expect(try authority.server().end == now + 3650 * 86_400)
        }
    }

    @Test func `a damaged file is named in the error, and never traps`() async throws {
        try await with(["selene.local", "10.8.0.1"]) { authority in
            for (file, name) in [(authority.certificateFile, "certificate"), (authority.keyFile, "private key")] {
                let whole = try String(contentsOfFile: file, encoding: .utf8)
                try "damaged".write(toFile: file, atomically: true, encoding: .utf8)
                let error = #expect(throws: FileError.self) {
                    _ = try authority.server()
                    try authority.issue([], now: now)
                }
                #expect(error?.message.contains("\(file) is damaged: expected a \(name)") == true, "\(error as Any)")
                try whole.write(toFile: file, atomically: true, encoding: .utf8)
            }
            let der = try authority.der()
            for count in 0..<der.count {
                #expect(throws: DER.Reader.Damaged.self) { try Certificate(der: Array(der.prefix(count))) }
            }
            var random = SeededGenerator(4)
            for _ in 0..<Gear.rounds(20_000) {
                var damaged = der
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    damaged[Int.random(in: damaged.indices, using: &random)] = .random(in: 0...255, using: &random)
                }
                _ = try? Certificate(der: damaged)
            }
        }
    }

    /// What `openssl x509 -text` prints, with one space for all that is between two words.
    private func shown(_ path: String) async throws -> String {
        let outcome = try await Shell.run(["openssl", "x509", "-in", path, "-noout", "-text"])
        #expect(outcome.status == 0, "\(outcome.output)")
        return outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private func verify(_ authority: LocalAuthority, _ name: [String]) async throws -> Shell.Outcome {
        try await Shell.run(
            ["openssl", "verify", "-CAfile", authority.authorityFile, "-purpose", "sslserver"] + name
                + [authority.certificateFile])
    }
}
