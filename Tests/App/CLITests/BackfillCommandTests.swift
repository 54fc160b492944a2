import FakeOllama
import Foundation
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// `selene backfill` and `selene spaces` as processes that share a file, die, and meet a busy Ollama.
@Suite(.serialized) struct BackfillOfSeveralProcesses {
    private struct Line: Decodable {
        var event: String
        var done: Int?
        var paused: String?
        var embedded: Int?
        var copied: Int?
        var waiting: Int?
        var total: Int?
        var active: Bool?
        var failures: [Failure]?
        struct Failure: Decodable {
            var note_id: Int
            var reason: String
        }
    }

    private func lines(_ outcome: SeleneHome.Outcome) throws -> [Line] {
        try outcome.output.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    @Test func `without Ollama it ends at once, with the address and what to do`() async throws {
        let home = try SeleneHome()
        _ = try await home.run(["ingest", try home.writeNotes(2)])
        let outcome = try await home.run(["backfill"], ["OLLAMA_HOST": "127.0.0.1:9"])
        #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains("Looked for at http://127.0.0.1:9. Start it with `ollama serve`"))
        #expect(!outcome.errors.contains("[Backfill]"), "\(outcome.errors)")
    }

    @Test(.slow) func `two processes share the work, one is killed, and the other finishes all of it`() async throws {
        var options = FakeOllama.Options()
        options.latency = 0.02
        try await FakeOllama.withServer(options) { fake in
            let home = try SeleneHome()
            _ = try await home.run(["ingest", try home.writeNotes(160)])
            let environment = ["OLLAMA_HOST": fake.baseURL]
            let victim = home.process(["backfill", "--batch", "4"], environment)
            victim.standardError = FileHandle.nullDevice
            victim.standardOutput = FileHandle.nullDevice
            let killed = Task { try await home.finish(victim) }
            #expect(await fake.waitUntil { $0.embedBatches.count > 4 })
            async let rest = home.run(["backfill", "--batch", "4", "--json"], environment)
            let calls = fake.statistics.embedBatches.count
            #expect(await fake.waitUntil { $0.embedBatches.count > calls + 8 })
            kill(victim.processIdentifier, SIGKILL)
            try await killed.value
            let outcome = try await rest
            #expect(outcome.status == 0, "\(outcome.errors)")
            let summary = try #require(try lines(outcome).last)
            #expect(summary.event == "summary" && summary.total == 160 && summary.waiting == 0)
            #expect(summary.active == true)
            // The probe, each note once, and what died with the killed process: at most one batch in a call and one
            // that was being stored meanwhile.
            let sent = fake.statistics.embedBatches.reduce(0, +)
            #expect((161...161 + 2 * 4).contains(sent), "\(sent)")
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `a busy Ollama is waited for, a bad note is listed, and status and retry tell of it`(
        _ place: NotesPlace
    ) async throws {
        try await FakeOllama.withServer { fake in
            guard let home = try await SeleneHome.with(notesIn: place) else { return }
            let environment = ["OLLAMA_HOST": fake.baseURL]
            let file = home.url.appending(path: "bad.jsonl")
            try #"{"id":"x","title":"bad","content":"UNEMBEDDABLE"}"#.write(to: file, atomically: true, encoding: .utf8)
            _ = try await home.run(["ingest", file.path])
            _ = try await home.run(["ingest", try home.writeNotes(40)])
            _ = try await home.run(["backfill", "--limit", "2"], environment)
            fake.setFaults(["busy=429:1@/api/embed#1", "drop@/api/embed#1", "status=503@/api/embed#1"])
            let outcome = try await home.run(["backfill", "--json"], environment)
            #expect(outcome.status == 2)
            let told = try lines(outcome)
            #expect(told.contains { $0.paused != nil })
            // The two notes of the first run were the newest on either engine, so the bad one is among the rest.
            #expect(told.last?.embedded == 38)
            #expect(told.last?.failures?.map(\.note_id) == [1])

            let status = try await home.run(["backfill", "status"])
            #expect(status.output.contains("40 embedded, 0 waiting, 0 leased, 1 failed"), "\(status.output)")
            #expect(status.output.contains("note 1, 1 tries: the input length exceeds"))
            #expect(try await home.run(["backfill", "retry"]).status == 64)
            #expect(try await home.run(["backfill", "retry", "--failed"]).output == "1 note queued again\n")
            let dry = try await home.run(["backfill", "--dry-run"])
            #expect(dry.output.hasPrefix("1 note would be embedded with nomic-embed-text, about "))
            #expect(try await home.run(["backfill"], environment).status == 2)
            #expect(try await home.run(["backfill", "discard", "1", "--space", "1"]).output == "note 1 is discarded\n")
            #expect(try await home.run(["backfill", "discard", "1", "--space", "1"]).status == 1)
        }
    }

    @Test(.slow) func `a call that stalls is given up after the timeout, and the run goes on`() async throws {
        try await FakeOllama.withServer { fake in
            let home = try SeleneHome()
            let environment = ["OLLAMA_HOST": fake.baseURL, "SELENE_FIRST_BYTE_TIMEOUT": "0.3"]
            _ = try await home.run(["ingest", try home.writeNotes(40)])
            _ = try await home.run(["backfill", "--limit", "2"], environment)
            fake.setFaults(["stall-first=60@/api/embed#2", "cut=0@/api/embed#1"])
            let outcome = try await home.run(["backfill", "--batch", "8", "--json"], environment)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try lines(outcome).last?.embedded == 38)
            // The calls became smaller, and larger again.
            #expect((fake.statistics.embedBatches.min() ?? 9) < 8)
        }
    }

    @Test func `the vectors of a database that is gone come from the cache beside it`() async throws {
        try await FakeOllama.withServer { fake in
            let home = try SeleneHome()
            let notes = try home.writeNotes(30)
            let environment = ["OLLAMA_HOST": fake.baseURL]
            _ = try await home.run(["ingest", notes])
            #expect(try await home.run(["backfill"], environment).status == 0)
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: home.database + suffix) }
            _ = try await home.run(["ingest", notes])
            fake.reset()
            #expect(try await home.run(["backfill"], environment).output.hasPrefix("30 notes embedded"))
            #expect(fake.statistics.embedBatches.isEmpty)
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `spaces are listed, switched, rolled back and dropped`(_ place: NotesPlace) async throws {
        try await FakeOllama.withServer { fake in
            guard let home = try await SeleneHome.with(notesIn: place) else { return }
            let environment = ["OLLAMA_HOST": fake.baseURL]
            _ = try await home.run(["ingest", try home.writeNotes(10)])
            _ = try await home.run(["backfill"], environment)
            _ = try await home.run(["backfill", "--model", "all-minilm", "--limit", "9"], environment)
            struct Space: Decodable {
                var id: Int
                var active: Bool
                var embedded: Int
            }
            func spaces(_ outcome: SeleneHome.Outcome) throws -> [Space] {
                try JSONDecoder().decode([Space].self, from: Data(outcome.output.utf8))
            }
            let listed = try spaces(try await home.run(["spaces", "list", "--json"]))
            #expect(listed.map(\.active) == [true, false] && listed.map(\.embedded) == [10, 9])
            let early = try await home.run(["spaces", "switch", "2"])
            #expect(early.status == 1 && early.errors.contains("lacks 1 of 10 notes"), "\(early.errors)")
            let switched = try spaces(try await home.run(["spaces", "switch", "2", "--at", "90", "--json"]))
            #expect(switched.map(\.active) == [false, true])
            #expect(try await home.run(["spaces", "drop", "2"]).status == 1)
            #expect(try spaces(try await home.run(["spaces", "rollback", "--json"])).map(\.active) == [true, false])
            #expect(try await home.run(["spaces", "drop", "2"]).status == 0)
            #expect(try await home.run(["spaces"]).output.split(separator: "\n").count == 1)
            #expect(try await home.run(["spaces", "switch", "9"]).errors.contains("there is no embedding space 9"))
        }
    }

    @Test(.slow, .enabled("needs pgvector that runs on this processor") { await PostgresServer.hasWideVectors })
    func `the index of vectors in PostgreSQL is built with the memory that is granted, and shown`() async throws {
        var options = FakeOllama.Options()
        options.dimensions = 16
        try await FakeOllama.withServer(options) { fake in
            let home = try #require(try await SeleneHome.with(notesIn: .postgres))
            let searcher = ["SELENE_POSTGRES_SEARCH": "server"]
            _ = try await home.run(["ingest", try home.writeNotes(1000)])
            #expect(try await home.run(["index", "tune"], searcher).status == 1)
            _ = try await home.run(["backfill"], ["OLLAMA_HOST": fake.baseURL])
            let exact = try await home.run(["index", "status"], searcher)
            #expect(exact.output.contains("plan       exact\n"), "\(exact.output) \(exact.errors)")
            // A thousand nodes of at least 932 bytes do not fit into 1 MB less what the build needs.
            let small = try await home.run(["index", "tune", "--memory", "1MB", "--sample", "10"], searcher)
            #expect(small.status == 0 && small.output.contains("The index answers"), "\(small.output) \(small.errors)")
            #expect(small.output.contains("index    search  recall@10  median ms\nhnsw     "), "\(small.output)")
            let status = try await home.run(["index", "status"], searcher)
            #expect(status.output.contains("plan       hnsw: recall@10 "), "\(status.output)")
            #expect(status.output.contains("the index is in PostgreSQL\n"))
            #expect(status.output.contains("server     pgvector 0."), "\(status.output)")
            let build = try await home.run(["index", "build"], searcher)
            #expect(build.status == 64 && build.errors.contains("selene index tune"), "\(build.errors)")
            for wrong in ["1", "1XB", "512kB", "9999TB", "-1MB", "MB"] {
                #expect(try await home.run(["index", "tune", "--memory", wrong], searcher).status == 64, "\(wrong)")
            }
            #expect(
                try await home.run(["index", "tune", "--memory", "1GB"], ["SELENE_STORE": "sqlite"]).status == 64)
        }
    }
}
