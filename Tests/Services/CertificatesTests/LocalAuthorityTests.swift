import Foundation
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

    private func verify(_ authority: LocalAuthority, _ name: [String]) async throws -> Shell.Outcome {
        try await Shell.run(
            ["openssl", "verify", "-CAfile", authority.authorityFile, "-purpose", "sslserver"] + name
                + [authority.certificateFile])
    }
}
