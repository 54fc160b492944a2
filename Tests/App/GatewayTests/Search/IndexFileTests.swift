import FakeOllama
import Foundation
import Gateway
import GatewayTestSupport
import Search
import Storage
import TestSupport
import Testing

/// The index file: used when it fits, ignored when it does not, followed when another process writes it.
@Suite(.serialized) struct IndexFiles {
    typealias Home = SeleneHome

    func status(_ home: Home, _ environment: [String: String] = [:]) async throws -> [String: Any] {
        let outcome = try await home.run(["index", "status", "--json"], environment)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    }

    func titles(_ home: Home, _ pattern: String) async throws -> [String] {
        let outcome = try await home.run(["search", "", "--keyword", pattern, "--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let reply = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        return (reply?["results"] as? [[String: Any]] ?? []).compactMap { $0["title"] as? String }
    }

    @Test(.slow) func `a file is written, used, caught up with and built anew when it is damaged`() async throws {
        let home = try Home()
        let file = URL(filePath: try home.writeNotes(40)).resolvingSymlinksInPath().path
        #expect(try await home.run(["ingest", file]).status == 0)
        #expect(try await status(home)["file_bytes"] == nil)
        #expect(try await home.run(["index", "build"]).status == 0)
        let written = try await status(home)
        #expect(written["notes"] as? Int == 40)
        #expect(written["notes_beyond_file"] as? Int == 0)
        let path = try #require(written["file"] as? String)

        // What came later is beside the file; what is gone is not found in it.
        let database = try GatewayDatabase(path: home.database)
        _ = try await database.notes.insert([
            NoteDraft(title: "note 7", content: "edited", externalID: "\(file)#7"),
            NoteDraft(title: "later", content: "quagga"),
        ])
        #expect(try await titles(home, "quagga") == ["later"])
        #expect(try await titles(home, "潮 7") == [])
        #expect(try await titles(home, "潮 8") == ["note 8"])
        #expect(try await status(home)["notes_beyond_file"] as? Int == 2)

        let whole = try Data(contentsOf: URL(filePath: path))
        for damage in [Data(), Data("no index at all".utf8), whole.prefix(whole.count / 2), whole + Data([0])] {
            try damage.write(to: URL(filePath: path))
            #expect(try await titles(home, "quagga") == ["later"])
            #expect(try await titles(home, "潮 8") == ["note 8"])
        }
        try FileManager.default.removeItem(atPath: path)
        #expect(try await titles(home, "潮 8") == ["note 8"])
    }

    @Test(.slow) func `a process that is killed while it writes leaves nothing that is wrong`() async throws {
        let home = try Home()
        #expect(try await home.run(["ingest", try home.writeNotes(3000)]).status == 0)
        #expect(try await home.run(["index", "build"]).status == 0)
        let database = try GatewayDatabase(path: home.database)
        _ = try await database.notes.insert([NoteDraft(title: "later", content: "quagga")])
        // Somewhere between the start of the process and its end; most of these hit the writing.
        for milliseconds in [20, 60, 90, 120, 150, 200, 300] {
            let writer = home.process(["index", "build"])
            writer.standardOutput = FileHandle.nullDevice
            writer.standardError = FileHandle.nullDevice
            async let ended: Void = home.finish(writer)
            try await Task.sleep(for: .milliseconds(milliseconds))
            if writer.isRunning { kill(writer.processIdentifier, SIGKILL) }
            try await ended
            #expect(try await titles(home, "quagga") == ["later"])
            #expect(try await titles(home, "潮 2999") == ["note 2999"])
        }
        // The lock of the dead writers is gone, too.
        #expect(try await home.run(["index", "build"]).status == 0)
        #expect(try await status(home)["notes_beyond_file"] as? Int == 0)
    }

    @Test(.slow) func `what another process writes is found by a server that answers from a file`() async throws {
        try await LiveGateway.with { gateway in
            let home = try Home()
            let environment = try await gateway.commandEnvironment()
            #expect(try await home.run(["ingest", try home.writeNotes(20)], environment).status == 0)
            #expect(try await home.run(["index", "build"], environment).status == 0)
            try await waitUntil { try await gateway.application.retrieval.indexStatus().notesBeyondFile == 0 }
            #expect(try await gateway.post("/api/notes/retrieve", #"{"keywords":["潮 19"]}"#).ids == [20])
            let more = home.url.appending(path: "more.jsonl")
            try #"{"id":"new","title":"quagga","content":"written elsewhere"}"#.write(
                to: more, atomically: true, encoding: .utf8)
            #expect(try await home.run(["ingest", more.path], environment).status == 0)
            #expect(try await gateway.post("/api/notes/retrieve", #"{"keywords":["quagga"]}"#).ids == [21])
        }
    }

    @Test(.slow) func `a file of another database in the same place is not used`() async throws {
        let home = try Home()
        #expect(try await home.run(["ingest", try home.writeNotes(5)]).status == 0)
        #expect(try await home.run(["index", "build"]).status == 0)
        for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: home.database + ending) }
        let database = try GatewayDatabase(path: home.database)
        _ = try await database.notes.insert((0..<5).map { NoteDraft(title: "other \($0)", content: "zebra") })
        #expect(try await titles(home, "潮") == [])
        #expect(try await titles(home, "zebra").count == 5)
    }

    @Test(.slow) func `without a folder none is kept, and one that cannot be written is a failure only when asked for`()
        async throws
    {
        let home = try Home()
        #expect(try await home.run(["ingest", try home.writeNotes(5)]).status == 0)
        let off = try await home.run(["index", "build"], ["SELENE_INDEX": "off"])
        #expect(off.status == 1)
        #expect(off.errors.contains("no index file"))
        let blocked = try await home.run(["index", "build"], ["SELENE_INDEX": home.database + "/no"])
        #expect(blocked.status == 1)
        #expect(blocked.errors.contains("cannot"))
        #expect(try await home.run(["search", "note"], ["SELENE_INDEX": home.database + "/no"]).status == 0)
    }

    @Test func `tuning measures and a running server goes over to the file that it wrote`() async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.store.notes.insert(
                (0..<60).map { NoteDraft(title: "note \($0)", content: "about tide \($0 % 7) and bread \($0 % 5)") })
            try await gateway.backfill()
            let home = try Home()
            let environment = try await gateway.commandEnvironment()
            let tuned = try await home.run(["index", "tune", "--sample", "20", "--json"], environment)
            #expect(tuned.status == 0, "\(tuned.errors)")
            let summary = try #require(
                try JSONSerialization.jsonObject(with: Data(tuned.output.utf8)) as? [String: Any])
            let measured = try #require(summary["measurements"] as? [[String: Any]])
            #expect(measured.first?["plan"] as? String == "exact")
            #expect(measured.count >= 3)
            let plan = try #require((summary["status"] as? [String: Any])?["plan"] as? String)
            // The server looks for a new file once a second; until then it answers as before.
            var explained: [String: Any] = [:]
            try await waitUntil {
                let reply = try await gateway.post("/api/notes/retrieve", #"{"query":"tide bread","explain":true}"#)
                #expect(reply.object["source"] as? String == "hybrid")
                explained = reply.object["explanation"] as? [String: Any] ?? [:]
                return explained["plan"] as? String == plan
            }
            #expect(explained["exact"] as? Bool == (plan == "exact"))
            let exact = try await gateway.post(
                "/api/notes/retrieve", #"{"query":"tide bread","explain":true,"exact":true}"#)
            #expect((exact.object["explanation"] as? [String: Any])?["plan"] as? String == "exact")
        }
    }

    @Test(.slow, .ofFile) func `a server writes the file by itself, and the next one opens it`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "selene-index-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try await LiveGateway.start(folder: folder, .init(), settings: [:])
        _ = try await first.store.notes.insert(
            (0..<1200).map { NoteDraft(title: "note \($0)", content: "text \($0)", externalID: "\($0)") })
        let file = folder.appending(path: "n.sqlite.index/keywords.index")
        #expect(await eventually { FileManager.default.fileExists(atPath: file.path) })
        #expect(try await first.post("/api/notes/retrieve", #"{"keywords":["text 1199"]}"#).ids == [1200])
        await first.stop()
        let second = try await LiveGateway.start(folder: folder, .init(), settings: [:])
        _ = try await second.store.notes.insert([NoteDraft(title: "after", content: "the restart")])
        #expect(try await second.post("/api/notes/retrieve", #"{"keywords":["text 1199"]}"#).ids == [1200])
        #expect(try await second.post("/api/notes/retrieve", #"{"keywords":["the restart"]}"#).ids == [1201])
        #expect(try await second.application.retrieval.indexStatus().notesBeyondFile == 1)
        await second.stop()
    }
}
