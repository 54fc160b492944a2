/// What a database's vector leg found. The index in memory has its own (``VectorLane``).
package struct VectorLegAnswer: Sendable {
    /// A document with its best passage.
    package struct Hit: Sendable, Hashable {
        package var id: Int64
        package var passage: Int
        package var createdAt: Int64
        package var score: Double

        package init(id: Int64, passage: Int, createdAt: Int64, score: Double) {
            self.id = id
            self.passage = passage
            self.createdAt = createdAt
            self.score = score
        }
    }

    /// Best first.
    package var hits: [Hit] = []
    /// The index that was used; nil when every vector was compared.
    package var index: String?
    /// The measured recall of the index.
    package var recall: Double?

    package init(hits: [Hit] = [], index: String? = nil, recall: Double? = nil) {
        self.hits = hits
        self.index = index
        self.recall = recall
    }
}

/// What the legs of a database found for a query, to be fused as ``HybridIndex`` would.
package struct RemoteLegs: Sendable {
    /// The number of candidates of each leg for a limit.
    package static func depth(for limit: Int) -> Int { max(SearchRun.depth, limit) }

    package var vector = VectorLegAnswer()
    package var keyword: [KeywordAnswer.Hit] = []
    package var keywordMatches: Int?
    package var documents = 0
    package var filterMatched = 0
    package var timings = HybridResult.Timings()
    /// What feedback made of the legs.
    package var second: Second?
    /// The first vectors of documents by id, for ``HybridQuery/diversity``.
    package var firstVectors: [Int64: [Float]] = [:]

    package init() {}

    /// The legs after feedback, each best first.
    package struct Second: Sendable {
        var vector: [VectorLegAnswer.Hit]
        var keyword: [KeywordAnswer.Hit]
        var report: FeedbackReport
        /// By id: the rank in the first ranking, from 1.
        var firstRanks: [Int64: Int]
    }

    /// The documents of the legs as a catalog that fusion reads.
    private struct Candidates {
        var snapshot = HybridIndex.Snapshot()
        var ordinals: [Int64: Int] = [:]

        mutating func ordinal(_ id: Int64, _ createdAt: Int64) -> Int {
            if let known = ordinals[id] { return known }
            let ordinal = snapshot.catalog.add(id)
            snapshot.catalog.set(RetrievalDocument(id: id, title: "", text: "", createdAt: createdAt), at: ordinal)
            ordinals[id] = ordinal
            return ordinal
        }

        mutating func legs(
            _ vector: [VectorLegAnswer.Hit], _ keyword: [KeywordAnswer.Hit]
        ) -> (near: [LegHit], worded: [LegHit]) {
            let near = vector.map {
                LegHit(ordinal: ordinal($0.id, $0.createdAt), score: $0.score, passage: $0.passage)
            }
            return (near, keyword.map { LegHit(ordinal: ordinal($0.id, $0.createdAt), score: $0.score) })
        }
    }

    /// The candidates of both legs by their fused scores alone, best first.
    func ranked(for query: HybridQuery) -> [Int64] {
        var candidates = Candidates()
        let legs = candidates.legs(vector.hits, keyword)
        return Ranking(query: query, snapshot: candidates.snapshot).ordinals(vector: legs.near, keyword: legs.worded)
            .map { candidates.snapshot.catalog.ids[$0] }
    }

    /// Fuses and ranks.
    ///
    /// - Throws: ``RetrievalError/Code/invalidQuery``.
    package func result(for query: HybridQuery) throws(RetrievalError) -> HybridResult {
        try query.check()
        let started = ContinuousClock.now
        var candidates = Candidates()
        let (near, worded) = candidates.legs(second?.vector ?? vector.hits, second?.keyword ?? keyword)
        let ordinals = candidates.ordinals
        var snapshot = candidates.snapshot
        if let dimensions = firstVectors.values.first?.count {
            var vectors = VectorIndex(dimensions: dimensions)
            for (id, vector) in firstVectors where vector.count == dimensions {
                guard let place = ordinals[id], let unit = UnitVector.normalised(vector) else { continue }
                vectors.set(unit, at: place)
            }
            snapshot.vectors = vectors
        }
        let firstRanks = (second?.firstRanks ?? [:]).reduce(into: [Int: Int]()) { ranks, one in
            if let place = ordinals[one.key] { ranks[place] = one.value }
        }
        let hits = Ranking(query: query, snapshot: snapshot).hits(
            vector: near, keyword: worded, firstRanks: firstRanks)
        var timings = timings
        timings.fusion = ContinuousClock.now - started
        let terms =
            query.mode == .vector
            ? QueryTerms(text: "", phrases: []) : QueryTerms(text: query.text, phrases: query.keywords)
        return HybridResult(
            hits: hits, terms: terms.terms.map(\.text), plans: terms.terms.map { _ in nil }, documents: documents,
            filterMatched: filterMatched, vectorCandidates: vector.hits.count, keywordCandidates: keyword.count,
            keywordMatches: keywordMatches, bytesScanned: 0, plan: .exact, measuredRecall: vector.recall,
            index: vector.index, feedback: second?.report, batch: 0, timings: timings)
    }
}
