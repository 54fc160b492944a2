import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

@Suite(.serialized) struct PairCommands {
    @Test(.slow) func `a code is printed with its address and a QR code, and signs a device in`() async throws {
        let home = try SeleneHome()
        let shown = try await home.run(["pair", "phone", "--scope", "llm", "--url", "https://a.example/"])
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.output.contains("█"))
        let code = try #require(shown.output.firstMatch(of: #/Open https:\/\/a\.example\/#pair=([A-Z]{8})\n/#)).1
        #expect(shown.output.contains("\(code.prefix(4))-\(code.suffix(4))"))
        let json = try await home.run(["pair", "tablet", "--json", "--expires", "30d"], ["SELENE_HOST": "10.8.0.1"])
        #expect(json.output.contains("http://10.8.0.1:5678/#pair="))
        let database = try GatewayDatabase(path: home.database)
        let now = Int64(Date.now.timeIntervalSince1970)
        let typed = try #require(PairingCode(String(code)))
        let found = try await database.pairings.redeem(
            typed, poll: nil, session: "s", userAgent: "Firefox", now: now)
        let paired = try #require(found)
        #expect(paired.key.name == "phone" && paired.key.grant.scopes == [.llm])
        let sessions = try await home.run(["keys", "sessions"])
        #expect(sessions.output.contains("phone") && sessions.output.contains("Firefox"))
        #expect(try await home.run(["keys", "sign-out", "\(paired.session.id)"]).status == 0)
        #expect(try await home.run(["keys", "sign-out", "\(paired.session.id)"]).status == 1)
        #expect(try await home.run(["keys", "sessions", "--json"]).output.hasPrefix("[]"))
        // A device's own request is approved by its code.
        let request = PairingCode()
        _ = try await database.pairings.request(
            request, poll: "p", name: "desk", userAgent: "", address: "10.8.0.9", now: now)
        let approved = try await home.run(["pair", "--approve", request.grouped, "--scope", "notes:read"])
        #expect(approved.output == "approved desk at 10.8.0.9\n")
        #expect(try await database.pairings.isApproved(request, poll: "p", now: now) == true)
        #expect(try await home.run(["pair", "--approve", request.grouped]).status == 1)
        for wrong in [
            ["pair"], ["pair", "x", "--approve", "BCDFGHJK"], ["pair", "--approve", "x"],
            ["pair", "x", "--url", "ftp://a"],
        ] {
            #expect(try await home.run(wrong).status == 64, "\(wrong)")
        }
        try database.close()
    }

    @Test func `a certificate is made once for this machine, and shown`() async throws {
        let home = try SeleneHome()
        #expect(try await home.run(["tls", "show"]).status == 64)
        let made = try await home.run(["tls", "init", "--name", "home.example.org"])
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.contains("home.example.org") && made.output.contains("127.0.0.1"))
        #expect(made.output.contains("for devices  https://127.0.0.1:") && !made.output.contains("█"))
        #expect(made.errors.contains("other devices cannot reach"))
        let shown = try await home.run(["tls", "show"])
        #expect(shown.output == made.output)
        let reached = try await home.run(["tls", "show"], ["SELENE_HOST": "10.8.0.1", "SELENE_PORT": "443"])
        #expect(reached.output.contains("for devices  https://10.8.0.1/ca\n") && reached.output.contains("█"))
        let behind = try await home.run(["tls", "show", "--url", "https://home.example.org/"])
        #expect(behind.output.contains("for devices  https://home.example.org/ca\n") && behind.output.contains("█"))
        #expect(try await home.run(["tls", "show", "--url", "http://home.example.org"]).status == 64)
        #expect(try await home.run(["tls", "init"]).status == 64)
        #expect(try await home.run(["tls", "init", "--force"]).status == 0)
        #expect(try await home.run(["tls", "show"]).output != made.output)
        #expect(try await home.run(["tls", "init", "--force", "--name", "*.example.org"]).status == 64)
    }
}
