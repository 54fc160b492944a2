import ChatRoom
import ThreadRoom
import AssociationRoom
import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import Machine
import Storage
import TaskRoom
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// `kill -9` of a gateway in the middle of its workflows: started again, they come to what they come to without it.
@Suite(.serialized) struct WorkflowKills {
    private static let jobs = ["actions", "threads", "briefing", "memories"]
    /// Whether processes are killed at more of their writes: `SELENE_WORKFLOW_KILLS=1` for the long form.
    private static let isLong = ProcessInfo.processInfo.environment["SELENE_WORKFLOW_KILLS"] != nil
    /// The number of notes.
    private static let notes = isLong ? 1500 : 600

    /// Notes with tasks, similar in groups, and questions that say something about the person.
    private func fill(_ home: SeleneHome) async throws {
        let database = try GatewayDatabase(path: home.database)
        let now: Int64 = 1_790_000_000
        let notes = (0..<Self.notes).map { number in
            NoteDraft(
                title: "note \(number)",
                content: "Call person \(number) by Friday. What I wrote about topic \(number % 40).",
                createdAt: now + Int64(number), threads: number % 7 == 0 ? ["House"] : [])
        }
        _ = try await database.notes.insert(notes)
        let worker = WorkerName()
        for number in 0..<120 {
            let draft = ChatRunDraft(
                id: "r\(number)", session: "s\(number % 10)", parent: .keep,
                question: "I live in Town\(number % 3)x. I use Tool\(number). I like fruit number \(number % 50).",
                model: "m", request: #"{"kind":"ask","tools":true,"strict":false,"limit":6,"remembers":true}"#, key: nil
            )
            _ = try await database.answers.begin(draft, title: "t", as: worker) { _ in true }
            _ = try await database.answers.end(
                draft.id, ChatRunProgress(state: .done, text: "Noted.", record: ChatRecord()), as: worker)
        }
        try database.close()
    }

    /// What the workflows made, without ids and times.
    private func made(_ home: SeleneHome) async throws -> [String] {
        let database = try GatewayDatabase(path: home.database)
        var made: [String] = []
        var cursor: PageCursor?
        repeat {
            let page = try await database.taskDrafts.page(after: cursor, limit: 500)
            made += page.items.map { "draft \($0.source.noteID) \($0.title) \($0.due ?? "-")" }
            cursor = page.next
        } while cursor != nil
        cursor = nil
        repeat {
            let page = try await database.memories.page(state: nil, after: cursor, limit: 500)
            made += page.items.map {
                "memory \($0.content) \($0.details?.state.rawValue ?? "-") \($0.sourceSessionID ?? "-")"
            }
            cursor = page.next
        } while cursor != nil
        made += try await database.threadProposals.page(.open, limit: 100).items.map { "proposal \($0.name)" }
        try database.close()
        return made.sorted()
    }

    /// Where a job of a kind begins.
    private static func path(_ kind: String) -> String {
        kind == "associations" ? "/api/briefing/associations/compute" : "/api/jobs/\(kind)"
    }

    private func run(_ server: ServeProcess, _ kind: String) async throws {
        let begun = try await server.request("POST", Self.path(kind))
        let id = try #require(begun.object["id"] as? Int, "\(begun.text)")
        try await waitUntil { try await server.request("GET", "/api/jobs/\(id)").object["state"] as? String == "done" }
    }

    @Test(.slow) func `killed workflows come to the same, and repeated ones change nothing`() async throws {
        let environment = [
            "SELENE_BACKFILL": "off", "SELENE_GOALS_ZONE": "UTC", "SELENE_MEMORIES": "on", "SELENE_EMBED_MODEL": "none",
        ]
        let fake = try await FakeOllama.start()
        let all = environment.merging(["OLLAMA_HOST": fake.baseURL]) { $1 }
        let (whole, killed) = (try SeleneHome(), try SeleneHome())
        for home in [whole, killed] { try await fill(home) }
        try await ServeProcess.with(all, home: whole) { server in
            for kind in Self.jobs { try await run(server, kind) }
        }
        // Each kill is a little later than the one before, from the very start on.
        for wait in [0, 150, 400] {
            try await ServeProcess.with(all, home: killed) { server in
                for kind in Self.jobs { _ = try await server.request("POST", "/api/jobs/\(kind)") }
                try await Task.sleep(for: .milliseconds(wait))
                try await server.end(SIGKILL)
            }
            #expect(try integrity(of: killed.database) == "ok")
        }
        try await ServeProcess.with(all, home: killed) { server in
            for kind in Self.jobs { try await run(server, kind) }
        }
        let expected = try await made(whole)
        #expect(expected.count > Self.notes && expected.contains { $0.hasPrefix("memory Lives in Town2x active") })
        #expect(expected.count { $0.hasPrefix("memory Lives in") && $0.contains(" active ") } == 1)
        #expect(try await made(killed) == expected)
        try await ServeProcess.with(all, home: killed) { server in
            for kind in Self.jobs { try await run(server, kind) }
        }
        #expect(try await made(killed) == expected)
        await fake.shutdown()
    }

    // MARK: At chosen writes

    /// The library that kills a process at one of its writes; nil where it cannot be made.
    private func killer(_ folder: TemporaryFolder) async throws -> String? {
        guard await Shell.has("cc") else { return nil }
        let source = Repository.root.appending(path: "Tests/Support/KillAtWrite/kill_at_write.c").path
        let library = folder.path("kill_at_write.so")
        let made = try await Shell.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"])
        guard made.status == 0 else {
            print("skipped: kill_at_write.c cannot be compiled here: \(made.output)")
            return nil
        }
        return library
    }

    #if os(Linux)
    @Test(.slow, arguments: jobs)
    func `a workflow that is killed at any of its writes comes to the same`(kind: String) async throws {
        let folder = try TemporaryFolder()
        guard let library = try await killer(folder) else { return }
        let fake = try await FakeOllama.start()
        let environment = [
            "SELENE_BACKFILL": "off", "SELENE_GOALS_ZONE": "UTC", "SELENE_MEMORIES": kind == "memories" ? "on" : "off",
            "SELENE_EMBED_MODEL": "none", "OLLAMA_HOST": fake.baseURL,
        ]
        let (whole, killed) = (try SeleneHome(), try SeleneHome())
        for home in [whole, killed] { try await fill(home) }
        try await ServeProcess.with(environment, home: whole) { try await run($0, kind) }
        let expected = try await made(whole)
        let writes = Self.isLong ? [1, 2, 5, 14, 40, 120] : [1, 5, 40]
        let kills = try await kill(at: writes, of: kind, killed, environment, library)
        #expect(kills >= writes.count / 2 + 1, "\(kills) kills")
        try await ServeProcess.with(environment, home: killed) { try await run($0, kind) }
        #expect(try await made(killed) == expected)
        await fake.shutdown()
    }

    @Test(.slow, arguments: ["associations", "threads"])
    func `similar pairs and threads that are killed at any of their writes come to the same`(
        kind: String
    ) async throws {
        let folder = try TemporaryFolder()
        guard let library = try await killer(folder) else { return }
        let fake = try await FakeOllama.start()
        let environment = [
            "SELENE_BACKFILL": "off", "SELENE_GOALS_ZONE": "UTC", "SELENE_EMBED_MODEL": "nomic-embed-text",
            "OLLAMA_HOST": fake.baseURL,
        ]
        let (whole, killed) = (try SeleneHome(), try SeleneHome())
        let database = try GatewayDatabase(path: whole.database)
        let notes = (0..<400).map { number in
            NoteDraft(
                title: "topic\(number % 40)", content: "topic\(number % 40) topic\(number % 40) of day \(number % 7)",
                createdAt: 1_790_000_000 + Int64(number))
        }
        _ = try await database.notes.insert(notes)
        try database.close()
        try await ServeProcess.with(environment, home: whole) { try await run($0, "backfill") }
        for end in ["", "-wal"] where FileManager.default.fileExists(atPath: whole.database + end) {
            try FileManager.default.copyItem(atPath: whole.database + end, toPath: killed.database + end)
        }
        try await ServeProcess.with(environment, home: whole) { try await run($0, kind) }
        let expected = try await pairs(whole)
        #expect(expected.count > 300)
        let kills = try await kill(at: Self.isLong ? [1, 3, 9, 30] : [1, 9], of: kind, killed, environment, library)
        #expect(kills >= 1, "\(kills) kills")
        for round in 1...2 {
            try await ServeProcess.with(environment, home: killed) { try await run($0, kind) }
            let found = try await pairs(killed)
            let differences = Set(found).symmetricDifference(expected).sorted().prefix(5)
            #expect(found == expected, "round \(round), \(kills) kills: \(differences)")
        }
        await fake.shutdown()
    }

    /// The stored pairs, groups and proposals.
    private func pairs(_ home: SeleneHome) async throws -> [String] {
        let database = try GatewayDatabase(path: home.database)
        var found: [String] = []
        try await database.associations.pairs(minSimilarity: 0) { pairs in
            found += pairs.map { "pair \($0.first) \($0.second) \(Int($0.similarity * 10_000))" }
            return true
        }
        found += try await database.threadGroups.groups().map { "group \($0.key) \($0.value)" }
        found += try await database.threadProposals.stored(.open).map { "proposal \($0.name) \($0.parts)" }
        try database.close()
        return found.sorted()
    }

    /// Runs a workflow in one process after the other, each killed at the next of some writes to the database. The numbers
    /// grow, so that each kill is deeper in what the one before has left to do. Returns how many were killed.
    private func kill(
        at writes: [Int], of kind: String, _ home: SeleneHome, _ environment: [String: String], _ library: String
    ) async throws -> Int {
        var kills = 0
        for count in writes {
            let folder = try TemporaryFolder()
            let number = try folder.write("number", "\(count)").path
            let armed = folder.path("armed")
            let more = ["LD_PRELOAD": library, "KILL_FILE": armed]
            try await ServeProcess.with(environment.merging(more) { $1 }, home: home) { server in
                try FileManager.default.moveItem(atPath: number, toPath: armed)
                var isDone = false
                let begun = try? await server.request("POST", Self.path(kind))
                try await waitUntil {
                    guard server.process.isRunning else { return true }
                    guard let id = begun?.object["id"] as? Int else { return false }
                    let job = try? await server.request("GET", "/api/jobs/\(id)")
                    isDone = job?.object["state"] as? String == "done"
                    return isDone
                }
                if !isDone { kills += 1 }
                try await server.end(SIGKILL)
            }
            #expect(try integrity(of: home.database) == "ok", "write \(count)")
        }
        return kills
    }
    #endif
}
