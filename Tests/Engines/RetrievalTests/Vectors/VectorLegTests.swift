import TestSupport
import Testing

@testable import Retrieval

/// The vector leg against brute force in double precision.
@Suite struct VectorLeg {
    struct BruteForceLeg {
        var vectors: [Int64: [Float]] = [:]
        var types: [Int64: String] = [:]
        var times: [Int64: Int64] = [:]

        func ranking(_ query: [Float], _ filter: Filter) -> [(id: Int64, cosine: Double)] {
            vectors.compactMap { id, vector -> (id: Int64, cosine: Double)? in
                guard let type = types[id], let time = times[id] else { return nil }
                if !filter.noteTypes.isEmpty, !filter.noteTypes.contains(type) { return nil }
                if let since = filter.since, time < since { return nil }
                return (id, Self.cosine(vector, query))
            }.sorted { $0.cosine != $1.cosine ? $0.cosine > $1.cosine : $0.id < $1.id }
        }

        static func cosine(_ left: [Float], _ right: [Float]) -> Double {
            let dot = zip(left, right).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
            let lengths = [left, right].map { $0.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot() }
            return dot / (lengths[0] * lengths[1])
        }
    }

    /// A document's cosine may differ from brute force in the last bits, so ranks are compared by cosine.
    func check(_ hits: [Hit], _ expected: [(id: Int64, cosine: Double)], _ query: [Float], _ reference: BruteForceLeg)
        throws
    {
        for (index, hit) in hits.enumerated() {
            #expect(abs(hit.score - expected[index].cosine) < 1e-5)
            let own = BruteForceLeg.cosine(try #require(reference.vectors[hit.id]), query)
            #expect(abs(hit.score - own) < 1e-5)
        }
        #expect(Set(hits.map(\.id)).count == hits.count)
    }

    @Test(.slow, arguments: [1, 3, 17, 64, 384, 768])
    func `finds what brute force finds, through changes, removals and filters`(dimensions: Int) throws {
        var random = SeededGenerator(UInt64(dimensions))
        let index = HybridIndex(dimensions: dimensions)
        var reference = BruteForceLeg()
        for round in 0..<12 {
            var update = IndexUpdate()
            for _ in 0..<80 {
                let id = Int64.random(in: 0..<300, using: &random)
                guard !update.documents.contains(where: { $0.id == id }) else { continue }
                let type = ["idea", "task", "journal"].randomElement(using: &random) ?? "idea"
                update.documents.append(
                    RetrievalDocument(id: id, title: "n\(id)", text: "t", noteType: type, createdAt: id * 10))
                reference.types[id] = type
                reference.times[id] = id * 10
                // Some vectors are copies of others: ties.
                let vector =
                    Int.random(in: 0..<5, using: &random) == 0
                    ? reference.vectors.values.first ?? random.vector(dimensions) : random.vector(dimensions)
                update.vectors.append(VectorEntry(id: id, values: vector))
                reference.vectors[id] = vector
            }
            try index.apply(update)
            var removal = IndexUpdate()
            for id in reference.types.keys.sorted().shuffled(using: &random).prefix(round * 2) {
                removal.removedDocuments.append(id)
                reference.types[id] = nil
                reference.vectors[id] = nil
            }
            try index.apply(removal)
            for filter in [Filter(), Filter(noteTypes: ["task"]), Filter(since: 2500), Filter(since: 2980)] {
                let query = random.vector(dimensions)
                let expected = reference.ranking(query, filter)
                for limit in [1, 10, 500] {
                    let result = try index.searchNow(
                        HybridQuery(text: "", vector: query, mode: .vector, filter: filter, limit: limit))
                    #expect(result.hits.count == min(limit, expected.count))
                    try check(result.hits, expected, query, reference)
                }
            }
            #expect(index.statistics.vectors == reference.vectors.count)
            #expect(index.statistics.documents == reference.types.count)
        }
    }

    @Test(.slow) func `many replacements are compacted and change no answer`() throws {
        var random = SeededGenerator(7)
        let index = HybridIndex(dimensions: 4096)
        var reference = BruteForceLeg()
        for id in Int64(0)..<20 {
            reference.types[id] = "idea"
            reference.times[id] = 0
        }
        for _ in 0..<150 {
            var update = IndexUpdate()
            for id in Int64(0)..<20 {
                let vector = random.vector(4096)
                update.documents.append(RetrievalDocument(id: id, title: "", text: "x", noteType: "idea"))
                update.vectors.append(VectorEntry(id: id, values: vector))
                reference.vectors[id] = vector
            }
            try index.apply(update)
        }
        let query = random.vector(4096)
        let result = try index.searchNow(HybridQuery(text: "", vector: query, mode: .vector, limit: 20))
        try check(result.hits, reference.ranking(query, Filter()), query, reference)
        #expect(index.statistics.matrixBytes < 1600 * 4096 * 4)
    }

    @Test func `equal cosines are ordered by id, whatever the order of arrival`() throws {
        for order in [[3, 1, 2], [2, 3, 1], [1, 2, 3]] as [[Int64]] {
            let index = HybridIndex(dimensions: 2)
            var update = IndexUpdate()
            for id in order {
                update.documents.append(RetrievalDocument(id: id, title: "", text: "x", createdAt: id))
                update.vectors.append(VectorEntry(id: id, values: [2, 0]))
            }
            try index.apply(update)
            let result = try index.searchNow(HybridQuery(text: "", vector: [1, 0], mode: .vector, limit: 2))
            #expect(result.hits.map(\.id) == [1, 2])
            #expect(result.hits.allSatisfy { $0.score == 1 })
        }
    }

    @Test(arguments: [5, 100, 384, 768])
    func `a document's score depends neither on where its row lies nor on the filter`(dimensions: Int) throws {
        var random = SeededGenerator(UInt64(dimensions))
        let same = random.vector(dimensions)
        let index = HybridIndex(dimensions: dimensions)
        var update = IndexUpdate()
        for id in Int64(0)..<301 {
            update.documents.append(
                RetrievalDocument(id: id, title: "", text: "x", noteType: id % 20 == 0 ? "rare" : "common"))
            update.vectors.append(VectorEntry(id: id, values: id % 3 == 0 ? same : random.vector(dimensions)))
        }
        try index.apply(update)
        func hits(_ filter: Filter) throws -> [Hit] {
            try index.searchNow(HybridQuery(text: "", vector: same, mode: .vector, filter: filter, limit: 60)).hits
        }
        let all = try hits(Filter())
        #expect(all.map(\.id) == (0..<60).map { Int64($0 * 3) })
        #expect(Set(all.map(\.score)).count == 1)
        // Few enough pass for their rows to be scored alone.
        let rare = try hits(Filter(noteTypes: ["rare"]))
        #expect(rare.count == 16)
        #expect(rare.prefix(6).map(\.id) == [0, 60, 120, 180, 240, 300])
        #expect(rare.first?.score == all.first?.score)
    }

    @Test(arguments: [[Float.nan, 1], [.infinity, 0], [0, 0], [1, 2, 3], []])
    func `a vector without a direction or of another length is refused whole`(vector: [Float]) throws {
        let index = HybridIndex(dimensions: 2)
        var update = IndexUpdate()
        update.documents = [RetrievalDocument(id: 1, title: "", text: "x")]
        update.vectors = [VectorEntry(id: 1, values: [1, 0]), VectorEntry(id: 2, values: vector)]
        #expect(throws: RetrievalError.self) { try index.apply(update) }
        #expect(index.statistics.documents == 0)
        #expect(index.statistics.vectors == 0)
        #expect(throws: RetrievalError.self) {
            try index.searchNow(HybridQuery(text: "", vector: vector, mode: .vector))
        }
    }

    @Test(.slow) func `searches go on while the index changes`() async throws {
        let index = HybridIndex(dimensions: 32)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var random = SeededGenerator(1)
                for round in 0..<200 {
                    var update = IndexUpdate()
                    for id in Int64(0)..<50 {
                        update.documents.append(
                            RetrievalDocument(id: id, title: "t", text: "word \(round)", createdAt: id))
                        update.vectors.append(VectorEntry(id: id, values: random.vector(32)))
                    }
                    try index.apply(update)
                }
            }
            for seed in 2..<5 as Range<UInt64> {
                group.addTask {
                    var random = SeededGenerator(seed)
                    for _ in 0..<200 {
                        let result = try await index.search(
                            HybridQuery(text: "word", vector: random.vector(32), limit: 50))
                        // A snapshot is whole: before the first change, or with all documents.
                        #expect(result.hits.isEmpty || result.hits.count == 50)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

@Suite struct BoundedHeap {
    @Test func `keeps what a full sort keeps`() {
        var random = SeededGenerator(3)
        for capacity in [0, 1, 2, 7, 100] {
            var best = TopK<Int64>(capacity)
            var all: [(score: Float, key: Int64)] = []
            for key in Int64(0)..<500 {
                let score = Float(Int.random(in: 0..<40, using: &random))
                best.offer(.init(score: score, key: key, payload: 0))
                all.append((score, key))
            }
            let expected = all.sorted { $0.score != $1.score ? $0.score > $1.score : $0.key < $1.key }
            #expect(best.sorted().map(\.key) == expected.prefix(capacity).map(\.key))
        }
    }
}
