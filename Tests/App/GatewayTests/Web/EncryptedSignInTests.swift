import Certificates
import Foundation
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

@testable import Gateway

/// Sign-in over TLS with an authority of `selene tls init`. Needs `curl`, and says so without it.
@Suite(.serialized) struct EncryptedSignIn {
    @Test(.slow) func `over TLS the cookie has the host's prefix, and the authority can be fetched`() async throws {
        guard await Shell.has("curl") else { return }
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-tls-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let authority = LocalAuthority(folder: folder.path)
        try authority.create(names: LocalAuthority.ownNames, now: .now)
        let settings = ["tls_certificate": authority.certificateFile, "tls_key": authority.keyFile]
        try await LiveGateway.with(settings: settings) { gateway in
            func curl(_ path: String, _ more: [String] = []) async throws -> String {
                let outcome = try await Shell.run(
                    ["curl", "-sS", "--max-time", "20", "--cacert", authority.authorityFile] + more
                        + ["https://127.0.0.1:\(gateway.port)\(path)"])
                #expect(outcome.status == 0, "\(outcome.output)")
                return outcome.output
            }
            #expect(try await curl("/ca.crt") == String(contentsOfFile: authority.authorityFile, encoding: .utf8))
            let page = try await curl("/ca", ["-i", "-H", "Accept-Language: de"])
            #expect(page.contains("text/html") && page.contains("default-src 'none'; style-src 'self'"))
            let fingerprint = try authority.fingerprint()
            #expect(page.contains("<html lang=\"de\">") && page.contains(fingerprint))
            #expect(page.contains("https://127.0.0.1:\(gateway.port)/ca"))
            let der = folder.appending(path: "ca.cer")
            let type = try await curl("/ca.cer", ["-o", der.path, "-w", "%{content_type}"])
            #expect(type == "application/x-x509-ca-cert")
            let bytes = try [UInt8](Data(contentsOf: der))
            #expect(try bytes == authority.der())
            #expect(try await curl("/ca.svg", ["-i"]).contains("image/svg+xml"))
            #expect(try await curl("/web/session").contains(#""has_authority":true"#))
            let key = try await gateway.store.keys.create(name: "phone")
            try await gateway.waitForKeys()
            let own = ["-H", "X-Selene: 1", "-H", "Sec-Fetch-Site: same-origin"]
            let jar = folder.appending(path: "cookies").path
            let signedIn = try await curl(
                "/web/session", own + ["-i", "-c", jar, "-d", #"{"key":"\#(key.secret)"}"#])
            #expect(signedIn.contains("__Host-selene=slw_") && signedIn.contains("; Secure"))
            #expect(signedIn.contains(#""secure":true"#))
            #expect(try await curl("/web/session", own + ["-b", jar]).contains(#""signed_in":true"#))
            let cookies = try String(contentsOfFile: jar, encoding: .utf8)
            let secret = try #require(cookies.firstMatch(of: #/slw_\S+/#)).0
            // The plain name does not count here: a page without TLS could have set it.
            let status = ["-o", "/dev/null", "-w", "%{http_code}"]
            #expect(try await curl("/api/notes", own + status + ["-b", "__Host-selene=\(secret)"]) == "200")
            #expect(try await curl("/api/notes", own + status + ["-b", "selene=\(secret)"]) == "401")
            let plainPage = ["-H", "X-Selene: 1", "-H", "Origin: http://127.0.0.1:\(gateway.port)"]
            #expect(try await curl("/api/notes", plainPage + status + ["-b", "__Host-selene=\(secret)"]) == "403")
        }
    }

    @Test func `a gateway without an authority has none to give`() async throws {
        try await LiveGateway.with { (gateway: LiveGateway) async throws in
            for path in ["/ca", "/ca.crt", "/ca.cer", "/ca.svg"] {
                let reply = try await gateway.request("GET", path)
                #expect(reply.status == 404 && reply.error.contains("selene tls init"), "\(path)")
            }
        }
    }
}
