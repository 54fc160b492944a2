import FakeOllama
import Foundation
import GatewayTestSupport
import TestSupport
import Testing

@testable import Access
@testable import Gateway
@testable import LLM
@testable import Search
@testable import Server

/// HTTPS with a certificate of a test's own authority. Needs the `openssl` and `curl` commands, and says so without them.
@Suite(.serialized) struct EncryptedConnections {
    /// An authority and certificates in a folder.
    struct Authority {
        let folder: URL

        init() async throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "selene-tls-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try await openssl([
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=Test authority", "-keyout", path("ca.key"), "-out", path("ca.pem"),
            ])
        }

        func path(_ name: String) -> String { folder.appending(path: name).path }

        /// A certificate for 127.0.0.1 with a serial number, under a name.
        func issue(_ name: String, serial: Int) async throws {
            try Data("subjectAltName=IP:127.0.0.1,DNS:localhost\n".utf8).write(to: folder.appending(path: "names"))
            try await openssl([
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=127.0.0.1",
                "-keyout", path(name + ".key"), "-out", path(name + ".csr"),
            ])
            try await openssl([
                "x509", "-req", "-in", path(name + ".csr"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"),
                "-set_serial", String(serial), "-days", "1", "-extfile", path("names"), "-out", path(name + ".pem"),
            ])
        }

        private func openssl(_ arguments: [String]) async throws {
            let outcome = try await Shell.run(["openssl"] + arguments)
            try #require(outcome.status == 0, "\(outcome.output)")
        }

        /// The serial number of the certificate that a server shows, in hexadecimal.
        func serial(at port: Int) async throws -> String {
            try await Shell.run([
                "sh", "-c",
                "openssl s_client -connect 127.0.0.1:\(port) </dev/null 2>/dev/null | openssl x509 -noout -serial",
            ]).output.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        func curl(_ gateway: LiveGateway, _ path: String, _ more: [String] = []) async throws -> Shell.Outcome {
            try await Shell.run(
                ["curl", "-sS", "--max-time", "20", "--cacert", self.path("ca.pem")] + more
                    + ["https://127.0.0.1:\(gateway.port)\(path)"])
        }
    }

    @Test(.slow) func `every kind of request works over TLS`() async throws {
        guard await Shell.has("openssl", "curl") else { return }
        let authority = try await Authority()
        defer { try? FileManager.default.removeItem(at: authority.folder) }
        try await authority.issue("a", serial: 17)
        let settings = ["tls_certificate": authority.path("a.pem"), "tls_key": authority.path("a.key")]
        try await LiveGateway.with(settings: settings) { gateway in
            let health = try await authority.curl(gateway, "/health", ["-w", " %{http_version}"])
            #expect(health.output.contains(#""status":"ok""#) && health.output.hasSuffix(" 2"))
            #expect(try await authority.curl(gateway, "/api/version").output.contains("0.33.0"))
            let chat = #"{"model":"llama3.2","messages":[{"role":"user","content":"x"}]}"#
            let stream = try await authority.curl(gateway, "/api/chat", ["-d", chat])
            #expect(stream.output.split(separator: "\n").count == 33)
            #expect(try await authority.curl(gateway, "/v1/models").output.contains("llama3.2"))
            let big = try await authority.curl(
                gateway, "/api/llm/generate", ["-d", #"{"prompt":"\#(String(repeating: "x", count: 90_000))"}"#])
            #expect(big.output.contains(#""done_reason":"stop""#))
            // Several requests on one connection.
            let again = try await authority.curl(
                gateway, "/health", ["https://127.0.0.1:\(gateway.port)/api/version", "-w", "%{num_connects}"])
            #expect(again.output.hasSuffix("0"))
            // Plain HTTP is answered with the end of the connection, and the server goes on.
            let plain = try await Shell.run([
                "curl", "-sS", "--max-time", "5", "http://127.0.0.1:\(gateway.port)/health",
            ])
            #expect(plain.status != 0)
            let old = try await authority.curl(gateway, "/health", ["--tls-max", "1.1"])
            #expect(old.status != 0)
            #expect(try await authority.curl(gateway, "/health").status == 0)
        }
    }

    @Test(.slow) func `a renewed certificate is shown to new connections, and a running stream goes on`() async throws {
        guard await Shell.has("openssl", "curl") else { return }
        let authority = try await Authority()
        defer { try? FileManager.default.removeItem(at: authority.folder) }
        for (name, serial) in [("a", 17), ("b", 18), ("live", 17)] { try await authority.issue(name, serial: serial) }
        let settings = ["tls_certificate": authority.path("live.pem"), "tls_key": authority.path("live.key")]
        var options = FakeOllama.Options()
        options.tokens = 30
        options.tokensPerSecond = 15
        try await LiveGateway.with(options, settings: settings) { gateway in
            #expect(try await authority.serial(at: gateway.port) == "serial=11")
            let prompt = #"{"model":"llama3.2","prompt":"x"}"#
            async let stream = authority.curl(gateway, "/api/generate", ["-N", "-d", prompt])
            #expect(await gateway.fake.waitUntil { $0.inFlight == 1 && $0.bytesWritten > 200 })
            // The files come one after the other; in between they do not fit, and the old ones stay.
            func put(_ name: String, _ ending: String) throws {
                let data = try Data(contentsOf: authority.folder.appending(path: name + ending))
                try data.write(to: authority.folder.appending(path: "live" + ending), options: .atomic)
            }
            try put("b", ".pem")
            #expect(await gateway.application.reloadConfiguration() == false)
            #expect(try await authority.serial(at: gateway.port) == "serial=11")
            try put("b", ".key")
            // Nobody asks for it: the files have changed.
            #expect(try await eventually { try await authority.serial(at: gateway.port) == "serial=12" })
            let lines = try await stream.output.split(separator: "\n")
            #expect(lines.count == 31)
            #expect(lines.last?.contains(#""done":true"#) == true)
        }
    }

    @Test func `files that cannot be used are named with the reason`() async throws {
        guard await Shell.has("openssl") else { return }
        let authority = try await Authority()
        defer { try? FileManager.default.removeItem(at: authority.folder) }
        for name in ["a", "b"] { try await authority.issue(name, serial: 1) }
        try Data("no PEM".utf8).write(to: authority.folder.appending(path: "text"))
        func reason(_ certificate: String?, _ key: String?) -> String {
            do {
                let files = try TLSFiles(
                    certificate: certificate.map(authority.path), key: key.map(authority.path))
                if let files { _ = try TLSIdentity(files, maxStreams: 100) }
                return "none"
            } catch {
                return "\(error)"
            }
        }
        #expect(reason("a.pem", "a.key") == "none")
        #expect(reason("a.pem", "b.key").contains("does not belong to the certificate"))
        #expect(reason("none.pem", "a.key").contains("cannot read the TLS certificate \(authority.path("none.pem"))"))
        #expect(reason("a.pem", "none.key").contains("cannot read the TLS key"))
        #expect(reason("text", "a.key").contains("is not a PEM certificate"))
        #expect(reason("a.pem", "text").contains("is not a PEM private key"))
        #expect(reason("a.pem", nil).contains("SELENE_TLS_KEY is not"))
        #expect(reason(nil, "a.key").contains("SELENE_TLS_CERTIFICATE is not"))
        let home = try SeleneHome()
        let outcome = try await home.run(
            ["serve", "--port", "0"],
            ["SELENE_TLS_CERTIFICATE": authority.path("a.pem"), "SELENE_TLS_KEY": authority.path("b.key")])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("does not belong to the certificate"))
    }
}
