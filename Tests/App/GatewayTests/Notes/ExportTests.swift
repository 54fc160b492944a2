import FakeOllama
import Foundation
import GatewayAPI
import Storage
import GatewayTestSupport
import TestSupport
import Testing

/// Notes as Markdown files.
@Suite(.serialized) struct Exports {
    func with(_ place: NotesPlace = .file, _ body: (LiveGateway, URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-export-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await LiveGateway.withThreeNotes(["export": folder.path], in: place) { gateway in
            try await body(gateway, folder)
        }
    }

    func files(_ folder: URL) -> [String] {
        let found = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return found.filter { $0.hasSuffix(".md") }.sorted()
    }

    func counts(_ reply: LiveGateway.Reply) -> [Int] {
        ["exported_count", "unchanged_count", "removed_count", "kept_count", "errors"].map {
            reply.object[$0] as? Int ?? -1
        }
    }

    let path = "/webhook/api/export-obsidian"

    @Test(arguments: NotesPlace.allCases)
    func `writes each note once, follows its changes, and leaves a file that somebody edited`(
        _ place: NotesPlace
    ) async throws {
        try await with(place) { gateway, folder in
            #expect(counts(try await gateway.done("POST", path)) == [3, 0, 0, 0, 0])
            #expect(files(folder).count == 3)
            let bread = try #require(files(folder).first { $0.hasSuffix("-bread-3.md") })
            let text = try String(contentsOf: folder.appending(path: bread), encoding: .utf8)
            #expect(text.hasPrefix("---\ntitle: \"bread\"\n"))
            #expect(text.contains("threads: [\"Gauge\"]") && text.hasSuffix("---\n\nflour, water, salt\n"))
            #expect(counts(try await gateway.done("POST", path, "{}")) == [0, 3, 0, 0, 0])

            try await gateway.done("PATCH", "/api/notes/3", #"{"title":"../Brot: \"neu\"\n💥"}"#)
            #expect(counts(try await gateway.done("POST", path)) == [1, 2, 1, 0, 0])
            #expect(files(folder).filter { $0.contains("-3.md") }.map { $0.hasSuffix("-Brot-neu-3.md") } == [true])

            let tables = try #require(files(folder).first { $0.hasSuffix("-tide-tables-2.md") })
            try "mine".write(to: folder.appending(path: tables), atomically: true, encoding: .utf8)
            try await gateway.done("PATCH", "/api/notes/2", #"{"content":"other"}"#)
            #expect(counts(try await gateway.done("POST", path)) == [0, 2, 0, 1, 0])
            #expect(try String(contentsOf: folder.appending(path: tables), encoding: .utf8) == "mine")

            try await gateway.done("DELETE", "/api/notes/1")
            try await gateway.done("DELETE", "/api/notes/2")
            #expect(counts(try await gateway.done("POST", path)) == [0, 1, 1, 0, 0])
            #expect(files(folder).count == 2, "what somebody edited stays")
            #expect(counts(try await gateway.done("POST", path, #"{"noteId":3}"#)) == [0, 1, 0, 0, 0])
            #expect(try await gateway.post(path, #"{"noteId":1}"#).status == 404)
        }
    }

    @Test(.slow) func `front matter says everything that ingestion reads, whatever stands in it`() async throws {
        try await with { gateway, folder in
            let title = "Tab\t\"quote\" \\ 日本 \u{85}\u{2028}\u{7F}: # -"
            _ = try await gateway.store.notes.insert([
                NoteDraft(
                    title: title, content: "---\nnot front matter\n", createdAt: 1_767_323_045, noteType: "a: b",
                    threads: ["T, with comma", "]"], tags: ["#x", "- y", ""])
            ])
            try await gateway.done("POST", path, #"{"noteId":4}"#)
            #expect(files(folder) == ["Selene/2026/01/2026-01-02-Tab-quote-日本-4.md"])
            let home = try SeleneHome()
            let ingest = try await home.run(["ingest", folder.path, "--json"])
            #expect(ingest.output.contains(#""inserted":1"#), "\(ingest.errors)")
            let copy = try GatewayDatabase(path: home.database)
            let note = try #require(try await copy.notes.find(ids: [1]).first)
            #expect(note.title == title)
            #expect(note.content.contains("not front matter"))
            #expect(note.createdAt == "2026-01-02 03:04:05")
            #expect(note.noteType == "a: b")
            #expect(note.threads.map(\.name) == ["T, with comma", "]"])
            #expect(note.tags.contains("#x") && note.tags.contains("- y"))
            try copy.close()
        }
    }

    @Test(.slow)
    func `an export that comes back is the notes that it was made of, and a file that only says so is none`()
        async throws
    {
        try await with { gateway, folder in
            try await gateway.done("POST", path)
            let home = try SeleneHome()
            func ingest(_ place: String) async throws -> String {
                let outcome = try await home.run(["ingest", place], gateway.commandEnvironment())
                return outcome.output + outcome.errors
            }
            let first = try await ingest(folder.path)
            #expect(first.hasPrefix("0 notes stored, 0 updated, 3 unchanged\n"), "\(first)")
            let bread = folder.appending(path: try #require(files(folder).first { $0.hasSuffix("-bread-3.md") }))
            let text = try String(contentsOf: bread, encoding: .utf8)
            try Data(text.replacing("flour", with: "rye").utf8).write(to: bread)
            #expect(try await ingest(folder.path).hasPrefix("0 notes stored, 1 updated, 2 unchanged\n"))
            #expect(try await gateway.store.notes.find(ids: [3]).first?.content.hasPrefix("rye") == true)
            let foreign = folder.deletingLastPathComponent().appending(path: "foreign-\(UUID().uuidString).md")
            defer { try? FileManager.default.removeItem(at: foreign) }
            try Data("---\ntitle: mine\nselene_id: 2\n---\nnot yours\n".utf8).write(to: foreign)
            let stored = try await ingest(foreign.path)
            #expect(
                stored.contains("1 note stored") && stored.contains("this database did not export the file"),
                "\(stored)")
            #expect(try await gateway.store.notes.find(ids: [2]).first?.content != "not yours")
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `a folder that cannot be made is told, and nothing is recorded`(_ place: NotesPlace) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "selene-file-\(UUID().uuidString)")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await LiveGateway.withThreeNotes(["export": file.appending(path: "below").path], in: place) { gateway in
            let reply = try await gateway.post(path, "")
            #expect(reply.status == 503 && reply.code == "export_failed")
        }
    }

    @Test func `no link on the way is followed out of the folder, and what cannot be read is not replaced`()
        async throws
    {
        try await with { gateway, folder in
            #expect(counts(try await gateway.done("POST", path)) == [3, 0, 0, 0, 0])
            let bread = try #require(files(folder).first { $0.hasSuffix("-bread-3.md") })
            let file = folder.appending(path: bread)
            let month = file.deletingLastPathComponent()
            for (url, mode) in [
                (file, 0o600), (month, 0o700), (month.deletingLastPathComponent(), 0o700), (folder, 0o700),
            ] {
                let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
                #expect(attributes[.posixPermissions] as? Int == mode, "\(url.path)")
            }
            let outside = folder.deletingLastPathComponent().appending(path: "outside-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: outside) }

            // A file that is a link is something that cannot be read, not something that is absent.
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: outside.appending(path: "none"))
            #expect(counts(try await gateway.done("POST", path, #"{"noteId":3}"#)) == [0, 0, 0, 0, 1])
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.path).hasSuffix("/none"))
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
            #expect(counts(try await gateway.done("POST", path, #"{"noteId":3}"#)) == [0, 0, 0, 0, 1])

            // A month that is a link to another folder.
            try FileManager.default.removeItem(at: month)
            try FileManager.default.createSymbolicLink(at: month, withDestinationURL: outside)
            let reply = try await gateway.done("POST", path, #"{"noteId":3}"#)
            #expect(counts(reply) == [0, 0, 0, 0, 1])
            #expect((reply.object["message"] as? String)?.contains("symbolic link") == true, "\(reply.text)")
            try await gateway.done("DELETE", "/api/notes/3")
            try await gateway.done("POST", path)
            #expect(try FileManager.default.contentsOfDirectory(atPath: outside.path) == [])
        }
    }
}
