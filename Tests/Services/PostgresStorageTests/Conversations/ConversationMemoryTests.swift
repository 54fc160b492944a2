import ChatRoom
import Foundation
import GatewayAPI
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage

/// What every store of memories does, in a file and in PostgreSQL.
@Suite(.serialized) struct ConversationMemoryTests {
    typealias Kind = ConversationStage.Kind
    static let kinds = [Kind.file, .postgres]

    private func page(
        _ memories: MemoryRoom, embeddings: Bool = false, type: String? = nil,
        after cursor: PageCursor? = nil, limit: Int = 500
    ) async throws -> Page<Memory> {
        try await memories.page(embeddings: embeddings, state: .active, type: type, after: cursor, limit: limit)
    }

    @Test(arguments: kinds) func `a memory's vector belongs to its words`(kind: Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let memories = stage.store.memories
        let numbers: [Float] = [1, .pi, -0.0, .leastNonzeroMagnitude, -.greatestFiniteMagnitude]
        let memory = try await memories.create(NewMemory(content: "a", type: "fact", embedding: numbers))
        func vector() async throws -> [UInt32]? {
            try await page(memories, embeddings: true).items.first?.vector?.map(\.bitPattern)
        }
        #expect(memory.embedding == nil && memory.confidence == 1 && memory.details == nil)
        #expect(try await page(memories).items == [memory])
        #expect(try await vector() == numbers.map(\.bitPattern))
        var change = MemoryUpdate()
        change.confidence = 0.5
        #expect(try await memories.update(memory.id, change)?.confidence == 0.5)
        #expect(try await vector() == numbers.map(\.bitPattern))
        change.content = "b"
        #expect(try await memories.update(memory.id, change)?.content == "b")
        #expect(try await vector() == nil)
        change.embedding = .set(VectorValue([2]))
        _ = try await memories.update(memory.id, change)
        #expect(try await vector() == [Float(2).bitPattern])
        #expect(try await memories.update(99, change) == nil)
        #expect(try await memories.delete(memory.id))
        #expect(try await !memories.delete(memory.id))
    }

    @Test(.slow, arguments: kinds)
    func `memories come by confidence and use, once, while others are added`(kind: Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let (memories, second) = (stage.store.memories, stage.stores[1].memories)
        var expected: [(confidence: Double, id: Int64)] = []
        for number in 0..<40 {
            let confidence = Double(number % 5) / 7
            let new = NewMemory(
                content: "\(number) ü%_'", type: Memory.types[number % 4], confidence: confidence,
                sourceSessionID: number % 2 == 0 ? "s" : nil)
            expected.append((confidence, try await memories.create(new).id))
        }
        var (read, cursor, step) = ([Memory](), PageCursor?.none, 0)
        repeat {
            let found = try await page(memories, after: cursor, limit: 1 + step % 5)
            read += found.items
            cursor = found.next.flatMap { PageCursor(text: $0.text) }
            step += 1
            _ = try await second.create(
                NewMemory(content: "new", type: "fact", confidence: Double(step % 7) / 7))
        } while cursor != nil && step < 200
        let known = Set(expected.map(\.id))
        #expect(Set(read.map(\.id)).count == read.count)
        #expect(Set(read.map(\.id)).isSuperset(of: known))
        #expect(read.map(\.confidence) == read.map(\.confidence).sorted(by: >))
        let all = try await page(second)
        #expect(
            all.items.filter { known.contains($0.id) }.map(\.confidence) == expected.map(\.confidence).sorted(by: >))
        #expect(try await page(second, type: "context").items.count == 10)
        #expect(try await second.page(embeddings: false, state: .proposed, type: nil, after: nil, limit: 9).items == [])
        #expect(
            try await second.page(embeddings: false, state: nil, type: nil, after: nil, limit: 500).items == all.items)
        await #expect(throws: StorageError.self) { try await page(memories, after: PageCursor(1)) }
        #expect(
            Set(try await second.find(ids: [expected[3].id, expected[7].id, 9999]).map(\.content)) == [
                "3 ü%_'", "7 ü%_'",
            ])
        #expect(try await second.touch([expected[0].id, expected[0].id, expected[1].id, 9999]) == 2)
        let scanned = Locked<[Int64]>([])
        _ = try await memories.look(after: nil, limit: 30) { memory, _ in scanned.change { $0.append(memory.id) } }
        #expect(scanned.value == Array(all.items.map(\.id).sorted(by: >).prefix(30)))
    }

    @Test(arguments: kinds) func `a look reads only what changed since the last one`(kind: Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let memories = stage.store.memories
        for number in 1...5 {
            _ = try await memories.create(NewMemory(content: "memory \(number)", type: "fact", embedding: [1, 2]))
        }
        func look(_ position: Int64?) async throws -> (look: MemoryLook, read: [String]) {
            let read = Locked<[String]>([])
            let look = try await memories.look(after: position, limit: 100) { memory, vector in
                read.change { $0.append("\(memory.content) \(vector?.count ?? 0)") }
            }
            return (look, read.value)
        }
        // A file whose triggers are not yet known to be there gives no position.
        var first = try await look(nil)
        if first.look.position == nil { first = try await look(nil) }
        #expect(first.look.changed == nil && first.read.count == 5)
        let position = try #require(first.look.position)
        let idle = try await look(position)
        #expect(idle.look.changed == [] && idle.look.position == position && idle.read.isEmpty)
        var change = MemoryUpdate()
        change.content = "edited"
        _ = try await memories.update(2, change)
        _ = try await memories.delete(4)
        let fresh = try await memories.create(NewMemory(content: "fresh", type: "fact"))
        let next = try await look(position)
        #expect(next.look.changed == [2, 4, fresh.id])
        #expect(next.read == ["fresh 0", "edited 0"])
        _ = try await memories.undo(4)
        let after = try await look(next.look.position)
        #expect(after.look.changed == [4] && after.read == ["memory 4 2"])
        // A position that is not of this log, and one that the log no longer reaches.
        #expect(try await look(position + 1000).look.changed == nil)
        for number in 1...3 {
            change.content = "edited \(number)"
            _ = try await memories.update(2, change)
        }
        if let server = stage.store as? PostgresStore {
            _ = try await server.write { try await $0.run("DELETE FROM memory_log WHERE seq <= \(position + 2)") }
            #expect(try await look(position).look.changed == nil)
            #expect(try await look(position + 2).look.changed == [2, 4, fresh.id])
            _ = try await memories.touch([1])
            #expect(try await look(position + 5).look.changed == [2])
        }
    }

    @Test(arguments: kinds) func `an edit and a deletion come back, each once`(kind: Kind) async throws {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let (memories, second) = (stage.store.memories, stage.stores[1].memories)
        let made = try await memories.create(
            NewMemory(content: "lives in Leipzig", type: "fact", confidence: 0.5, sourceSessionID: "s"))
        await #expect { try await memories.undo(made.id) } throws: { ($0 as? StorageError)?.code == .conflict }
        #expect(try await memories.undo(999) == nil)
        #expect(try await memories.history(999) == nil)
        #expect(try await memories.confirm(999) == nil)
        #expect(try await memories.confirm(made.id)?.content == "lives in Leipzig")
        let pinned = try await second.update(made.id, MemoryUpdate(isPinned: true))
        #expect(pinned?.details == MemoryDetails(isPinned: true))
        let vector = VectorValue([1, 2, 3])
        _ = try await second.update(made.id, MemoryUpdate(content: "lives in Hamburg", embedding: .set(vector)))
        let history = try #require(try await memories.history(made.id))
        #expect(history.changes.map(\.action) == [.edit] && history.changes[0].content == "lives in Leipzig")
        #expect(history.changes[0].at.hasSuffix("Z") && history.message == nil)
        #expect(try await memories.delete(made.id))
        #expect(try await memories.history(made.id) == nil)
        let back = try #require(try await second.undo(made.id))
        #expect(back.undone == .forget)
        let memory = try #require(back.memory)
        #expect(memory.id == made.id && memory.content == "lives in Hamburg" && memory.confidence == 0.5)
        #expect(memory.sourceSessionID == "s" && memory.details?.isPinned == true)
        #expect(try await page(memories, embeddings: true).items.first?.vector == [1, 2, 3])
        let older = try #require(try await memories.undo(made.id))
        #expect(older.undone == .edit && older.memory?.content == "lives in Leipzig")
        #expect(try await page(memories, embeddings: true).items.first?.vector == nil)
        await #expect { try await second.undo(made.id) } throws: { ($0 as? StorageError)?.code == .conflict }
        let next = try await memories.create(NewMemory(content: "x", type: "fact"))
        #expect(next.id > made.id)
    }

    @Test(.slow, arguments: kinds) func `two that change memories at once lose nothing, and see each other`(kind: Kind)
        async throws
    {
        guard let stage = try await ConversationStage.make(kind) else { return }
        defer { stage.end() }
        let shared = try await stage.store.memories.create(NewMemory(content: "shared", type: "fact"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (which, store) in stage.stores.enumerated() {
                for worker in 0..<2 {
                    group.addTask {
                        for number in 0..<20 {
                            let name = "\(which) \(worker) \(number)"
                            let memory = try await store.memories.create(NewMemory(content: name, type: "fact"))
                            _ = try await store.memories.touch([memory.id, shared.id])
                            _ = try await store.memories.update(shared.id, MemoryUpdate(content: name))
                            if number % 2 == 0 { _ = try await store.memories.delete(memory.id) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await page(stage.store.memories).items.count == 41)
        // Each of the 80 edits is one step back.
        for _ in 0..<50 { #expect(try await stage.stores[1].memories.undo(shared.id)?.undone == .edit) }
        let version = try await stage.store.memories.version()
        #expect(try await stage.store.memories.version() == version)
        _ = try await stage.stores[1].memories.delete(shared.id)
        #expect(try await stage.store.memories.version() != version)
    }
}

/// What only PostgreSQL has.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct PostgresMemoryTests {
    @Test func `a forgotten memory is gone for good after an hour`() async throws {
        let stage = try await PostgresStage()
        let memories = stage.store.memories
        let new = NewMemory(content: "a secret", type: "fact", embedding: [1])
        let (gone, late) = (try await memories.create(new).id, try await memories.create(new).id)
        _ = try await memories.update(gone, MemoryUpdate(content: "a secret, edited"))
        #expect(try await memories.delete(gone))
        #expect(try await memories.delete(late))
        try await stage.store.write { connection in
            _ = try await connection.run(
                "UPDATE gateway_memory_changes SET changed_at = changed_at - 3601 WHERE memory_id = $1",
                [.integer(gone)])
        }
        #expect(try await memories.undo(gone) == nil)
        #expect(try await stage.store.rows("SELECT 1 FROM gateway_memory_changes WHERE memory_id = \(gone)").count == 0)
        #expect(try await memories.undo(late)?.memory?.content == "a secret")
    }

    @Test func `a change whose connection breaks happens once`() async throws {
        let server = try #require(await PostgresServer.shared())
        for (text, passesOn) in [
            ("INSERT INTO memories", true), ("INSERT INTO memories", false), ("COMMIT", true), ("COMMIT", false),
        ] {
            let proxy = try CuttingProxy(to: server.port)
            defer { proxy.stop() }
            let stage = try await PostgresStage(through: proxy.port)
            try await stage.store.prepare()
            proxy.cut(at: .init(text, passesOn: passesOn))
            let memory = try await stage.store.memories.create(NewMemory(content: "x", type: "fact"))
            #expect(proxy.cuts == 1)
            let all = try await stage.store.memories.page(
                embeddings: true, state: nil, type: nil, after: nil, limit: 9)
            #expect(all.items == [memory])
        }
    }
}
