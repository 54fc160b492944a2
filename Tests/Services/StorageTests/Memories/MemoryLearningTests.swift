import ChatRoom
import Foundation
import GRDB
import GatewayAPI
import Machine
import TestSupport
import Testing

@testable import Storage

/// Facts of runs in the file: each run once, over all servers, whatever ends in between.
@Suite struct MemoryLearningRows {
    /// A file of its own.
    private struct MemoryFile {
        let folder: TemporaryFolder
        let database: GatewayDatabase

        init() throws {
            folder = try TemporaryFolder()
            database = try GatewayDatabase(path: folder.url.appending(path: "n.sqlite").path)
        }

        var path: String { database.path }

        func execute(_ sql: String) async throws { try await database.write { try $0.execute(sql: sql) } }
    }

    private let worker = WorkerName()

    private func begin(_ database: GatewayDatabase, _ id: String, _ question: String) async throws {
        let draft = ChatRunDraft(
            id: id, session: "s-" + id, parent: .keep, question: question, model: "m", request: "{}", key: nil)
        _ = try await database.answers.begin(draft, title: "t", as: worker) { _ in true }
    }

    private func end(_ database: GatewayDatabase, _ id: String) async throws {
        _ = try await database.answers.end(
            id, ChatRunProgress(state: .done, text: "an answer", record: ChatRecord()), as: worker)
    }

    private func ask(_ database: GatewayDatabase, _ id: String, _ question: String) async throws {
        try await begin(database, id, question)
        try await end(database, id)
    }

    private func fact(_ value: String, _ key: String = "tool", isSingle: Bool = false) -> LearnedFact {
        LearnedFact(
            kind: "tool", key: key, value: value, isSingle: isSingle, content: "Uses " + value, type: "fact",
            confidence: 0.8, origin: .rules, source: "I use " + value, range: 0..<6)
    }

    /// Adds what is not known, and replaces what has one value.
    private func decide(_ facts: [LearnedFact]) -> @Sendable (Int, [KnownMemory]) -> MemoryDecision {
        { index, known in
            let fact = facts[index]
            let same = known.filter { $0.key == fact.key }
            if same.contains(where: { $0.value == fact.value }) { return .nothing }
            guard fact.isSingle, !same.isEmpty else { return .add }
            return .supersede(same.map(\.id), reason: "replaced")
        }
    }

    /// Reads every run that waits, as a server does.
    @discardableResult
    private func readAll(_ database: GatewayDatabase) async throws -> Int {
        var count = 0
        while true {
            let runs = try await database.memories.unreadRuns(limit: 3)
            if runs.isEmpty { return count }
            for run in runs {
                let facts = [fact(run.question)]
                if try await database.memories.learn(facts, from: run, decide: decide(facts)) != nil { count += 1 }
            }
        }
    }

    private func contents(_ database: GatewayDatabase, _ state: MemoryDetails.State? = .active) async throws -> [String]
    {
        try await database.memories.page(state: state, limit: 500).items.map(\.content).sorted()
    }

    @Test func `a run is read once, and runs that end later are read when they end`() async throws {
        let file = try MemoryFile()
        let database = file.database
        try await begin(database, "slow", "slow")
        try await ask(database, "quick", "quick")
        #expect(try await database.memories.hasUnreadRuns())
        #expect(try await readAll(database) == 1)
        #expect(try await contents(database) == ["Uses quick"])
        #expect(try await !database.memories.hasUnreadRuns())
        try await end(database, "slow")
        #expect(try await database.memories.unreadRuns(limit: 10).map(\.id) == ["slow"])
        #expect(try await readAll(database) == 1)
        #expect(try await readAll(database) == 0)
        #expect(try await contents(database) == ["Uses quick", "Uses slow"])
        let memory = try #require(try await database.memories.page(limit: 10).items.first { $0.content == "Uses slow" })
        #expect(memory.sourceSessionID == "s-slow" && memory.details?.source?.run == "slow")
        #expect(memory.details?.source?.message != nil && memory.details?.origin == .rules)
    }

    @Test(.slow) func `several servers on a file read each run once`() async throws {
        let file = try MemoryFile()
        for number in 1...40 { try await ask(file.database, "r\(number)", "tool \(number % 25)") }
        let others = try (0..<3).map { _ in try GatewayDatabase(path: file.path) }
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for database in [file.database] + others { group.addTask { try await self.readAll(database) } }
            return try await group.reduce(0, +)
        }
        #expect(counts == 40)
        #expect(try await contents(file.database, nil).count == 25)
        for other in others { try other.close() }
    }

    @Test func `a run that was read by another server meanwhile changes nothing`() async throws {
        let file = try MemoryFile()
        try await ask(file.database, "a", "helix")
        let run = try #require(try await file.database.memories.unreadRuns(limit: 1).first)
        try await readAll(file.database)
        let facts = [fact("emacs")]
        #expect(try await file.database.memories.learn(facts, from: run, decide: decide(facts)) == nil)
        #expect(try await contents(file.database) == ["Uses helix"])
    }

    @Test func `a run whose session was deleted meanwhile leaves nothing`() async throws {
        let file = try MemoryFile()
        try await ask(file.database, "a", "helix")
        let run = try #require(try await file.database.memories.unreadRuns(limit: 1).first)
        #expect(try await file.database.sessions.delete("s-a"))
        let facts = [fact("helix")]
        _ = try await file.database.memories.learn(facts, from: run, decide: decide(facts))
        #expect(try await contents(file.database, nil).isEmpty)
        #expect(try await !file.database.memories.hasUnreadRuns())
    }

    @Test func `what is replaced stays with its reason, and every change can be undone`() async throws {
        let file = try MemoryFile()
        let memories = file.database.memories
        for (id, place) in [("a", "Leipzig"), ("b", "Hamburg")] {
            try await ask(file.database, id, place)
            let run = try #require(try await memories.unreadRuns(limit: 1).first)
            let facts = [fact(place, "home", isSingle: true)]
            _ = try await memories.learn(facts, from: run, decide: decide(facts))
        }
        #expect(try await contents(file.database) == ["Uses Hamburg"])
        let old = try #require(try await memories.page(state: .superseded, limit: 10).items.first)
        let new = try #require(try await memories.page(limit: 10).items.first)
        #expect(
            old.content == "Uses Leipzig" && old.details?.supersededBy == new.id && old.details?.reason == "replaced")
        #expect(try await memories.find(ids: [old.id, new.id]).map(\.id) == [new.id])
        #expect(try await memories.history(old.id)?.changes.map(\.action) == [.supersede, .add])
        // Without the new one, the old one holds again.
        let undone = try #require(try await memories.undo(new.id))
        #expect(undone.undone == .add && undone.memory == nil)
        #expect(try await contents(file.database) == ["Uses Leipzig"])
        #expect(try await memories.undo(new.id) == nil)
        // An edit and a deletion come back, too.
        _ = try await memories.update(old.id, MemoryUpdate(content: "Uses Leipzig in summer", isPinned: true))
        #expect(try await memories.page(limit: 10).items.first?.details?.isPinned == true)
        #expect(try await memories.delete(old.id))
        #expect(try await contents(file.database, nil).isEmpty)
        let back = try #require(try await memories.undo(old.id)?.memory)
        #expect(back.id == old.id && back.content == "Uses Leipzig in summer" && back.details?.isPinned == true)
        #expect(try await memories.undo(old.id)?.memory?.content == "Uses Leipzig")
        #expect(try await memories.undo(999) == nil)
    }

    @Test func `memories that another program wrote, changed or deleted are taken as they are`() async throws {
        let file = try MemoryFile()
        let memories = file.database.memories
        try await file.execute(
            "INSERT INTO conversation_memories (id, content, confidence) VALUES (1, 'User lives in Bonn', 'high'), (2, x'ff00', NULL), (3, 17, 0.5)"
        )
        let unkeyed = try await memories.unkeyed(after: .min, limit: 10)
        #expect(unkeyed.map(\.id) == [1, 2, 3])
        try await memories.key(unkeyed.map { ($0.id, $0.content, ("place", "home", "bonn", true)) })
        #expect(try await memories.page(limit: 10).items.first { $0.id == 1 }?.details?.key == "home")
        try await ask(file.database, "a", "x")
        let run = try #require(try await memories.unreadRuns(limit: 1).first)
        let facts = [fact("Ulm", "home", isSingle: true)]
        _ = try await memories.learn(facts, from: run, decide: decide(facts))
        #expect(try await memories.page(state: .superseded, limit: 10).items.contains { $0.id == 1 })
        // The other program changes the text: what we knew of it counts no longer.
        try await file.execute("UPDATE conversation_memories SET content = 'User lives in Jena' WHERE id = 1")
        #expect(try await memories.page(limit: 10).items.contains { $0.content == "User lives in Jena" })
        #expect(try await memories.unkeyed(after: .min, limit: 10).contains { $0.id == 1 })
        try await file.execute("DELETE FROM conversation_memories")
        #expect(try await contents(file.database, nil).isEmpty)
    }

    @Test func `a model's facts are proposals until a person confirms them`() async throws {
        let file = try MemoryFile()
        let memories = file.database.memories
        for (id, origin) in [("a", MemoryDetails.Origin.rules), ("b", .model)] {
            try await ask(file.database, id, id)
            let run = try #require(try await memories.unreadRuns(limit: 1).first)
            var one = fact(id == "a" ? "Leipzig" : "Hamburg", "home", isSingle: true)
            one.origin = origin
            let facts = [one]
            _ = try await memories.learn(facts, from: run, decide: decide(facts))
        }
        #expect(try await contents(file.database) == ["Uses Leipzig"])
        let proposal = try #require(try await memories.page(state: .proposed, limit: 10).items.first)
        #expect(try await memories.find(ids: [proposal.id]).isEmpty)
        #expect(try await memories.always(keys: ["home"], limit: 10)?.map(\.content) == ["Uses Leipzig"])
        #expect(try await memories.confirm(proposal.id)?.details?.state == .active)
        #expect(try await contents(file.database) == ["Uses Hamburg"])
        #expect(try await memories.confirm(proposal.id)?.details?.state == .active)
        let old = try #require(try await memories.page(state: .superseded, limit: 10).items.first)
        await #expect(throws: StorageError.self) { _ = try await memories.confirm(old.id) }
        #expect(try await memories.confirm(999) == nil)
    }
}
