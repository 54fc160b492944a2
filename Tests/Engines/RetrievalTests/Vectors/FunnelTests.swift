import TestSupport
import Testing

@testable import Retrieval

/// Plans that look at compressed rows first, through the index.
@Suite struct Funnels {
    static let plans = [VectorPlan.int8, .binary]
    static let dimensions = 64

    /// Vectors in clusters, as embeddings lie.
    struct Clusters {
        private var random: SeededGenerator
        private let centres: [[Float]]

        init(seed: UInt64) {
            var random = SeededGenerator(seed)
            centres = (0..<12).map { _ in random.vector(dimensions) }
            self.random = random
        }

        mutating func vector() -> [Float] {
            let centre = centres.randomElement(using: &random) ?? []
            return zip(centre, random.vector(dimensions)).map { $0 + 0.6 * $1 }
        }

        mutating func add(_ ids: Range<Int64>, passages: Int = 1, to index: HybridIndex) throws {
            var update = IndexUpdate()
            for id in ids {
                update.documents.append(
                    RetrievalDocument(id: id, title: "", text: "", noteType: id % 3 == 0 ? "task" : "idea"))
                let count = Int.random(in: 1...passages, using: &random)
                update.vectors.append(
                    VectorEntry(id: id, values: (0..<count).flatMap { _ in vector() }, passages: count))
            }
            try index.apply(update)
        }
    }

    func hits(
        _ index: HybridIndex, _ vector: [Float], _ plan: VectorPlan, candidates: Int = 0, limit: Int = 10,
        filter: Filter = Filter()
    ) throws -> [Hit] {
        var query = HybridQuery(text: "", vector: vector, mode: .vector, filter: filter, limit: limit)
        query.plan = plan
        query.candidates = candidates
        let result = try index.searchNow(query)
        #expect(result.plan == plan)
        return result.hits
    }

    /// Ids, bits of the scores and passages.
    func keys(_ hits: [Hit]) -> [String] { hits.map { "\($0.id) \($0.score.bitPattern) \($0.passage ?? -1)" } }

    @Test(arguments: plans, [1, 4])
    func `with as many candidates as rows a plan finds what the exact scan finds`(plan: VectorPlan, passages: Int)
        throws
    {
        var clusters = Clusters(seed: 1)
        let index = HybridIndex(dimensions: Self.dimensions)
        try clusters.add(0..<400, passages: passages, to: index)
        index.encodeRows(for: [plan]) { _, _ in }
        #expect(index.availablePlans == [.exact, plan])
        #expect(index.statistics.codeBytes > 0)
        for limit in [1, 10, 500] {
            for filter in [Filter(), Filter(noteTypes: ["task"])] {
                let vector = clusters.vector()
                let exact = try hits(index, vector, .exact, limit: limit, filter: filter)
                let found = try hits(
                    index, vector, plan, candidates: index.statistics.rows, limit: limit, filter: filter)
                #expect(keys(found) == keys(exact))
                #expect(!found.isEmpty)
            }
        }
    }

    @Test(.slow, arguments: plans) func `recall grows with the candidates, and scores are exact`(plan: VectorPlan)
        throws
    {
        var clusters = Clusters(seed: 2)
        let index = HybridIndex(dimensions: Self.dimensions)
        try clusters.add(0..<900, to: index)
        index.encodeRows(for: [.int8, .binary]) { _, _ in }
        let queries = (0..<20).map { _ in clusters.vector() }
        var recalls: [Int] = []
        for candidates in [10, 20, 50, 200, 900] {
            var found = 0
            for vector in queries {
                let exact = try hits(index, vector, .exact)
                let all = try hits(index, vector, .exact, limit: 900)
                let scores = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0.score) })
                let near = try hits(index, vector, plan, candidates: candidates)
                #expect(near.count == 10)
                #expect(near.allSatisfy { $0.score == scores[$0.id] })
                found += Set(near.map(\.id)).intersection(exact.map(\.id)).count
            }
            recalls.append(found)
        }
        #expect(recalls == recalls.sorted())
        #expect(recalls[0] > 20 * 10 / 4)
        #expect(recalls.last == 20 * 10)
    }

    @Test(arguments: plans) func `documents that came later are found exactly, those that are gone never`(
        plan: VectorPlan
    ) throws {
        var clusters = Clusters(seed: 3)
        let index = HybridIndex(dimensions: Self.dimensions)
        try clusters.add(0..<600, to: index)
        index.encodeRows(for: [plan]) { _, _ in }
        // The first candidates are replaced, those after them removed.
        try clusters.add(0..<50, to: index)
        try clusters.add(600..<700, to: index)
        var update = IndexUpdate()
        update.removedDocuments = (50..<120) + [650]
        update.removedVectors = Array(120..<150) + [651]
        try index.apply(update)
        let gone = Set((50..<150) + [650, 651] as [Int64])
        for filter in [Filter(), Filter(noteTypes: ["task"])] {
            for _ in 0..<10 {
                let vector = clusters.vector()
                let exact = try hits(index, vector, .exact, limit: 600, filter: filter)
                let found = try hits(index, vector, plan, candidates: 20, limit: 20, filter: filter)
                #expect(found.count == 20)
                #expect(gone.isDisjoint(with: found.map(\.id)))
                // Whoever has no codes and is among the best twenty must be found.
                let later = exact.prefix(20).filter { $0.id < 50 || $0.id >= 600 }
                #expect(Set(later.map(\.id)).isSubset(of: found.map(\.id)))
                if !filter.isEmpty { #expect(found.allSatisfy { $0.id % 3 == 0 }) }
                #expect(
                    try keys(hits(index, vector, plan, candidates: 900, limit: 600, filter: filter)) == keys(exact))
            }
        }
    }

    @Test func `a document is found by any of its passages, those without codes too`() throws {
        var clusters = Clusters(seed: 4)
        let index = HybridIndex(dimensions: Self.dimensions)
        try clusters.add(0..<200, passages: 5, to: index)
        index.encodeRows(for: [.int8, .binary]) { _, _ in }
        try clusters.add(150..<260, passages: 5, to: index)
        for plan in Self.plans {
            let found = try hits(index, clusters.vector(), plan, candidates: 60, limit: 30)
            #expect(Set(found.map(\.id)).count == found.count)
        }
    }

    @Test func `vectors whose document has not come yet are found by no plan`() throws {
        var clusters = Clusters(seed: 8)
        let index = HybridIndex(dimensions: Self.dimensions)
        try clusters.add(0..<50, to: index)
        let vector = clusters.vector()
        var update = IndexUpdate()
        update.vectors = [VectorEntry(id: 777, values: vector)]
        try index.apply(update)
        index.encodeRows(for: [.int8, .binary]) { _, _ in }
        for plan in VectorPlan.allCases {
            #expect(try hits(index, vector, plan, candidates: 60, limit: 60).count == 50)
        }
        update = IndexUpdate()
        update.documents = [RetrievalDocument(id: 777, title: "", text: "")]
        try index.apply(update)
        for plan in VectorPlan.allCases {
            #expect(try hits(index, vector, plan, candidates: 60, limit: 60).first?.id == 777)
        }
    }

    @Test func `few documents that pass a filter are read exactly`() throws {
        var clusters = Clusters(seed: 5)
        let index = HybridIndex(dimensions: Self.dimensions)
        try clusters.add(0..<300, to: index)
        index.encodeRows(for: [.int8]) { _, _ in }
        var update = IndexUpdate()
        update.documents = [RetrievalDocument(id: 7, title: "", text: "", noteType: "rare")]
        try index.apply(update)
        var query = HybridQuery(
            text: "", vector: clusters.vector(), mode: .vector, filter: Filter(noteTypes: ["rare"]))
        query.plan = .int8
        let result = try index.searchNow(query)
        #expect(result.plan == .exact)
        #expect(result.hits.map(\.id) == [7])
    }

    @Test func `a plan without codes is answered exactly`() throws {
        var clusters = Clusters(seed: 6)
        let index = HybridIndex(dimensions: Self.dimensions)
        index.encodeRows(for: [.int8, .binary]) { _, _ in }
        #expect(index.availablePlans == [.exact])
        try clusters.add(0..<40, to: index)
        index.encodeRows(for: [.int8]) { _, _ in }
        var query = HybridQuery(text: "", vector: clusters.vector(), mode: .vector)
        query.plan = .binary
        #expect(try index.searchNow(query).plan == .exact)
        index.encodeRows(for: []) { _, _ in }
        query.plan = .int8
        #expect(try index.searchNow(query).plan == .exact)
        #expect(index.statistics.codeBytes == 0)
    }

    /// A measurement must not be made with the candidates of whoever shares the pass.
    @Test(arguments: plans) func `searches with other candidates do not share a first pass`(plan: VectorPlan)
        async throws
    {
        var clusters = Clusters(seed: 7)
        let index = HybridIndex(dimensions: Self.dimensions)
        try clusters.add(0..<900, to: index)
        index.encodeRows(for: [plan]) { _, _ in }
        for _ in 0..<10 {
            let vector = clusters.vector()
            let queries = [10, 900, 30].map { candidates in
                var query = HybridQuery(text: "", vector: vector, mode: .vector)
                query.plan = plan
                query.candidates = candidates
                return query
            }
            let alone = try queries.map { try keys(index.searchNow($0).hits) }
            let together = try await index.search(queries)
            #expect(together.map { keys($0.hits) } == alone)
        }
    }
}
