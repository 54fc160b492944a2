import Database
import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

/// `selene audit`, and what other commands write into it.
@Suite(.serialized) struct AuditCommands {
    private func entries(_ home: SeleneHome, _ more: String...) async throws -> [AuditEntry] {
        let shown = try await home.run(["audit", "--json"] + more)
        #expect(shown.status == 0, "\(shown.errors)")
        return try JSONDecoder().decode([AuditEntry].self, from: Data(shown.output.utf8))
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `each change of a command leaves one entry, without a key`(_ place: NotesPlace) async throws {
        guard let home = try await SeleneHome.with(notesIn: place) else { return }
        func run(_ arguments: String..., status: Int32 = 0) async throws -> String {
            let shown = try await home.run(arguments)
            #expect(shown.status == status && !shown.errors.contains("audit"), "\(arguments): \(shown.errors)")
            return shown.output
        }
        #expect(try await run("audit") == "No entries.\n")
        let secret = try await run("keys", "create", "phone", "--scope", "llm").trimmingCharacters(in: .newlines)
        let line = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOmp5phtPW6nOeyBR3IkBAsNEfBLnDX2LuNSYXEcR9pJ laptop"
        _ = try await run("keys", "create", "laptop", "--ollama", line)
        _ = try await run("keys", "create", "phone", status: 1)
        _ = try await run("keys", "set", "phone", "--scope", "llm", "--scope", "admin")
        _ = try await run("keys", "revoke", "phone")
        _ = try await run("keys", "revoke", "phone", status: 1)
        let offer = try await run("pair", "tablet", "--json", "--scope", "notes:read")
        _ = try await run("keys", "sign-out", "99", status: 1)
        _ = try await run("spaces", "rollback", status: 1)
        _ = try await run("keys", "list")
        let found = try await entries(home)
        #expect(
            found.map { "\($0.action) \($0.object ?? "") \($0.objectID ?? "")" } == [
                "device.offer tablet ", "key.revoke phone 1", "key.change phone 1", "key.create laptop 2",
                "key.create phone 1",
            ])
        #expect(found.map(\.detail) == ["notes:read", nil, "llm admin", "llm notes:read notes:write", "llm"])
        #expect(found.allSatisfy { $0.by == "command line" && $0.keyID == nil && $0.outcome == "done" })
        #expect(found.allSatisfy { $0.status == nil && $0.requestID == nil })
        let all = try await run("audit", "--json")
        let code = try #require(offer.firstMatch(of: #/"code" ?: ?"([A-Z]+)"/#)).1
        #expect(!all.contains(secret.suffix(20)) && !all.contains(code) && !all.contains("AAAAC3"))
        // Tables, filters and what is wrong.
        let text = try await run("audit", "--action", "key.create")
        #expect(text.split(separator: "\n").count == 2 && text.contains("command line  key.create  laptop (2)  done"))
        #expect(try await entries(home, "--limit", "2").map(\.action) == ["device.offer", "key.revoke"])
        #expect(try await run("audit", "--limit", "2").contains("There are more: --limit"))
        #expect(try await entries(home, "--since", "2001-01-01").count == 5)
        #expect(try await entries(home, "--since", "2999-01-01").isEmpty)
        #expect(try await entries(home, "--key", "7").isEmpty)
        for (wrong, said) in [
            (["--action", "key.creat"], "did you mean \"key.create\"?"), (["--limit", "0"], "expected 1 to 10000"),
            (["--since", "soon"], "expected a date"),
        ] {
            let shown = try await home.run(["audit"] + wrong)
            #expect(shown.status == 64 && shown.errors.contains(said), "\(wrong): \(shown.errors)")
        }
        let help = try await home.run(["audit", "--help"])
        #expect(help.output.contains("setting.reload") && help.output.contains("100000"), "\(help.output)")
    }

    @Test(.slow) func `commands and a gateway that write at once lose nothing`() async throws {
        let home = try SeleneHome()
        let admin = try await home.run(["keys", "create", "admin", "--scope", "admin", "--scope", "llm"])
        let token = admin.output.trimmingCharacters(in: .newlines)
        try await ServeProcess.with([:], home: home) { server in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        let shown = try await home.run(["keys", "create", "c\(number)"])
                        #expect(shown.status == 0, "\(shown.errors)")
                    }
                    group.addTask {
                        let reply = try await server.request(
                            "POST", "/api/admin/keys", #"{"name":"h\#(number)","scopes":["llm"]}"#,
                            headers: [("Authorization", "Bearer \(token)")])
                        #expect(reply.status == 201, "\(reply.text)")
                    }
                }
                try await group.waitForAll()
            }
            // A command through the running gateway is named, too.
            let stopped = try await home.run(["requests", "cancel", "99999"])
            #expect(stopped.status == 1)
        }
        let found = try await entries(home)
        let names = (0..<6).flatMap { ["c\($0)", "h\($0)"] }
        #expect(found.count == 14 && Set(found.compactMap(\.object)) == Set(names + ["admin"]))
        #expect(found.first?.action == "request.stop" && found.first?.by == "this machine")
        for entry in found where entry.object?.hasPrefix("h") == true {
            #expect(entry.by == "admin" && entry.keyID == 1 && entry.status == 201)
        }
    }

    @Test func `a key is made although its entry cannot be written, which is said`() async throws {
        let home = try SeleneHome()
        #expect(try await home.run(["keys", "list"]).status == 0)
        let database = try GatewayDatabase(path: home.database)
        try await database.run("DROP TABLE gateway_audit")
        let made = try await home.run(["keys", "create", "phone"])
        #expect(made.status == 0 && made.output.hasPrefix("slk_"))
        #expect(made.errors.contains("an entry of the audit was not written"), "\(made.errors)")
        #expect(!made.errors.contains(made.output.trimmingCharacters(in: .newlines)))
        #expect(try await database.keys.find("phone").revokedAt == nil)
        try database.close()
    }
}
