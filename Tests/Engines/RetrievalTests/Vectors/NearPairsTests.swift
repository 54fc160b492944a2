import TestSupport
import Testing

@testable import Retrieval

@Suite struct NearPairsFinding {
    /// Documents with one to three passages around a few centres, some of them removed or replaced.
    private func world(
        _ count: Int, dimensions: Int, passages: Int, seed: UInt64
    ) throws -> (index: HybridIndex, vectors: [Int64: [[Float]]]) {
        var random = SeededGenerator(seed)
        let index = HybridIndex(dimensions: dimensions)
        var vectors: [Int64: [[Float]]] = [:]
        func vector() -> [Float] {
            let centre = Int.random(in: 0..<7, using: &random)
            return (0..<dimensions).map {
                ($0 % 7 == centre ? 1 : 0) + Float.random(in: -0.5...0.5, using: &random)
            }
        }
        func put(_ id: Int64) throws {
            let rows = (0..<Int.random(in: 1...passages, using: &random)).map { _ in vector() }
            vectors[id] = rows
            var update = IndexUpdate()
            update.documents = [
                RetrievalDocument(
                    id: id, title: "", text: "t", noteType: nil, actionability: nil, createdAt: 0, threads: [],
                    tags: [])
            ]
            update.vectors = [VectorEntry(id: id, values: rows.flatMap { $0 }, passages: rows.count)]
            try index.apply(update)
        }
        for number in 0..<count { try put(Int64(number * 7 % count + 1)) }
        for id in stride(from: Int64(5), to: Int64(count), by: 11) { try put(id) }
        var removal = IndexUpdate()
        removal.removedDocuments = [3, 4]
        removal.removedVectors = [9]
        try index.apply(removal)
        for id in [3, 4, 9] as [Int64] { vectors[id] = nil }
        return (index, vectors)
    }

    private func cosine(_ left: [Float], _ right: [Float]) -> Double {
        func dot(_ a: [Float], _ b: [Float]) -> Double { zip(a, b).reduce(0) { $0 + Double($1.0) * Double($1.1) } }
        return dot(left, right) / (dot(left, left) * dot(right, right)).squareRoot()
    }

    /// Every document against every other one.
    private func oracle(_ vectors: [Int64: [[Float]]], _ options: NearPairOptions) -> [NearPair: Double] {
        var found: [NearPair: Double] = [:]
        for (id, own) in vectors {
            var others: [(id: Int64, score: Double)] = []
            for (other, rows) in vectors where other != id {
                let score = own.flatMap { left in rows.map { cosine(left, $0) } }.max() ?? -1
                if score >= Double(options.minSimilarity) { others.append((other, score)) }
            }
            for other in others.sorted(by: { ($0.score, $1.id) > ($1.score, $0.id) }).prefix(options.neighbours) {
                found[NearPair(first: min(id, other.id), second: max(id, other.id), similarity: 0)] = other.score
            }
        }
        return found
    }

    @Test(.slow, arguments: [(40, 1, 0.6, 5), (700, 1, 0.5, 3), (300, 3, 0.4, 10), (300, 3, -1, 2)])
    func `pairs equal a comparison of everything with everything`(
        count: Int, passages: Int, least: Double, neighbours: Int
    ) async throws {
        let (index, vectors) = try world(count, dimensions: 24, passages: passages, seed: UInt64(count))
        let options = NearPairOptions(minSimilarity: Float(least), neighbours: neighbours)
        var found: [NearPair: Float] = [:]
        var progress: [Int] = []
        try await index.nearPairs(options) { block in
            for pair in block.pairs {
                found[NearPair(first: pair.first, second: pair.second, similarity: 0)] = pair.similarity
            }
            progress.append(block.done)
            #expect(block.total == vectors.count)
        }
        let expected = oracle(vectors, options)
        #expect(Set(found.keys) == Set(expected.keys))
        #expect(found.allSatisfy { abs(Double($0.value) - (expected[$0.key] ?? 9)) < 1e-5 })
        #expect(found.keys.allSatisfy { $0.first < $0.second })
        #expect(progress.last == vectors.count && progress == progress.sorted())
    }

    @Test func `work that stopped goes on after the last block, and is cancelled within one`() async throws {
        let (index, _) = try world(900, dimensions: 16, passages: 1, seed: 5)
        let options = NearPairOptions(minSimilarity: 0.5, neighbours: 4)
        let limits = PairLimits(blockRows: 256)
        var whole: Set<NearPair> = []
        try await index.nearPairs(options, limits: limits) { whole.formUnion($0.pairs) }
        struct Stop: Error {}
        var parts: Set<NearPair> = []
        var last: Int64?
        await #expect(throws: Stop.self) {
            try await index.nearPairs(options, limits: limits) { block in
                parts.formUnion(block.pairs)
                last = block.lastID
                if block.done > 300 { throw Stop() }
            }
        }
        try await index.nearPairs(options, after: last, limits: limits) { parts.formUnion($0.pairs) }
        #expect(parts == whole)
        let task = Task {
            try await index.nearPairs(options, limits: limits) { _ in withUnsafeCurrentTask { $0?.cancel() } }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        try await HybridIndex(dimensions: nil).nearPairs(options) { _ in Issue.record("a block of nothing") }
    }
}
