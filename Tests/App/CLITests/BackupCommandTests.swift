import FakeOllama
import Foundation
import GRDB
import GatewayTestSupport
import Storage
import Synchronization
import TestSupport
import Testing

/// `selene backup` and `selene restore`, beside a server and without one.
@Suite(.serialized) struct BackupCommands {
    private func notes(_ path: String) throws -> Int? {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        return try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM raw_notes") }
    }

    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    @Test(.slow) func `a backup beside a server that takes notes restores to a database that has them`() async throws {
        try await FakeOllama.withServer { fake in
            let home = try SeleneHome()
            _ = try await home.run(["ingest", try home.writeNotes(200)])
            let backup = home.url.appending(path: "backups.sqlite").path
            try await ServeProcess.with(["OLLAMA_HOST": fake.baseURL], home: home) { server in
                let isDone = Mutex(false)
                let writing = Task {
                    var stored = 0
                    while !isDone.withLock({ $0 }) {
                        let body = #"{"title":"during \#(stored)","content":"text"}"#
                        if try await server.request("POST", "/api/notes", body).status == 201 { stored += 1 }
                    }
                    return stored
                }
                let done = try await home.run(["backup", backup, "--json"])
                #expect(done.status == 0, "\(done.errors)")
                #expect(try object(done.output)["notes"] as? Int ?? 0 >= 200)
                isDone.withLock { $0 = true }
                #expect(try await writing.value > 0)
                // The server has the database open: it may not be replaced.
                let refused = try await home.run(["restore", backup, "--replace"])
                #expect(refused.status == 1 && refused.errors.contains("is in use"), "\(refused.errors)")
                #expect(try await server.request("GET", "/health").status == 200)
            }
            #expect(try integrity(of: backup) == "ok")
            let saved = try #require(try notes(backup))
            let index = home.database + ".index"
            try FileManager.default.createDirectory(atPath: index, withIntermediateDirectories: true)
            try Data("old".utf8).write(to: URL(filePath: index + "/keywords.index"))
            let refused = try await home.run(["restore", backup])
            #expect(refused.status == 1 && refused.errors.contains("--replace"), "\(refused.errors)")
            let restored = try await home.run(["restore", backup, "--replace", "--json"])
            #expect(restored.status == 0, "\(restored.errors)")
            #expect(try notes(home.database) == saved)
            let previous = try #require(try object(restored.output)["previous"] as? String)
            #expect(try notes(previous) ?? 0 >= saved)
            #expect(!FileManager.default.fileExists(atPath: index + "/keywords.index"))
            #expect(try await home.run(["search", "潮 17", "--mode", "keyword"]).output.contains("note 17"))
        }
    }

    /// Routes whose answers tell of the process, its files or the time.
    private static let ofProcess = [
        "/metrics", "/health", "/ready", "/readyz", "/api/llm/health", "/openapi.yaml", "/openapi.json", "/api/tags",
        "/api/ps",
        "/api/version", "/authority",
    ]

    /// Every `GET` route that answers of itself, with its answer.
    private func answers(_ server: ServeProcess) async throws -> [String: String] {
        let yaml = try await server.request("GET", "/openapi.yaml").text
        var (path, found, isInPaths) = ("", [String: String](), false)
        for line in yaml.split(separator: "\n").map(String.init) {
            if !line.hasPrefix(" ") { isInPaths = line == "paths:" }
            if isInPaths, let match = line.wholeMatch(of: #/  '?(/[^':]*)'?:/#) { path = String(match.1) }
            guard isInPaths, line.hasPrefix("    get:") else { continue }
            // Streams do not end; what requests and devices left belongs to the process.
            let isOther = [
                "briefing/today",
                "events", "stream", "/ws", "/sse", "/mcp", "requests", "/admin/", "{topic}", "/web/", "/v1/", "/app/",
                "tasks.ics",
            ]
            .contains { path.contains($0) }
            guard !isOther, !Self.ofProcess.contains(path), path.hasPrefix("/api/") else { continue }
            let named = path.replacing("{date}", with: "2026-01-01").replacing("{name}", with: "Sea")
                .replacing(#/\{\w+\}/#, with: "1")
            let reply = try await server.request("GET", named)
            found[named] = "\(reply.status) \(reply.data.base64EncodedString())"
        }
        return found
    }

    @Test(.slow) func `every route answers after a restore as it did before, and the printed page of a book is there`()
        async throws
    {
        try await FakeOllama.withServer { fake in
            let home = try SeleneHome()
            let environment = ["OLLAMA_HOST": fake.baseURL, "SELENE_BACKFILL": "off"]
            _ = try await home.run(["ingest", try home.writeNotes(20)])
            let book = home.url.appending(path: "Tide.pdf")
            try Data(SamplePDF.file([["The keeper wound the clock."], ["The tide turned."]])).write(to: book)
            let added = try await home.run(["books", "add", book.path], environment)
            #expect(added.status == 0, "\(added.errors)")
            let backup = home.url.appending(path: "b.sqlite").path
            var before: [String: String] = [:]
            try await ServeProcess.with(environment, home: home) { server in
                _ = try await server.request("PUT", "/api/notes/1", #"{"content":"edited"}"#)
                _ = try await server.request("DELETE", "/api/notes/2")
                _ = try await server.request("POST", "/api/goals", #"{"title":"300 km"}"#)
                let made = try await home.run(["backup", backup])
                #expect(made.status == 0 && made.output.contains("files of 1 book"), "\(made.output) \(made.errors)")
                before = try await answers(server)
            }
            #expect(
                before.count > 40 && before.values.filter { $0.hasPrefix("200") }.count > 20, "\(before.keys.sorted())")
            #expect(before["/api/books/1/pages/1/image"]?.hasPrefix("200") == true)
            #expect(before["/api/notes/deleted"]?.hasPrefix("200") == true && before["/api/notes/1/history"] != nil)

            let other = try SeleneHome()
            let restored = try await other.run(["restore", backup, "--json"], environment)
            #expect(restored.status == 0, "\(restored.errors)")
            #expect(try object(restored.output)["books"] as? Int == 1)
            let names = try FileManager.default.contentsOfDirectory(atPath: other.database + ".books")
            #expect(names.count == 1 && names.first?.utf8.count == 64)
            #expect(try integrity(of: other.database) == "ok")
            let raw = try DatabaseQueue(path: other.database)
            #expect(try await raw.read { try !$0.tableExists("gateway_backup_files") })
            try raw.close()
            try await ServeProcess.with(environment, home: other) { server in
                let after = try await answers(server)
                for (path, answer) in before { #expect(after[path] == answer, "\(path)") }
            }
        }
    }

    @Test(.slow)
    func `a backup without books says so, one that lost a file is refused, and older ones leave the files alone`()
        async throws
    {
        try await FakeOllama.withServer { fake in
            let home = try SeleneHome()
            let environment = ["OLLAMA_HOST": fake.baseURL, "SELENE_BACKFILL": "off"]
            let book = home.url.appending(path: "Tide.pdf")
            try Data(SamplePDF.file([["The keeper wound the clock."]])).write(to: book)
            #expect(try await home.run(["books", "add", book.path], environment).status == 0)
            let (whole, lean) = (home.url.appending(path: "w.sqlite").path, home.url.appending(path: "l.sqlite").path)
            #expect(try await home.run(["backup", whole]).status == 0)
            let without = try await home.run(["backup", lean, "--without-books"])
            #expect(without.status == 0 && without.errors.contains("left out"), "\(without.errors)")

            // A backup that should have files of books and lost one.
            let raw = try DatabaseQueue(path: whole)
            try await raw.write {
                try $0.execute(sql: "UPDATE gateway_backup_files SET bytes = zeroblob(length(bytes))")
            }
            try raw.close()
            let other = try SeleneHome()
            let refused = try await other.run(["restore", whole])
            #expect(refused.status == 65 && refused.errors.contains("--without-books"), "\(refused.errors)")
            #expect(!FileManager.default.fileExists(atPath: other.database))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: other.url.path).allSatisfy {
                    !$0.contains("partial")
                })
            let lacking = try await other.run(["restore", whole, "--without-books"])
            #expect(lacking.status == 0 && lacking.errors.contains("Tide"), "\(lacking.errors)")
            try await ServeProcess.with(environment, home: other) { server in
                let page = try await server.request("GET", "/api/books/1/pages/1/image")
                #expect(page.status == 422 && page.error.contains("the book's file is missing"), "\(page.text)")
            }
            // Without files in the backup, those beside the database stay, and the database that is moved aside keeps its own.
            let back = try await home.run(["restore", lean, "--replace", "--json"])
            #expect(back.status == 0 && !back.errors.contains("warning"), "\(back.errors)")
            let previous = try #require(try object(back.output)["previous"] as? String)
            for folder in [home.database + ".books", previous + ".books"] {
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1, "\(folder)")
            }
            // A database whose book lost its file is backed up, with a warning.
            try FileManager.default.removeItem(atPath: home.database + ".books")
            let warned = try await home.run(["backup", whole, "--force"])
            #expect(warned.status == 0 && warned.errors.contains("Tide"), "\(warned.errors)")
        }
    }

    @Test func `refusals say why, with the code that the help promises`() async throws {
        let home = try SeleneHome()
        let backup = home.url.appending(path: "b.sqlite").path
        let none = try await home.run(["backup", backup])
        #expect(none.status == 1 && none.errors.contains("there is no file"), "\(none.errors)")
        #expect(!FileManager.default.fileExists(atPath: home.database))
        _ = try await home.run(["ingest", try home.writeNotes(3)])
        #expect(try await home.run(["backup", backup]).status == 0)
        let again = try await home.run(["backup", backup])
        #expect(again.status == 1 && again.errors.contains("--force"), "\(again.errors)")
        #expect(try await home.run(["backup", backup, "--force"]).status == 0)
        try Data("not a database at all".utf8).write(to: URL(filePath: backup))
        let damaged = try await home.run(["restore", backup, "--replace"])
        #expect(damaged.status == 65 && damaged.errors.contains("not an SQLite database"), "\(damaged.errors)")
        #expect(try notes(home.database) == 3)
    }

    @Test(.slow) func `every command refuses a database of a newer version with 65`() async throws {
        let home = try SeleneHome()
        _ = try await home.run(["ingest", try home.writeNotes(3)])
        let raw = try DatabaseQueue(path: home.database)
        try await raw.write { database in
            try database.execute(
                sql: """
                    INSERT INTO grdb_migrations VALUES ('gateway-99-future');
                    UPDATE gateway_meta SET value = '9.9.9' WHERE key = 'written_by';
                    """)
        }
        try raw.close()
        for arguments in [
            ["serve", "--port", "0"], ["ingest", home.url.appending(path: "notes.jsonl").path], ["backfill"],
            ["backfill", "status"], ["search", "x"], ["index"], ["spaces"], ["keys", "list"], ["keys", "create", "k"],
            ["backup", home.url.appending(path: "b").path], ["doctor"],
        ] {
            let outcome = try await home.run(arguments)
            #expect(outcome.status == 65, "\(arguments): \(outcome.status) \(outcome.errors)")
            #expect(outcome.errors.contains("selene 9.9.9"), "\(arguments): \(outcome.errors)")
        }
    }

    @Test func `everything that commands create is the owner's alone`() async throws {
        let home = try SeleneHome()
        let path = home.url.appending(path: "deep/er/n.sqlite").path
        let backup = home.url.appending(path: "b.sqlite").path
        for arguments in [["ingest", try home.writeNotes(3)], ["index", "build"], ["backup", backup]] {
            let outcome = try await home.run(arguments, ["SELENE_DATABASE": path])
            #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
        }
        let files = try #require(FileManager.default.enumerator(atPath: home.url.path + "/deep"))
        var seen = 0
        for case let name as String in files {
            let mode = try FileManager.default.attributesOfItem(atPath: home.url.path + "/deep/" + name)[
                .posixPermissions]
            #expect((mode as? Int ?? 0) & 0o077 == 0, "\(name)")
            seen += 1
        }
        #expect(seen > 3)
    }
}
