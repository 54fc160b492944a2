import FakeOllama
import Foundation
import GRDB
import GatewayAPI
import Database
import GatewayTestSupport
import Logging
import PostgresStorage
import Storage
import TestSupport
import Testing

/// `selene doctor`: each fault is found with a remedy, and what is safe is repaired.
@Suite(.serialized) struct Doctor {
    private struct Report {
        var status: Int32
        var findings: [[String: Any]]
        var text: String

        func severity(_ check: String) -> Set<String> {
            Set(findings.filter { $0["check"] as? String == check }.compactMap { $0["severity"] as? String })
        }

        func message(_ check: String) -> String {
            findings.filter { $0["check"] as? String == check }.compactMap { $0["message"] as? String }
                .joined(separator: "\n")
        }
    }

    private func doctor(
        _ home: SeleneHome, _ environment: [String: String], fix: Bool = false
    ) async throws -> Report {
        let outcome = try await home.run(["doctor", "--json"] + (fix ? ["--fix"] : []), environment)
        let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        let findings = try #require(object?["findings"] as? [[String: Any]], "\(outcome.output) \(outcome.errors)")
        for finding in findings where finding["severity"] as? String != "ok" {
            #expect(finding["remedy"] is String, "\(finding)")
        }
        return Report(status: outcome.status, findings: findings, text: outcome.output)
    }

    private func change(_ home: SeleneHome, _ sql: String) async throws {
        var lenient = Configuration()
        lenient.foreignKeysEnabled = false
        let raw = try DatabaseQueue(path: home.database, configuration: lenient)
        try await raw.write { try $0.execute(sql: sql) }
        try raw.close()
    }

    /// A database with embedded notes, an index file, and an Ollama that answers.
    private func with(_ body: (SeleneHome, [String: String]) async throws -> Void) async throws {
        try await FakeOllama.withServer { fake in
            let home = try SeleneHome()
            let settings = ["OLLAMA_HOST": fake.baseURL]
            for arguments in [["ingest", try home.writeNotes(20)], ["backfill"], ["index", "build"]] {
                let outcome = try await home.run(arguments, settings)
                #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
            }
            try await body(home, settings)
        }
    }

    @Test func `a healthy gateway has no problem, for people and for machines`() async throws {
        try await with { home, settings in
            let report = try await doctor(home, settings)
            #expect(report.status == 0, "\(report.text)")
            // How full this machine's disk is, is no matter of the gateway's.
            let others = report.findings.filter { $0["check"] as? String != "disk space" }
            #expect(Set(others.compactMap { $0["severity"] as? String }) == ["ok"], "\(report.text)")
            for check in [
                "version", "database", "references", "clock", "triggers", "odd rows", "queue", "index", "permissions",
                "left-over files", "disk space", "settings", "upstreams",
            ] { #expect(!report.severity(check).isEmpty, "\(check)") }
            let text = try await home.run(["doctor"], settings)
            #expect(text.status == 0 && text.output.contains("\n0 problems, "), "\(text.output)")
        }
    }

    @Test func `the search server is asked for JSON without a query, and what is wrong has a remedy`() async throws {
        let home = try SeleneHome()
        let answers: [(ScriptedServer.Answer, Set<String>, String)] = [
            (.reply(400, #"{"error": "No query"}"#), ["ok"], "answers in JSON"),
            (.reply(403, ""), ["problem"], "search.formats"), (.drop, ["problem"], "cannot be reached"),
        ]
        for (answer, severity, word) in answers {
            let server = try ScriptedServer { _ in answer }
            defer { server.stop() }
            let report = try await doctor(home, ["SELENE_WEB_SEARCH": server.address])
            #expect(report.severity("web search") == severity && report.message("web search").contains(word))
            #expect(server.requests.count == 1 && server.requests[0].hasSuffix("q=&format=json"))
        }
        #expect(try await doctor(home, [:]).severity("web search").isEmpty)
        let open = try await doctor(home, ["SELENE_WEB_FETCH": "all"])
        #expect(open.severity("web search") == ["warning"], "\(open.text)")
        for wrong in ["127.0.0.1:8888", "ftp://127.0.0.1", "http://a:b@127.0.0.1", "http://127.0.0.1/?x"] {
            let refused = try await home.run(["doctor"], ["SELENE_WEB_SEARCH": wrong])
            #expect(refused.status == 64 && refused.errors.contains("SearXNG"), "\(wrong): \(refused.errors)")
        }
    }

    @Test(.slow) func `dropped triggers and a forgotten note are problems, and the second look is clean`() async throws
    {
        try await with { home, settings in
            try await change(
                home,
                """
                DROP TRIGGER gateway_note_in; DROP TRIGGER gateway_queue_in;
                INSERT INTO raw_notes (title, content, created_at) VALUES ('unseen', 'by anyone', '2026-01-01');
                """)
            let found = try await doctor(home, settings)
            #expect(found.status == 1)
            #expect(found.severity("triggers") == ["problem"] && found.message("triggers").contains("gateway_note_in"))
            #expect(found.severity("queue") == ["problem"], "\(found.text)")
            // Looking changed nothing.
            #expect(try await doctor(home, settings).severity("triggers") == ["problem"])
            let fixed = try await doctor(home, settings, fix: true)
            #expect(fixed.status == 0, "\(fixed.text)")
            let after = try await doctor(home, settings)
            #expect(after.severity("triggers") == ["ok"] && after.severity("queue") == ["ok"], "\(after.text)")
            #expect(try await home.run(["backfill", "status"], settings).output.contains("1 waiting"))
        }
    }

    @Test(.slow) func `damaged index files, open permissions and left-overs are found and repaired`() async throws {
        try await with { home, settings in
            let index = home.database + ".index"
            let name = try #require(
                try FileManager.default.contentsOfDirectory(atPath: index).first { $0 == "space-1.index" })
            try Data("damaged".utf8).write(to: URL(filePath: index + "/" + name))
            let partial = home.database + ".partial-1a2b"
            try Data("x".utf8).write(to: URL(filePath: partial))
            let old: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSinceNow: -7200)]
            try FileManager.default.setAttributes(old, ofItemAtPath: partial)
            for path in [home.database, home.database + ".cache"] {
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            }
            let found = try await doctor(home, settings)
            #expect(found.severity("index") == ["warning"] && found.message("index").contains(name), "\(found.text)")
            #expect(found.severity("left-over files") == ["warning"])
            #expect(found.message("permissions").contains(".cache (mode 644)"), "\(found.text)")
            #expect(found.status == 0, "warnings are no problems")
            _ = try await doctor(home, settings, fix: true)
            let after = try await doctor(home, settings)
            #expect(after.severity("index") == ["ok"] && after.severity("left-over files") == ["ok"], "\(after.text)")
            // The database may be another program's, whose choice of mode stands.
            #expect(after.message("permissions").split(separator: "\n").count == 1, "\(after.text)")
            #expect(after.message("permissions").contains("n.sqlite (mode 644)"))
        }
    }

    @Test(.slow) func `a damaged database is a problem, and is neither opened nor changed`() async throws {
        try await with { home, settings in
            try await change(home, "PRAGMA user_version = 0")
            let handle = try #require(FileHandle(forUpdatingAtPath: home.database))
            let size = try handle.seekToEnd()
            try handle.seek(toOffset: size / 2)
            try handle.write(contentsOf: Data(repeating: 0xAB, count: 20_000))
            try handle.close()
            let before = try Data(contentsOf: URL(filePath: home.database))
            let found = try await doctor(home, settings, fix: true)
            #expect(found.status == 1 && found.severity("database") == ["problem"], "\(found.text)")
            #expect(found.message("database").contains("damaged"))
            #expect(found.severity("triggers").isEmpty)
            #expect(try Data(contentsOf: URL(filePath: home.database)) == before)
        }
    }

    @Test(.slow) func `settings, upstreams, models, references and odd rows are looked at`() async throws {
        try await with { home, settings in
            try await change(
                home,
                """
                CREATE TABLE theirs (note INTEGER REFERENCES raw_notes (id));
                INSERT INTO theirs VALUES (4711);
                UPDATE raw_notes SET title = x'FF00' WHERE id = 3;
                """)
            let environment = settings.merging([
                "SELENE_API_TOKEN": "short", "SELENE_EMBED_MODEL": "no-such-model", "SELENE_LOG_PROMPTS": "on",
            ]) { $1 }
            let found = try await doctor(home, environment)
            #expect(found.message("references").contains("1 in theirs"), "\(found.text)")
            #expect(found.message("odd rows").contains("raw_notes.title"), "\(found.text)")
            #expect(found.message("settings").contains("SELENE_API_TOKEN has 5 characters"))
            #expect(found.message("upstreams").contains("no upstream has no-such-model"))
            let away = try await doctor(home, ["OLLAMA_HOST": "127.0.0.1:9"])
            #expect(away.status == 1 && away.severity("upstreams") == ["problem"], "\(away.text)")
            let open = try await doctor(home, settings.merging(["SELENE_HOST": "0.0.0.0"]) { $1 })
            #expect(open.message("settings").contains("0.0.0.0"), "\(open.text)")
        }
    }

    @Test(.slow, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
    func `of notes in PostgreSQL it looks at the keys and the queue there, and at this machine's index of them`()
        async throws
    {
        try await FakeOllama.withServer { fake in
            let address = try await #require(await PostgresServer.shared()).database()
            let home = try SeleneHome(["SELENE_STORE": address])
            let settings = ["OLLAMA_HOST": fake.baseURL, "SELENE_HOST": "0.0.0.0"]
            for arguments in [["ingest", try home.writeNotes(20)], ["backfill"], ["index", "build"]] {
                let outcome = try await home.run(arguments, ["OLLAMA_HOST": fake.baseURL])
                #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
            }
            let open = try await doctor(home, settings)
            #expect(open.status == 1 && open.message("settings").contains("without a key"), "\(open.text)")
            #expect(open.severity("postgres").contains("ok") && open.message("postgres").contains(": 20 notes"))
            // What is only of a file is not looked at.
            #expect(open.severity("triggers").isEmpty && open.severity("index") == ["ok"], "\(open.text)")
            #expect(open.message("index").contains("1 files"), "\(open.text)")
            let index = home.database + ".index/server/space-1.index"
            try Data("damaged".utf8).write(to: URL(filePath: index))
            #expect(try await doctor(home, settings).severity("index") == ["warning"])
            _ = try await doctor(home, settings, fix: true)
            #expect(try await doctor(home, settings).message("index").contains("0 files"))
            let created = try await home.run(["keys", "create", "phone"])
            #expect(created.status == 0, "\(created.errors)")
            let store = PostgresStore(try PostgresAddress(address), logger: Logger(label: "test"))
            try await store.run("DELETE FROM vectors WHERE note_id = 3")
            try await store.run("DELETE FROM embeddings WHERE note_id = 3")
            store.close()
            let found = try await doctor(home, settings)
            #expect(!found.message("settings").contains("without a key"), "\(found.text)")
            #expect(
                found.severity("queue") == ["problem"] && found.message("queue").contains("1 notes have no vectors"))
            #expect(try await doctor(home, settings, fix: true).status == 0)
            #expect(try await doctor(home, settings).severity("queue") == ["ok"])
            let push = try await home.run(["push", "doctor", "--offline", "--json"])
            #expect(push.output.contains("none is registered"), "\(push.output) \(push.errors)")
        }
    }

    @Test func `without a database it says how to get one, and makes none`() async throws {
        let home = try SeleneHome()
        let found = try await doctor(home, [:])
        #expect(found.severity("database") == ["warning"] && found.message("database").contains(home.database))
        #expect(!FileManager.default.fileExists(atPath: home.database))
        #expect(found.message("version").hasPrefix("selene \(GatewayVersion.current), from source"))
        #expect(found.message("version").contains("to update: git pull && make install"))
    }

    @Test(.slow) func `a running gateway gives the same findings by a route`() async throws {
        try await with { home, settings in
            try await ServeProcess.with(settings, home: home) { server in
                for (path, isDeep) in [("/api/admin/doctor", false), ("/api/admin/doctor?deep=true", true)] {
                    let reply = try await server.request("GET", path)
                    let report = try JSONDecoder().decode(DoctorReport.self, from: reply.data)
                    let checks = Set(report.findings.map(\.check))
                    #expect(report.isDeep == isDeep && report.problems == 0, "\(report.findings)")
                    #expect(checks.isSuperset(of: ["triggers", "queue", "permissions", "settings", "upstreams"]))
                    #expect(checks.contains("odd rows") == isDeep && checks.contains("database") == isDeep)
                }
            }
        }
    }
}
