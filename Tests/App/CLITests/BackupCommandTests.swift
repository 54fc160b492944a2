import FakeOllama
import Foundation
import GRDB
import GatewayTestSupport
import Storage
import Synchronization
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

    @Test func `a backup beside a server that takes notes restores to a database that has them`() async throws {
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

    @Test func `every command refuses a database of a newer version with 65`() async throws {
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
