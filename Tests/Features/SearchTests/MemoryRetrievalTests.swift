import ChatRoom
import Access
import Foundation
import GatewayAPI
import Inference
import Storage
import Synchronization
import TestSupport
import Testing
import Text
import Transport

@testable import Search

/// Memories in the engine of the notes: what is found, in which order, and that every change is seen.
@Suite struct MemoriesInTheEngine {
    /// Nobody listens there: a query without a vector is answered by words.
    private func retrieval(_ file: NotesFile) throws -> MemoryRetrieval {
        let transport = try UpstreamTransport(configuration: UpstreamConfiguration(host: "127.0.0.1:9"))
        let lane = EmbeddingLane(
            upstream: OllamaUpstream(transport: transport), admission: Admission(maxInFlight: 1, maxWaiting: 8))
        return MemoryRetrieval(
            file.database.memories, embedder: QueryEmbedder(lane: lane, timeout: .seconds(30)), model: "m",
            scans: KeyConcurrencyLimiter(.scans))
    }

    private func ids(_ retrieval: MemoryRetrieval, _ text: String, limit: Int = 10) async throws -> [Int64] {
        try await retrieval.retrieve(.init(text: text, limit: limit)).results.map(\.memory.id)
    }

    @Test(.slow) func `results are those of a scan of all rows`() async throws {
        var generator = SeededGenerator(1)
        let file = try NotesFile()
        let words = ["tide", "moon", "Straße", "bread", "日本", "Été", "harbour", "of", "tides", "x9"]
        var stored: [(memory: Memory, vector: [Float]?)] = []
        for number in 0..<300 {
            let content = (0..<Int.random(in: 1...6, using: &generator)).map { _ in words.randomElement() ?? "" }
                .joined(separator: number % 3 == 0 ? ", " : " ")
            let vector: [Float]? =
                switch number % 5 {
                case 0: nil
                case 1: [Float](repeating: 0, count: 8)
                case 2: (0..<4).map { _ in Float.random(in: -1...1, using: &generator) }
                default: (0..<8).map { _ in Float.random(in: -1...1, using: &generator) }
                }
            stored.append(
                (
                    try await file.database.memories.create(
                        NewMemory(
                            content: content, type: Memory.types[number % 4], confidence: Double(number % 7) / 6,
                            embedding: vector)), vector
                ))
        }
        let retrieval = try retrieval(file)
        for round in 0..<40 {
            var query = MemoryRetrieval.Query()
            query.text = round % 4 == 0 ? "" : (0..<3).map { _ in words.randomElement() ?? "" }.joined(separator: " ")
            if round % 4 == 0 || round % 3 == 0 {
                query.vector = (0..<8).map { _ in Float.random(in: -1...1, using: &generator) }
            }
            guard query.vector != nil || !query.text.isEmpty else { continue }
            query.limit = round % 2 == 0 ? 10 : 100
            query.minSimilarity = round % 5 == 0 ? 0.3 : 0
            if round % 6 == 1 { query.types = ["fact", "context"] }
            let expected = Scan(query: query).best(stored)
            let found = try await retrieval.retrieve(query).results
            #expect(found.map(\.memory.id) == expected.map(\.id), "\(query)")
            for (one, other) in zip(found, expected) {
                #expect(abs(one.score - other.score) < 1e-5)
                #expect((one.similarity == nil) == (other.similarity == nil))
            }
        }
    }

    @Test func `every change by any process is in the next answer`() async throws {
        let file = try NotesFile()
        let retrieval = try retrieval(file)
        #expect(try await ids(retrieval, "tide") == [])
        _ = try await file.database.memories.create(NewMemory(content: "the tide", type: "fact"))
        #expect(try await ids(retrieval, "TIDE") == [1])
        try file.write("INSERT INTO conversation_memories (content, type) VALUES ('a tide of bread', 'fact')")
        #expect(try await ids(retrieval, "tide") == [2, 1])
        try file.write("UPDATE conversation_memories SET content = 'moon' WHERE id = 1")
        #expect(try await ids(retrieval, "tide") == [2])
        #expect(try await ids(retrieval, "moon") == [1])
        var change = MemoryUpdate()
        change.embedding = .set(VectorValue([0.6, 0.8]))
        _ = try await file.database.memories.update(1, change)
        let near = try await retrieval.retrieve(.init(vector: [0.6, 0.8])).results
        #expect(near.map(\.memory.id) == [1])
        #expect(abs((near.first?.similarity ?? 0) - 1) < 1e-6)
        try file.write("DELETE FROM conversation_memories WHERE id = 2")
        #expect(try await ids(retrieval, "tide") == [])
        // Vectors of three lengths are one more than indexes are kept for.
        for length in [3, 2, 5, 2] {
            let vector = [Float](repeating: 1, count: length)
            let found = try await retrieval.retrieve(.init(vector: vector)).results.map(\.memory.id)
            #expect(found == (length == 2 ? [1] : []))
        }
    }

    @Test func `only changed memories are read, all of them after the triggers were gone`() async throws {
        let file = try NotesFile()
        for number in 0..<30 {
            _ = try await file.database.memories.create(NewMemory(content: "tide \(number)", type: "fact"))
        }
        let seen = Mutex<[Int64]>([])
        func look(_ position: Int64?) async throws -> (MemoryLook, [Int64]) {
            seen.withLock { $0 = [] }
            let look = try await file.database.memories.look(after: position, limit: 100) { memory, _ in
                seen.withLock { $0.append(memory.id) }
            }
            return (look, seen.withLock { $0.sorted() })
        }
        var (last, ids) = try await look(nil)
        #expect(last.changed == nil && ids == Array(1...30))
        (last, ids) = try await look(last.position)
        #expect(last.changed == [] && ids == [])
        try file.write(
            """
            UPDATE conversation_memories SET content = 'moon' WHERE id = 7; DELETE FROM conversation_memories WHERE id = 9;
            UPDATE conversation_memories SET id = 40 WHERE id = 8;
            INSERT INTO conversation_memories (content, type) VALUES ('new', 'fact');
            """)
        (last, ids) = try await look(last.position)
        #expect(last.changed == [7, 8, 9, 40, 41] && ids == [7, 40, 41])
        // A memory that no longer holds.
        try file.write(
            """
            INSERT INTO gateway_memory_details (memory_id, keyed, state) VALUES (7, 'moon', 'superseded')
            ON CONFLICT (memory_id) DO UPDATE SET state = 'superseded'
            """)
        (last, ids) = try await look(last.position)
        #expect(last.changed == [7] && ids == [])

        // The log does not reach back so far.
        try file.write("DELETE FROM gateway_memory_log WHERE seq < (SELECT max(seq) FROM gateway_memory_log)")
        let (cut, all) = try await look(1)
        #expect(cut.changed == nil && all.count == 29)

        let position = cut.position
        for trigger in ["gateway_memory_in", "gateway_memory_up", "gateway_memory_out"] {
            try file.write("DROP TRIGGER \(trigger)")
        }
        try file.write("UPDATE conversation_memories SET content = 'unseen' WHERE id = 3")
        (last, ids) = try await look(position)
        #expect(last.position == nil && last.changed == nil && ids.contains(3) && ids.count == 29)
        #expect(file.database.triggerRepairs == 1)
        // The repaired log begins anew, whatever position a reader has.
        (last, ids) = try await look(position)
        #expect(last.changed == nil && ids.count == 29)
        (last, ids) = try await look(last.position)
        #expect(last.changed == [] && ids == [])
    }

    @Test func `concurrent questions and changes end in what is stored`() async throws {
        let file = try NotesFile()
        let retrieval = try retrieval(file)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...40 {
                    let content = "tide number\(number)"
                    let made = try await file.database.memories.create(NewMemory(content: content, type: "fact"))
                    #expect(try await ids(retrieval, "number\(number)") == [made.id])
                }
            }
            for _ in 0..<3 {
                group.addTask { for _ in 0..<30 { _ = try await ids(retrieval, "tide", limit: 100) } }
            }
            try await group.waitForAll()
        }
        #expect(try await ids(retrieval, "tide", limit: 100).count == 40)
    }
}

/// Every row, one after the other: what the engine has to agree with.
private struct Scan {
    let query: MemoryRetrieval.Query

    func best(_ memories: [(memory: Memory, vector: [Float]?)]) -> [(id: Int64, score: Double, similarity: Double?)] {
        let found = memories.compactMap { memory, vector -> (memory: Memory, score: Double, similarity: Double?)? in
            if !query.types.isEmpty, !query.types.contains(memory.type ?? "") { return nil }
            guard let (score, similarity) = score(memory, vector), score >= query.minSimilarity else { return nil }
            return (memory, score, similarity)
        }
        return found.sorted {
            ($0.score, $0.memory.confidence, $0.memory.id) > ($1.score, $1.memory.confidence, $1.memory.id)
        }.prefix(query.limit).map { ($0.memory.id, $0.score, $0.similarity) }
    }

    private func score(_ memory: Memory, _ other: [Float]?) -> (score: Double, similarity: Double?)? {
        if let vector = query.vector, let other, other.count == vector.count {
            let product = (dot(vector, vector) * dot(other, other)).squareRoot()
            guard product > 0 else { return nil }
            let cosine = dot(vector, other) / product
            return (cosine, cosine)
        }
        let wanted = words(query.text)
        let common = wanted.intersection(words(memory.content)).count
        return common == 0 ? nil : (Double(common) / Double(wanted.count) / 2, nil)
    }

    private func dot(_ left: [Float], _ right: [Float]) -> Double {
        zip(left, right).reduce(0) { $0 + Double($1.0) * Double($1.1) }
    }

    private func words(_ text: String) -> Set<String> {
        Set(TextFolding.folded(text).split { !$0.isLetter && !$0.isNumber }.map(String.init))
    }
}
