import ChatRoom
import Foundation
import GRDB
import GatewayAPI
import Machine
import TestSupport
import Testing

@testable import Storage

/// Facts of runs among memories that another program writes, too.
@Suite struct ForeignMemories {
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

    private func contents(_ database: GatewayDatabase, _ state: MemoryDetails.State? = .active) async throws -> [String]
    {
        try await database.memories.page(state: state, limit: 500).items.map(\.content).sorted()
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
}
