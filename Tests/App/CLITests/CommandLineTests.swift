import FakeOllama
import Foundation
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// The binary itself: its output, its exit codes, and what a kill leaves behind.
@Suite(.serialized) struct CommandLineTool {
    @Test(.slow) func `help teaches, and wrong usage says what is right`() async throws {
        let home = try SeleneHome()
        let help = try await home.run(["--help"])
        #expect(help.status == 0)
        for command in ["serve", "ingest", "backfill", "search", "keys", "config", "demo"] {
            #expect(help.output.contains("selene \(command)") || help.output.contains("  \(command) "))
            let own = try await home.run([command, "--help"])
            #expect(own.status == 0)
            #expect(own.output.contains("USAGE: selene \(command)"))
        }
        #expect(try await home.run(["search"]).status == 64)
        #expect(try await home.run(["backfill", "--batch", "0"]).status == 64)
        #expect(try await home.run(["search", "x", "--limit", "0"]).status == 64)
        #expect(try await home.run(["ingest", "/nowhere"]).errors.contains("no such file or folder: /nowhere"))
    }

    @Test func `lines of one id and different texts are all stored, and known the next time`() async throws {
        let home = try SeleneHome()
        let file = home.url.appending(path: "export.jsonl")
        let lines = [(7, "tide"), (7, "harbour"), (7, "tide"), (8, "keel")].map {
            #"{"id":\#($0),"title":"\#($1)","content":"about the \#($1)"}"#
        }
        try lines.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        func ingest(_ path: String) async throws -> [String: Any] {
            let outcome = try await home.run(["ingest", path, "--json"])
            return try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any], "\(outcome.errors)"
            )
        }
        let first = try await ingest(file.path)
        #expect(first["inserted"] as? Int == 3 && first["unchanged"] as? Int == 1, "\(first)")
        #expect("\(first["warnings"] ?? "")".contains("export.jsonl:2: its id is that of an earlier line"), "\(first)")
        #expect(try await ingest(file.path)["unchanged"] as? Int == 4)
        // Under another name, the notes are the same.
        let moved = home.url.appending(path: "moved.jsonl")
        try FileManager.default.moveItem(at: file, to: moved)
        let again = try await ingest(moved.path)
        #expect(again["inserted"] as? Int == 0 && again["unchanged"] as? Int == 4, "\(again)")
        #expect(try await home.run(["search", "harbour", "--mode", "keyword"]).output.contains("harbour"))
        // Without the first line of the id, the second one has its name and keeps its note.
        try lines[1..<2].joined().write(to: moved, atomically: true, encoding: .utf8)
        let less = try await ingest(moved.path)
        #expect(less["inserted"] as? Int == 0 && less["updated"] as? Int == 0, "\(less)")
    }

    @Test func `a dry run counts and lists what an ingest would store, without a database`() async throws {
        let home = try SeleneHome()
        let file = home.url.appending(path: "My Clippings.txt")
        let clippings = [("Walden (Thoreau)", "Highlight", "one"), ("Walden (Thoreau)", "Bookmark", "")].map {
            "\($0.0)\r\n- Your \($0.1) on Location 2-3 | Added on Monday, January 15, 2024 10:23:45 AM\r\n\r\n\($0.2)\r\n==========\r\n"
        }
        try clippings.joined().write(to: file, atomically: true, encoding: .utf8)
        let nowhere = ["SELENE_DATABASE": "/nowhere/at/all.sqlite"]
        let outcome = try await home.run(["ingest", file.path, "--dry-run"], nowhere)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
            outcome.output == "kindle: 1 note in 1 thread, 1 empty; nothing was stored\n  Walden, location 2-3\n",
            "\(outcome.output)")
        #expect(outcome.errors.contains("My Clippings.txt:6: is a bookmark, which has no text; skipped"))
        let json = try await home.run(["ingest", file.path, "--dry-run", "--json"], nowhere)
        let summary = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(summary["format"] as? String == "kindle" && summary["notes"] as? Int == 1)
        #expect(
            summary["titles"] as? [String] == ["Walden, location 2-3"] && summary["threads"] as? [String] == ["Walden"])
        // What it announced is stored, and the second time nothing is.
        let stored = try await home.run(["ingest", file.path, "--json"])
        #expect(
            stored.output.contains("\"inserted\" : 1") || stored.output.contains("\"inserted\":1"), "\(stored.output)")
        let again = try await home.run(["ingest", file.path])
        #expect(again.output.contains("0 notes stored, 0 updated, 1 unchanged"), "\(again.output)")
        let bad = home.url.appending(path: "bad.json")
        try "[1".write(to: bad, atomically: true, encoding: .utf8)
        #expect(try await home.run(["ingest", bad.path, "--dry-run", "--format", "claude"], nowhere).status == 2)
    }

    @Test func `a newer export under another name updates its notes and doubles none`() async throws {
        let home = try SeleneHome()
        func chat(_ id: String, _ texts: [String]) -> String {
            let messages = texts.map { "{\"sender\":\"human\",\"text\":\"\($0)\"}" }.joined(separator: ",")
            return
                "{\"uuid\":\"\(id)\",\"name\":\"Chat \(id)\",\"created_at\":\"2024-01-15T10:00:00Z\",\"chat_messages\":[\(messages)]}"
        }
        func ingest(_ name: String, _ chats: [String]) async throws -> String {
            let file = home.url.appending(path: name)
            try "[\(chats.joined(separator: ","))]".write(to: file, atomically: true, encoding: .utf8)
            return try await home.run(["ingest", file.path]).output
        }
        #expect(
            try await ingest("one.json", [chat("a", ["tide"]), chat("b", ["keel"])])
                == "2 notes stored, 0 updated, 0 unchanged\n")
        let newer = [chat("c", ["rope"]), chat("b", ["keel", "and mast"]), chat("a", ["tide"])]
        #expect(try await ingest("two.json", newer) == "1 note stored, 1 updated, 1 unchanged\n")
        // Two items of one id and different texts are two notes, in whatever files they are.
        let twins = newer + [chat("a", ["ebb"])]
        #expect(try await ingest("three.json", twins) == "1 note stored, 0 updated, 3 unchanged, 1 warning\n")
    }

    @Test(arguments: ["http://127.0.0.1:45991", "localhost:45991"])
    func `a gateway does not take itself for Ollama`(upstream: String) async throws {
        let outcome = try await SeleneHome().run(
            ["serve"], ["SELENE_PORT": "45991", "OLLAMA_HOST": upstream])
        #expect(outcome.status == 64 && outcome.errors.contains("is the address of this gateway"), "\(outcome)")
    }

    @Test func `an address that is not there yet ends the server with a status of its own`() async throws {
        // 192.0.2.0/24 is for documentation: no machine has it.
        let environment = ["SELENE_API_TOKEN": "hidden-hidden-hidden", "SELENE_PORT": "0"]
        let outcome = try await SeleneHome().run(["serve", "--host", "192.0.2.1"], environment)
        #expect(outcome.status == 75)
        #expect(outcome.errors.contains("192.0.2.1 is not an address of this machine now"))
    }

    @Test func `flags win over the environment, that over the file, that over the default`() async throws {
        let home = try SeleneHome()
        let file = home.url.appending(path: "c.json")
        try #"{"port": 1, "host": "127.0.0.3", "embed_model": "of-file"}"#.write(
            to: file, atomically: true, encoding: .utf8)
        let environment = ["SELENE_HOST": "127.0.0.2", "SELENE_API_TOKEN": "hidden-hidden-hidden", "SELENE_PORT": ""]
        let reply = try await home.run(
            ["config", "--json", "--config", file.path, "--database", "of-flag.sqlite"], environment)
        #expect(reply.status == 0)
        struct Setting: Decodable {
            var key: String
            var value: String?
            var origin: String
        }
        let settings = try JSONDecoder().decode([Setting].self, from: Data(reply.output.utf8))
        func setting(_ key: String) -> [String?] {
            settings.first { $0.key == key }.map { [$0.value, $0.origin] } ?? []
        }
        #expect(setting("database") == ["of-flag.sqlite", "flag"])
        #expect(setting("host") == ["127.0.0.2", "environment"])
        #expect(setting("port") == ["1", "file"])
        #expect(setting("embed_model") == ["of-file", "file"])
        #expect(setting("fusion") == ["convex", "default"])
        #expect(setting("api_token") == ["********", "environment"])
        #expect(!reply.output.contains("hidden-hidden"))
    }

    @Test(.slow) func `a setting that cannot be used names itself and its place`() async throws {
        let home = try SeleneHome()
        let wrong = try await home.run(["config"], ["SELENE_PORT": "high"])
        #expect(wrong.status == 64)
        #expect(wrong.errors.contains("SELENE_PORT") && wrong.errors.contains("high"))
        let file = home.url.appending(path: "c.json")
        try #"{"prot": 1}"#.write(to: file, atomically: true, encoding: .utf8)
        #expect(try await home.run(["config", "--config", file.path]).errors.contains("\"prot\""))
        #expect(try await home.run(["config"], ["OLLAMA_HOST": "ftp://x"]).status == 64)
        let exposed = try await home.run(["serve", "--host", "0.0.0.0", "--port", "0"])
        #expect(exposed.status == 64)
        #expect(exposed.errors.contains("SELENE_API_TOKEN"))
        try await FakeOllama.withServer { other in
            let taken = try await home.run(["serve", "--port", String(other.port)])
            #expect(taken.status == 64)
            #expect(taken.errors.contains("already in use"))
            let demo = try await home.run(["demo", "--once", "--port", String(other.port)])
            #expect(demo.status == 64)
        }
    }

    @Test(.slow) func `ingest, search and keys work without Ollama and print JSON`() async throws {
        let home = try SeleneHome()
        let notes = try home.writeNotes(20)
        let first = try await home.run(["ingest", notes, "--json"])
        #expect(first.status == 0)
        #expect(first.output.contains(#""inserted":20"#))
        #expect(try await home.run(["ingest", notes]).output == "0 notes stored, 0 updated, 20 unchanged\n")
        let found = try await home.run(["search", "note 7", "--mode", "keyword", "--limit", "1", "--json"])
        #expect(found.output.contains(#""title":"note 7""#))
        #expect(try await home.run(["search", "note 7"]).output.hasPrefix("keywords only: "))
        let backfill = try await home.run(["backfill"])
        #expect(backfill.status == 1)
        #expect(backfill.errors.contains("cannot be reached"))
        #expect(try await home.run(["keys", "create", "phone"]).output.hasPrefix("slk_"))
        #expect(try await home.run(["keys", "create", "phone"]).status == 1)
        #expect(try await home.run(["keys", "list", "--json"]).output.contains(#""name":"phone""#))
        #expect(try await home.run(["keys", "revoke", "phone"]).status == 0)
        #expect(try await home.run(["keys", "revoke", "phone"]).status == 1)
    }

    @Test(.slow)
    func `a folder is ingested whole, all that is odd is listed, and what a person edited or deleted stays`()
        async throws
    {
        let home = try SeleneHome()
        let folder = home.url.appending(path: "vault")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        for number in 0..<30 { try write("odd \(number).md", "---\ntitle: a: b \(number)\n---\nzebra \(number)\n") }
        try write("plain.md", "# Plain\n\nabout 76 km\n")
        try write("gone.md", "this file will go")
        try write("old name.md", "this file will have another name")
        try write("picture.png", "")
        let first = try await home.run(["ingest", folder.path])
        #expect(
            first.status == 0 && first.output == "33 notes stored, 0 updated, 0 unchanged, 30 warnings\n", "\(first)")
        for number in 0..<30 { #expect(first.errors.contains("odd \(number).md: its front matter is not valid YAML")) }
        #expect(first.errors.contains("files of other kinds, not read: png 1"))
        let place = folder.resolvingSymlinksInPath().path
        let database = try GatewayDatabase(path: home.database)
        let names = try await database.notes.byExternalID()
        var change = NoteChange()
        change.content = "about 99 km"
        let plain = try #require(names["\(place)/plain.md"])
        #expect(try await database.notes.update(plain, change))
        try database.close()
        try FileManager.default.removeItem(at: folder.appending(path: "gone.md"))
        try FileManager.default.moveItem(
            at: folder.appending(path: "old name.md"), to: folder.appending(path: "new name.md"))
        let second = try await home.run(["ingest", folder.path])
        #expect(second.output == "0 notes stored, 1 updated, 31 unchanged, 30 warnings\n", "\(second)")
        #expect(second.errors.contains("new name.md: was \(place)/old name.md"))
        #expect(second.errors.contains("gone.md: the file is gone; note "))
        try write("plain.md", "# Plain\n\nabout 80 km\n")
        let third = try await home.run(["ingest", folder.path])
        #expect(third.output == "1 note stored, 0 updated, 31 unchanged, 30 warnings\n", "\(third)")
        #expect(third.errors.contains("plain.md: it changed, and note \(plain) differs from it; both are kept"))
        let found = try await home.run(["search", "km", "--mode", "keyword", "--json"])
        #expect(found.output.contains("about 99 km") && found.output.contains("about 80 km"), "\(found)")
    }

    @Test(.slow) func `a backfill that is killed loses at most two batches and goes on`() async throws {
        var options = FakeOllama.Options()
        options.latency = 0.03
        try await FakeOllama.withServer(options) { fake in
            let home = try SeleneHome()
            _ = try await home.run(["ingest", try home.writeNotes(60)])
            let process = home.process(["backfill", "--batch", "4"], ["OLLAMA_HOST": fake.baseURL])
            process.standardError = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            let ended = Task { try await home.finish(process) }
            #expect(await fake.waitUntil { $0.embedBatches.count > 6 })
            kill(process.processIdentifier, SIGKILL)
            try await ended.value
            let sent = fake.statistics.embedBatches.dropFirst().reduce(0, +)
            let database = try GatewayDatabase(path: home.database)
            let space = try #require(try await database.spaces.active())
            let stored = try await database.spaces.embeddingCount(in: space.id)
            #expect(stored < 60)
            // One may be on its way to Ollama while the one before is being stored.
            #expect(stored >= sent - 8)
            #expect(stored % 4 == 0)
            try database.close()
            let rest = try await home.run(["backfill", "--json"], ["OLLAMA_HOST": fake.baseURL])
            #expect(rest.status == 0)
            #expect(rest.output.contains(#""embedded":\#(60 - stored),"#))
        }
    }

    @Test(.slow) func `an interrupt stops a backfill cleanly, and SIGTERM a server`() async throws {
        var options = FakeOllama.Options()
        options.latency = 0.05
        try await FakeOllama.withServer(options) { fake in
            let home = try SeleneHome()
            _ = try await home.run(["ingest", try home.writeNotes(200)])
            let backfill = home.process(["backfill", "--batch", "2"], ["OLLAMA_HOST": fake.baseURL])
            backfill.standardError = FileHandle.nullDevice
            let ended = Task { try await home.finish(backfill) }
            #expect(await fake.waitUntil { $0.embedBatches.count > 3 })
            kill(backfill.processIdentifier, SIGINT)
            try await ended.value
            #expect(backfill.terminationStatus == 130)

            let server = home.process(["serve", "--port", "0"], ["OLLAMA_HOST": fake.baseURL])
            let log = Pipe()
            server.standardError = log
            let served = Task { try await home.finish(server) }
            var text = ""
            while !text.contains("listening") {
                let data = log.fileHandleForReading.availableData
                if data.isEmpty { break }
                text += String(decoding: data, as: UTF8.self)
            }
            kill(server.processIdentifier, SIGTERM)
            try await served.value
            #expect(server.terminationStatus == 0)
            #expect(server.terminationReason == .exit)
        }
    }
}
