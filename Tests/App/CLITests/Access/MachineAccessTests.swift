import Foundation
import GatewayTestSupport
import Server
import Storage
import TestSupport
import Testing

/// The command line of the gateway's own machine: its key, the gateway that it finds, and what it says about both.
@Suite(.serialized) struct MachineAccess {
    @Test(.slow) func `commands of this machine need no key, and find the gateway where it listens`() async throws {
        let home = try SeleneHome()
        #expect(try await home.run(["keys", "create", "phone"]).status == 0)
        let path = LocalAccessRecord.path(besides: home.database)
        // The end waits for open requests only.
        try await ServeProcess.with(["SELENE_DRAIN_TIMEOUT": "3600"], home: home) { server in
            try await waitUntil { FileManager.default.fileExists(atPath: path) }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let shown = try await home.run(["requests"])
            #expect(shown.status == 0, "\(shown.errors)")
            #expect(shown.errors.contains("asking the gateway at http://127.0.0.1:\(server.port)\n"))
            let json = try await home.run(["requests", "--json"])
            #expect(json.status == 0 && json.errors.isEmpty, "\(json.errors)")
            let pair = try await home.run(["pair", "tablet", "--json"])
            #expect(pair.output.contains("http://127.0.0.1:\(server.port)/#pair="), "\(pair.output)")
            // A key of the environment goes first, also when it is wrong.
            #expect(try await home.run(["requests"], ["SELENE_KEY": "slk_wrong"]).status == 1)
            // The machine's key counts neither as a password nor behind a proxy.
            let key = try #require(try LocalAccessRecord.read(besides: home.database)).key
            let bearer = [(name: "Authorization", value: "Bearer \(key)")]
            #expect(try await server.request("GET", "/api/admin/keys", headers: bearer).status == 200)
            let forwarded = bearer + [(name: "X-Forwarded-For", value: "10.0.0.9")]
            #expect(try await server.request("GET", "/api/admin/keys", headers: forwarded).status == 403)
            let signIn = try await server.request(
                "POST", "/web/session", #"{"key":"\#(key)"}"#, headers: [("X-Selene", "1")])
            #expect(signIn.status == 401)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
        let gone = try await home.run(["requests"])
        #expect(gone.status == 1 && gone.errors.contains("no gateway runs on this database"))
        // A file that others may read is not used.
        let process = ProcessInfo.processInfo.processIdentifier
        let open = #"{"host":"127.0.0.1","port":9,"isEncrypted":false,"key":"sll_x","process":\#(process)}"#
        try Data(open.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(try await home.run(["requests"]).errors.contains("other users may read"))
    }

    @Test func `a killed gateway leaves no key that the next one takes`() async throws {
        let home = try SeleneHome()
        #expect(try await home.run(["keys", "create", "phone"]).status == 0)
        var first: LocalAccessRecord?
        try await ServeProcess.with([:], home: home) { server in
            try await waitUntil { try LocalAccessRecord.read(besides: home.database) != nil }
            first = try LocalAccessRecord.read(besides: home.database)
            try await server.end(SIGKILL)
        }
        #expect(try LocalAccessRecord.read(besides: home.database) == nil)
        let old = try #require(first)
        try await ServeProcess.with([:], home: home) { server in
            try await waitUntil { try LocalAccessRecord.read(besides: home.database) != nil }
            let reply = try await server.request(
                "GET", "/api/admin/keys", headers: [("Authorization", "Bearer \(old.key)")])
            #expect(reply.status == 403)
            #expect(try await home.run(["requests"]).status == 0)
        }
    }

    @Test(.slow, arguments: ["slk_abcdefghijklmnopqrstuvwxyz", "SLK_abcdefghijklmnopqrstuvwxyz", "slw_x", "sll_x"])
    func `a client's key is never the gateway's token`(key: String) async throws {
        let home = try SeleneHome()
        let served = try await home.run(["serve", "--port", "0"], ["SELENE_API_TOKEN": key])
        #expect(served.status == 64 && served.errors.contains("SELENE_KEY"), "\(served.errors)")
        #expect(!served.errors.contains("abcdefghij"))
        // In the configuration file as well.
        let file = home.url.appending(path: "c.json")
        try Data(#"{"api_token":"\#(key)"}"#.utf8).write(to: file)
        #expect(try await home.run(["serve", "--port", "0", "--config", file.path]).status == 64)
        let doctor = try await home.run(["doctor"], ["SELENE_API_TOKEN": key])
        #expect(doctor.output.contains("export the key as SELENE_KEY"))
    }

    @Test(.slow) func `clients read SELENE_KEY, and the former name only for a client's key, with a warning`()
        async throws
    {
        let home = try SeleneHome()
        let token = "a-token-of-some-length"
        let created = try await home.run(["keys", "create", "reader", "--scope", "admin"])
        let key = created.output.trimmingCharacters(in: .whitespacesAndNewlines)
        try await ServeProcess.with(["SELENE_API_TOKEN": token], home: home) { server in
            // Not the machine's key: another address than that of the file.
            let place = ["SELENE_URL": "http://localhost:\(server.port)"]
            func run(_ more: [String: String]) async throws -> SeleneHome.Outcome {
                try await home.run(["requests"], place.merging(more) { $1 })
            }
            #expect(try await run(["SELENE_KEY": key]).status == 0)
            #expect(try await run(["SELENE_KEY": token]).status == 0)
            let former = try await run(["SELENE_API_TOKEN": key])
            #expect(former.status == 0 && former.errors.contains("export it as SELENE_KEY"), "\(former.errors)")
            // The gateway's token does not leave under its own name.
            #expect(try await run(["SELENE_API_TOKEN": token]).status == 1)
            let books = try await home.run(["books", "list"], place.merging(["SELENE_KEY": token]) { $1 })
            #expect(books.status == 0 && books.errors.contains("asking the gateway"), "\(books.errors)")
            // The ids of a gateway's books are not those of the database here.
            let page = try await home.run(["books", "remove", "1"], place)
            #expect(page.status == 64 && page.errors.contains("--database FILE"), "\(page.errors)")
            let named = try await home.run(["books", "show", "1", "--database", home.database], place)
            #expect(named.status == 1 && !named.errors.contains("--database FILE"), "\(named.errors)")
            let show = try await home.run(["keys", "list"], place)
            #expect(show.errors.contains("does not ask SELENE_URL"), "\(show.errors)")
        }
    }

    @Test func `unknown variables and keys of the configuration are told with the nearest name`() async throws {
        let home = try SeleneHome()
        let shown = try await home.run(
            ["config"], ["SELENE_EMBED_MODELL": "x", "selene_port": "1", "SELENE_XYZZY_PLUGH": "1", "SELENE_KEY": "k"])
        #expect(shown.status == 0)
        #expect(shown.errors.contains("SELENE_EMBED_MODELL is no setting; did you mean SELENE_EMBED_MODEL?"))
        #expect(shown.errors.contains("selene_port is no setting; did you mean SELENE_PORT?"))
        #expect(shown.errors.contains("SELENE_XYZZY_PLUGH is no setting;") && !shown.errors.contains("SELENE_KEY "))
        let doctor = try await home.run(["doctor"], ["SELENE_EMBED_MODELL": "x"])
        #expect(doctor.output.contains("did you mean SELENE_EMBED_MODEL?"))
        let named = try await home.run(
            ["config"],
            [
                "SELENE_MY_OPENAI": "k",
                "SELENE_PROVIDERS":
                    #"{"o":{"kind":"openai","url":"http://127.0.0.1:9/v1","key_env":"SELENE_MY_OPENAI"}}"#,
            ])
        #expect(!named.errors.contains("no setting"), "\(named.errors)")
        let file = home.url.appending(path: "c.json")
        for (text, expected) in [
            (#"{"prot": 1}"#, "did you mean \"port\"?"),
            ("{\n  \"port\": 1\n  \"host\": \"::1\"\n}", "line 3: "), ("{\n  \"port\" 1\n}", "line 2: "),
            ("{\"port\": 1", "line 1: "), ("[1]", "JSON object"), ("{\"port\": yes}", "\"port\" in line 1"),
            ("{\"port\": [1, [2]]}", "\"port\""), ("{\"port\": 1} x", "line 1: "),
        ] {
            try Data(text.utf8).write(to: file)
            let outcome = try await home.run(["config", "--config", file.path])
            #expect(outcome.status == 64 && outcome.errors.contains(expected), "\(text): \(outcome.errors)")
            #expect(outcome.errors.utf8.count < 700, "\(text)")
        }
    }

    @Test(.slow) func `a limit of few open files is raised, or refused`() async throws {
        let home = try SeleneHome()
        func run(_ limits: String) async throws -> String {
            let process = home.process(
                ["serve", "--port", "0", "--host", "192.0.2.1"], ["SELENE_API_TOKEN": "a-token-of-some-length"])
            let binary = try #require(process.executableURL?.path)
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", "\(limits) && exec \"$0\" \"$@\"", binary] + (process.arguments ?? [])
            let file = home.url.appending(path: "errors")
            try Data().write(to: file)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = try FileHandle(forWritingTo: file)
            try await home.finish(process)
            return try String(contentsOf: file, encoding: .utf8)
        }
        #expect(try await run("ulimit -Sn 128 && ulimit -Hn 128").contains("limit of 128 open files"))
        #expect(try await run("ulimit -Sn 128 && ulimit -Hn 2048").contains("192.0.2.1 is not an address"))
    }
}
