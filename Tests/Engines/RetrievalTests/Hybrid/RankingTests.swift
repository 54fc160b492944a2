import Foundation
import TestSupport
import Testing

@testable import Retrieval

/// What happens to candidates on their way into the list.
@Suite struct Rankings {
    static let day: Int64 = 86_400

    /// Documents with random directions, words and times, one in ten without a vector.
    func sample(_ seed: UInt64, documents: Int64 = 150) throws -> (index: HybridIndex, vectors: [Int64: [Float]]) {
        var random = SeededGenerator(seed)
        let index = HybridIndex(dimensions: 6)
        var update = IndexUpdate()
        var vectors: [Int64: [Float]] = [:]
        for id in 0..<documents {
            let words = (0..<5).map { _ in "w\(Int.random(in: 0..<12, using: &random))" }.joined(separator: " ")
            update.documents.append(
                RetrievalDocument(
                    id: id, title: "", text: words,
                    createdAt: Int64.random(in: 0..<30, using: &random) * Self.day))
            guard id % 10 != 0 else { continue }
            // All in one half, so that cosines are positive.
            let vector = random.vector(6).enumerated().map { $0 == 0 ? 1 : $1 }
            vectors[id] = UnitVector.normalised(vector)
            update.vectors.append(VectorEntry(id: id, values: vector))
        }
        try index.apply(update)
        return (index, vectors)
    }

    func query(_ mode: RetrievalMode, _ limit: Int = 200) -> HybridQuery {
        HybridQuery(text: "w1 w2 w3", vector: [1, 0.3, -0.2, 0.1, 0, 0.4], mode: mode, limit: limit, explain: true)
    }

    @Test func `recency is 1 for now or later and halves with each half-life`() {
        let weighting = RecencyWeighting(weight: 0.3, halfLife: 7 * 86_400, now: 100 * Self.day)
        #expect(weighting.share(of: 100 * Self.day) == 1)
        #expect(weighting.share(of: 200 * Self.day) == 1)
        #expect(weighting.share(of: 93 * Self.day) == 0.5)
        #expect(weighting.share(of: 86 * Self.day) == 0.25)
        #expect(weighting.share(of: .max) == 1)
        // The span between these does not fit 64 bits.
        #expect(weighting.share(of: .min) == 0)
        #expect(RecencyWeighting(weight: 1, halfLife: 1, now: .min).share(of: .max) == 1)
    }

    @Test(arguments: RetrievalMode.allCases, [0, 0.25, 0.7, 1])
    func `recency takes its share of the score`(mode: RetrievalMode, weight: Double) throws {
        let index = try sample(1).index
        var query = query(mode)
        let plain = try index.searchNow(query).hits
        let best = try #require(plain.map(\.score).max())
        let relevance = Dictionary(uniqueKeysWithValues: plain.map { ($0.id, $0.score) })
        let times = index.snapshot.catalog.createdAt
        query.recency = RecencyWeighting(weight: weight, halfLife: Double(5 * Self.day), now: 28 * Self.day)
        let hits = try index.searchNow(query).hits
        #expect(Set(hits.map(\.id)) == Set(plain.map(\.id)))
        for hit in hits {
            let own = try #require(relevance[hit.id])
            let share = exp2(-max(0, Double(28 * Self.day - times[Int(hit.id)])) / Double(5 * Self.day))
            #expect(hit.relevance == own)
            #expect(abs(try #require(hit.recency) - share) < 1e-12)
            #expect(abs(hit.score - (1 - weight) * own / best - weight * share) < 1e-12)
        }
        #expect(zip(hits, hits.dropFirst()).allSatisfy { $0.score >= $1.score })
        #expect(plain.allSatisfy { $0.recency == nil })
        if weight == 0 { #expect(hits.map(\.id) == plain.map(\.id)) }
    }

    @Test func `equal scores go by time and then by id, in vector mode by id alone`() throws {
        let index = HybridIndex(dimensions: 2)
        var update = IndexUpdate()
        for (id, time) in [(4, 10), (2, 30), (3, 10), (1, 20)] as [(Int64, Int64)] {
            update.documents.append(RetrievalDocument(id: id, title: "", text: "same", createdAt: time))
            update.vectors.append(VectorEntry(id: id, values: [1, 1]))
        }
        try index.apply(update)
        func ids(_ mode: RetrievalMode) throws -> [Int64] {
            try index.searchNow(HybridQuery(text: "same", vector: [1, 0], mode: mode)).hits.map(\.id)
        }
        #expect(try ids(.hybrid) == [2, 1, 3, 4])
        #expect(try ids(.keyword) == [2, 1, 3, 4])
        #expect(try ids(.vector) == [1, 2, 3, 4])
    }

    /// Every choice made anew from all that were taken before.
    func diverse(_ hits: [Hit], _ vectors: [Int64: [Float]], _ diversity: Double) -> [(id: Int64, nearest: Double)] {
        func cosine(_ left: Int64, _ right: Int64) -> Double {
            guard let left = vectors[left], let right = vectors[right] else { return 0 }
            return zip(left, right).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
        }
        var (left, taken) = (Array(hits.prefix(100)), [(id: Int64, nearest: Double)]())
        let best = hits.first?.score ?? 1
        while !left.isEmpty {
            let nearest = left.map { hit in max(0, taken.map { cosine($0.id, hit.id) }.max() ?? 0) }
            let values = left.indices.map { (1 - diversity) * left[$0].score / best - diversity * nearest[$0] }
            let choice = values.indices.max { (values[$0], -$0) < (values[$1], -$1) } ?? 0
            taken.append((left.remove(at: choice).id, nearest[choice]))
        }
        return taken + hits.dropFirst(100).map { ($0.id, .nan) }
    }

    @Test(.slow, arguments: RetrievalMode.allCases, [0.1, 0.5, 0.9, 1])
    func `diversity chooses what a slow search chooses`(mode: RetrievalMode, diversity: Double) throws {
        let (index, vectors) = try sample(2)
        var query = query(mode)
        let plain = try index.searchNow(query).hits
        query.diversity = diversity
        let hits = try index.searchNow(query).hits
        let expected = diverse(plain, vectors, diversity)
        #expect(hits.map(\.id) == expected.map(\.id))
        for (hit, other) in zip(hits, expected).prefix(100) {
            #expect(abs(try #require(hit.similarity) - other.nearest) < 1e-6)
        }
        #expect(hits.dropFirst(100).allSatisfy { $0.similarity == nil })
        #expect(hits.first?.id == plain.first?.id)
    }

    @Test func `without diversity nothing changes`() throws {
        let index = try sample(3).index
        var query = query(.hybrid)
        let plain = try index.searchNow(query).hits.map(\.id)
        query.diversity = 0
        #expect(try index.searchNow(query).hits.map(\.id) == plain)
    }

    @Test(arguments: RetrievalMode.allCases)
    func `a longer list begins with the shorter one, with recency and diversity too`(mode: RetrievalMode) throws {
        let index = try sample(4).index
        for (recency, diversity) in [(0.4, nil), (nil, 0.6), (0.4, 0.6)] as [(Double?, Double?)] {
            func ids(_ limit: Int) throws -> [Int64] {
                var query = query(mode, limit)
                query.recency = recency.map {
                    RecencyWeighting(weight: $0, halfLife: Double(Self.day), now: 30 * Self.day)
                }
                query.diversity = diversity
                return try index.searchNow(query).hits.map(\.id)
            }
            let all = try ids(200)
            for limit in [1, 2, 10, 99, 100, 101, 150] { #expect(try ids(limit) == Array(all.prefix(limit))) }
        }
    }

    @Test func `what is like a document is found by its own vector`() throws {
        let index = HybridIndex(dimensions: 2)
        var update = IndexUpdate()
        update.documents = (1...5).map { RetrievalDocument(id: $0, title: "", text: "") }
        update.vectors = [
            VectorEntry(id: 1, values: [3, 4]), VectorEntry(id: 2, values: [1, 0, 0, 2], passages: 2),
            VectorEntry(id: 3, values: [1, 0, -1, 0], passages: 2), VectorEntry(id: 5, values: [0, 1]),
        ]
        try index.apply(update)
        #expect(index.vector(of: 1) == [0.6, 0.8])
        let mean = try #require(index.vector(of: 2))
        #expect(abs(mean[0] - Float(0.5).squareRoot()) < 1e-6)
        #expect(abs(mean[1] - mean[0]) < 1e-6)
        // Passages against each other have no direction; without a vector or a document there is none either.
        #expect(index.vector(of: 3) == nil)
        #expect(index.vector(of: 4) == nil)
        #expect(index.vector(of: 99) == nil)
        let related = try index.searchNow(HybridQuery(text: "", vector: index.vector(of: 1), mode: .vector))
        #expect(related.hits.map(\.id) == [1, 2, 5, 3])
        #expect(related.hits.map(\.passage) == [0, 1, 0, 0])
        var removal = IndexUpdate()
        removal.removedDocuments = [1]
        removal.removedVectors = [2]
        try index.apply(removal)
        #expect(index.vector(of: 1) == nil)
        #expect(index.vector(of: 2) == nil)
    }

    @Test(arguments: [(-0.1, 1.0), (1.1, 1), (0.5, 0), (0.5, .infinity), (.nan, 1)])
    func `weights without a meaning are refused`(weight: Double, halfLife: Double) throws {
        let index = try sample(5, documents: 5).index
        var query = query(.keyword)
        query.recency = RecencyWeighting(weight: weight, halfLife: halfLife, now: 0)
        #expect(throws: RetrievalError.self) { try index.searchNow(query) }
        query.recency = nil
        for diversity in [-0.1, 1.1, .nan] {
            query.diversity = diversity
            #expect(throws: RetrievalError.self) { try index.searchNow(query) }
        }
    }
}
