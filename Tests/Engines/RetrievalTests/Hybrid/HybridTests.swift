import TestSupport
import Testing

@testable import Retrieval

@Suite struct Fusions {
    func hits(_ pairs: [(Int, Double)]) -> [LegHit] { pairs.map { LegHit(ordinal: $0.0, score: $0.1) } }

    func scores(_ method: FusionMethod) -> [Int: Double] {
        let fused = method.fuse(
            vector: hits([(1, 0.9), (2, 0.5), (3, 0.1)]), keyword: hits([(3, 8), (1, 4), (4, 0)]))
        return Dictionary(uniqueKeysWithValues: fused.map { ($0.ordinal, $0.score) })
    }

    func expect(_ actual: [Int: Double], _ expected: [Int: Double]) {
        #expect(Set(actual.keys) == Set(expected.keys))
        for (key, value) in expected { #expect(abs((actual[key] ?? .nan) - value) < 1e-12) }
    }

    @Test func `reciprocal ranks add up`() {
        expect(
            scores(.rrf(k: 60)), [1: 1 / 61 + 1 / 62, 2: 1 / 62, 3: 1 / 63 + 1 / 61, 4: 1 / 63])
    }

    @Test func `convex weighs scores between the least and the greatest`() {
        expect(scores(.convex(alpha: 0.5)), [1: 0.5 + 0.25, 2: 0.25, 3: 0.5, 4: 0])
        expect(scores(.convex(alpha: 0.8)), [1: 0.8 + 0.1, 2: 0.4, 3: 0.2, 4: 0])
    }

    @Test func `dbsf weighs scores within three deviations of their mean`() {
        // Vector: mean 0.5, σ² = (0.16 + 0 + 0.16) / 3. Keyword: mean 4, σ² = 32 / 3.
        let vector = 3 * (0.32 / 3).squareRoot()
        let keyword = 3 * (32.0 / 3).squareRoot()
        expect(
            scores(.dbsf),
            [
                1: 0.5 * (0.4 + vector) / (2 * vector) + 0.25, 2: 0.25,
                3: 0.5 * (vector - 0.4) / (2 * vector) + 0.5 * (4 + keyword) / (2 * keyword),
                4: 0.5 * (keyword - 4) / (2 * keyword),
            ])
    }

    @Test func `one candidate or equal scores count in full`() {
        let fused = FusionMethod.convex(alpha: 0.5).fuse(vector: hits([(1, 0.3)]), keyword: hits([(1, 2), (2, 2)]))
        #expect(fused.first { $0.ordinal == 1 }?.score == 1)
        #expect(fused.first { $0.ordinal == 2 }?.score == 0.5)
        #expect(FusionMethod.rrf(k: 60).fuse(vector: [], keyword: []).isEmpty)
    }

    @Test func `methods are known by name`() {
        #expect(FusionMethod.parse("RRF") == .rrf(k: 60))
        #expect(FusionMethod.parse("convex") == .convex(alpha: 0.5))
        #expect(FusionMethod.parse("dbsf") == .dbsf)
        #expect(FusionMethod.parse("magic") == nil)
    }
}

@Suite struct HybridRetrieval {
    func sample() throws -> HybridIndex {
        let index = HybridIndex(dimensions: 2)
        var update = IndexUpdate()
        update.documents = [
            RetrievalDocument(
                id: 1, title: "Tide", text: "the sea", noteType: "Idea", actionability: "none", createdAt: 10),
            RetrievalDocument(id: 2, title: "Bread", text: "flour and water", noteType: "task", createdAt: 20),
            RetrievalDocument(id: 3, title: "Boat", text: "on the tide", noteType: "idea", createdAt: 30),
        ]
        update.vectors = [VectorEntry(id: 1, values: [1, 0]), VectorEntry(id: 2, values: [0, 1])]
        try index.apply(update)
        return index
    }

    @Test func `both legs meet and every hit explains itself`() throws {
        let result = try sample().searchNow(HybridQuery(text: "tide", vector: [1, 0.1], explain: true))
        #expect(result.hits.map(\.id) == [1, 3, 2])
        let first = try #require(result.hits.first)
        #expect(first.vector?.rank == 1)
        #expect(first.keyword?.rank == 1)
        #expect(first.score == 1)
        #expect(result.hits[1].vector == nil)
        #expect(result.terms == ["tide"])
        #expect(result.documents == 3)
        #expect(result.bytesScanned > 0)
    }

    @Test func `filters hold for both legs and compare types without case`() throws {
        let index = try sample()
        func ids(_ filter: Filter) throws -> [Int64] {
            try index.searchNow(HybridQuery(text: "tide", vector: [1, 0.1], filter: filter)).hits.map(\.id)
        }
        #expect(try ids(Filter(noteTypes: ["IDEA"])) == [1, 3])
        #expect(try ids(Filter(noteTypes: ["idea", "task"], since: 20)) == [3, 2])
        #expect(try ids(Filter(since: 20, until: 20)) == [2])
        #expect(try ids(Filter(actionabilities: ["none"])) == [1])
        #expect(try ids(Filter(noteTypes: ["unknown"])).isEmpty)
    }

    @Test func `a longer list begins with the shorter one`() throws {
        var random = SeededGenerator(11)
        let index = HybridIndex(dimensions: 8)
        var update = IndexUpdate()
        for id in Int64(0)..<400 {
            let words = (0..<6).map { _ in "w\(Int.random(in: 0..<30, using: &random))" }.joined(separator: " ")
            update.documents.append(RetrievalDocument(id: id, title: "", text: words, createdAt: id))
            update.vectors.append(VectorEntry(id: id, values: random.vector(8)))
        }
        try index.apply(update)
        for fusion in [FusionMethod.rrf(k: 60), .convex(alpha: 0.5), .dbsf] {
            let query = HybridQuery(text: "w1 w2 w3", vector: random.vector(8), limit: 100, fusion: fusion)
            let long = try index.searchNow(query).hits.map(\.id)
            var short = query
            short.limit = 10
            #expect(try index.searchNow(short).hits.map(\.id) == Array(long.prefix(10)))
            #expect(try index.searchNow(query).hits.map(\.id) == long)
        }
    }

    @Test(arguments: [0, -1, 1001]) func `limits out of range are refused`(limit: Int) throws {
        let index = try sample()
        #expect(throws: RetrievalError.self) {
            try index.searchNow(HybridQuery(text: "tide", mode: .keyword, limit: limit))
        }
    }

    @Test func `an index without a space answers by keyword`() throws {
        let index = HybridIndex(dimensions: nil)
        var update = IndexUpdate()
        update.documents = [RetrievalDocument(id: 1, title: "Tide", text: "")]
        try index.apply(update)
        let result = try index.searchNow(HybridQuery(text: "tide", mode: .keyword))
        #expect(result.hits.map(\.id) == [1])
        #expect(index.statistics.dimensions == nil)
    }
}
