import ChatRoom
import Foundation
import GatewayAPI
import Machine
import Storage
import StoreTestSupport
import TestSupport
import Testing

/// Facts of runs, in a file and in PostgreSQL: each run once, over all gateways, whatever ends in between.
@Suite(.serialized) struct MemoryLearningTests {
    typealias Kind = ConversationStage.Kind
    static let kinds = [Kind.file, .postgres]

    private let worker = WorkerName()

    private func begin(_ store: any GatewayStore, _ id: String, _ question: String) async throws {
        let draft = ChatRunDraft(
            id: id, session: "s-" + id, parent: .keep, question: question, model: "m", request: "{}", key: nil)
        _ = try await store.answers.begin(draft, title: "t", as: worker) { _ in true }
    }

    private func end(_ store: any GatewayStore, _ id: String) async throws {
        _ = try await store.answers.end(
            id, ChatRunProgress(state: .done, text: "an answer", record: ChatRecord()), as: worker)
    }

    private func ask(_ store: any GatewayStore, _ id: String, _ question: String) async throws {
        try await begin(store, id, question)
        try await end(store, id)
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
    private func readAll(_ store: any GatewayStore) async throws -> Int {
        var count = 0
        while true {
            let runs = try await store.memories.unreadRuns(limit: 3)
            if runs.isEmpty { return count }
            for run in runs {
                let facts = [fact(run.question)]
                if try await store.memories.learn(facts, from: run, decide: decide(facts)) != nil { count += 1 }
            }
        }
    }

    private func contents(_ store: any GatewayStore, _ state: MemoryDetails.State? = .active) async throws
        -> [String]
    {
        try await store.memories.page(state: state, limit: 500).items.map(\.content).sorted()
    }

    @Test(arguments: kinds) func `a run is read once, and runs that end later are read when they end`(kind: Kind)
        async throws
    {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let store = stage.store
        try await begin(store, "slow", "slow")
        try await ask(store, "quick", "quick")
        #expect(try await store.memories.hasUnreadRuns())
        #expect(try await readAll(store) == 1)
        #expect(try await contents(store) == ["Uses quick"])
        #expect(try await !store.memories.hasUnreadRuns())
        try await end(store, "slow")
        #expect(try await store.memories.unreadRuns(limit: 10).map(\.id) == ["slow"])
        #expect(try await readAll(store) == 1)
        #expect(try await readAll(store) == 0)
        #expect(try await contents(store) == ["Uses quick", "Uses slow"])
        let memory = try #require(try await store.memories.page(limit: 10).items.first { $0.content == "Uses slow" })
        #expect(memory.sourceSessionID == "s-slow" && memory.details?.source?.run == "slow")
        #expect(memory.details?.source?.message != nil && memory.details?.origin == .rules)
    }

    @Test(.slow, arguments: kinds) func `several servers on a file read each run once`(kind: Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        for number in 1...40 { try await ask(stage.store, "r\(number)", "tool \(number % 25)") }
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for store in stage.stores + stage.stores { group.addTask { try await self.readAll(store) } }
            return try await group.reduce(0, +)
        }
        #expect(counts == 40)
        #expect(try await contents(stage.store, nil).count == 25)
    }

    @Test(arguments: kinds) func `a run that was read by another server meanwhile changes nothing`(kind: Kind)
        async throws
    {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        try await ask(stage.store, "a", "helix")
        let run = try #require(try await stage.store.memories.unreadRuns(limit: 1).first)
        try await readAll(stage.store)
        let facts = [fact("emacs")]
        #expect(try await stage.store.memories.learn(facts, from: run, decide: decide(facts)) == nil)
        #expect(try await contents(stage.store) == ["Uses helix"])
    }

    @Test(arguments: kinds) func `a run whose session was deleted meanwhile leaves nothing`(kind: Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        try await ask(stage.store, "a", "helix")
        let run = try #require(try await stage.store.memories.unreadRuns(limit: 1).first)
        #expect(try await stage.store.sessions.delete("s-a"))
        let facts = [fact("helix")]
        _ = try await stage.store.memories.learn(facts, from: run, decide: decide(facts))
        #expect(try await contents(stage.store, nil).isEmpty)
        #expect(try await !stage.store.memories.hasUnreadRuns())
    }

    @Test(arguments: kinds) func `what is replaced stays with its reason, and every change can be undone`(kind: Kind)
        async throws
    {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let memories = stage.store.memories
        for (id, place) in [("a", "Leipzig"), ("b", "Hamburg")] {
            try await ask(stage.store, id, place)
            let run = try #require(try await memories.unreadRuns(limit: 1).first)
            let facts = [fact(place, "home", isSingle: true)]
            _ = try await memories.learn(facts, from: run, decide: decide(facts))
        }
        #expect(try await contents(stage.store) == ["Uses Hamburg"])
        let old = try #require(try await memories.page(state: .superseded, limit: 10).items.first)
        let new = try #require(try await memories.page(limit: 10).items.first)
        #expect(
            old.content == "Uses Leipzig" && old.details?.supersededBy == new.id && old.details?.reason == "replaced")
        #expect(try await memories.find(ids: [old.id, new.id]).map(\.id) == [new.id])
        #expect(try await memories.history(old.id)?.changes.map(\.action) == [.supersede, .add])
        // Without the new one, the old one holds again.
        let undone = try #require(try await memories.undo(new.id))
        #expect(undone.undone == .add && undone.memory == nil)
        #expect(try await contents(stage.store) == ["Uses Leipzig"])
        #expect(try await memories.undo(new.id) == nil)
        // An edit and a deletion come back, too.
        _ = try await memories.update(old.id, MemoryUpdate(content: "Uses Leipzig in summer", isPinned: true))
        #expect(try await memories.page(limit: 10).items.first?.details?.isPinned == true)
        #expect(try await memories.delete(old.id))
        #expect(try await contents(stage.store, nil).isEmpty)
        let back = try #require(try await memories.undo(old.id)?.memory)
        #expect(back.id == old.id && back.content == "Uses Leipzig in summer" && back.details?.isPinned == true)
        #expect(try await memories.undo(old.id)?.memory?.content == "Uses Leipzig")
        #expect(try await memories.undo(999) == nil)
    }

    @Test(arguments: kinds) func `a model's facts are proposals until a person confirms them`(kind: Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let memories = stage.store.memories
        for (id, origin) in [("a", MemoryDetails.Origin.rules), ("b", .model)] {
            try await ask(stage.store, id, id)
            let run = try #require(try await memories.unreadRuns(limit: 1).first)
            var one = fact(id == "a" ? "Leipzig" : "Hamburg", "home", isSingle: true)
            one.origin = origin
            let facts = [one]
            _ = try await memories.learn(facts, from: run, decide: decide(facts))
        }
        #expect(try await contents(stage.store) == ["Uses Leipzig"])
        let proposal = try #require(try await memories.page(state: .proposed, limit: 10).items.first)
        #expect(try await memories.find(ids: [proposal.id]).isEmpty)
        #expect(try await memories.always(keys: ["home"], limit: 10)?.map(\.content) == ["Uses Leipzig"])
        #expect(try await memories.confirm(proposal.id)?.details?.state == .active)
        #expect(try await contents(stage.store) == ["Uses Hamburg"])
        #expect(try await memories.confirm(proposal.id)?.details?.state == .active)
        let old = try #require(try await memories.page(state: .superseded, limit: 10).items.first)
        await #expect(throws: StorageError.self) { _ = try await memories.confirm(old.id) }
        #expect(try await memories.confirm(999) == nil)
    }

    @Test(arguments: kinds) func `what is known of a memory that a person wrote is read once until its text changes`(
        kind: Kind
    ) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let (memories, second) = (stage.store.memories, stage.stores[1].memories)
        let made = try await memories.create(NewMemory(content: "User lives in Bonn", type: "fact"))
        _ = try await memories.create(NewMemory(content: "likes tea", type: "preference"))
        let unkeyed = try await second.unkeyed(after: .min, limit: 10)
        #expect(unkeyed.map(\.content) == ["User lives in Bonn", "likes tea"])
        try await second.key(
            unkeyed.map { ($0.id, $0.content, $0.id == made.id ? ("place", "home", "bonn", true) : nil) })
        #expect(try await memories.unkeyed(after: .min, limit: 10).isEmpty)
        try await ask(stage.store, "a", "x")
        let run = try #require(try await memories.unreadRuns(limit: 1).first)
        let facts = [fact("Ulm", "home", isSingle: true)]
        let learned = try await memories.learn(facts, from: run, decide: decide(facts))
        #expect(learned?.added == 1 && learned?.superseded == 1)
        #expect(try await contents(stage.stores[1]) == ["Uses Ulm", "likes tea"])
        _ = try await second.update(made.id, MemoryUpdate(content: "User lives in Jena"))
        #expect(try await memories.unkeyed(after: .min, limit: 10).map(\.id) == [made.id])
        let changed = try #require(try await memories.look(after: nil, limit: 10) { _, _ in }.position)
        _ = try await second.update(made.id, MemoryUpdate(isPinned: true))
        #expect(try await memories.look(after: changed, limit: 10) { _, _ in }.changed == [made.id])
    }
}
