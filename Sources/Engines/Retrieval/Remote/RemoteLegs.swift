/// A leg that searches vectors where they are stored.
///
/// The index in memory has its own (``VectorLane``); this is the one of a database.
package protocol VectorLeg: Sendable {
    /// Finds the documents whose passages are nearest to a vector.
    ///
    /// - Parameters:
    ///   - wanted: The number of documents; as many are found if as many pass the filter.
    ///   - isExact: Whether every vector must be compared.
    func nearest(_ vector: [Float], wanted: Int, filter: Filter, isExact: Bool) async throws -> VectorLegAnswer
}

/// What a ``VectorLeg`` found.
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
    /// The first vectors of documents by id, for ``HybridQuery/diversity``.
    package var firstVectors: [Int64: [Float]] = [:]

    package init() {}

    /// Fuses and ranks.
    ///
    /// - Throws: ``RetrievalError/Code/invalidQuery``.
    package func result(for query: HybridQuery) throws(RetrievalError) -> HybridResult {
        try query.check()
        let started = ContinuousClock.now
        var snapshot = HybridIndex.Snapshot()
        var ordinals: [Int64: Int] = [:]
        func ordinal(_ id: Int64, _ createdAt: Int64) -> Int {
            if let known = ordinals[id] { return known }
            let ordinal = snapshot.catalog.add(id)
            snapshot.catalog.set(RetrievalDocument(id: id, title: "", text: "", createdAt: createdAt), at: ordinal)
            ordinals[id] = ordinal
            return ordinal
        }
        let near = vector.hits.map {
            LegHit(ordinal: ordinal($0.id, $0.createdAt), score: $0.score, passage: $0.passage)
        }
        let worded = keyword.map { LegHit(ordinal: ordinal($0.id, $0.createdAt), score: $0.score) }
        if let dimensions = firstVectors.values.first?.count {
            var vectors = VectorIndex(dimensions: dimensions)
            for (id, vector) in firstVectors where vector.count == dimensions {
                guard let place = ordinals[id], let unit = UnitVector.normalised(vector) else { continue }
                vectors.set(unit, at: place)
            }
            snapshot.vectors = vectors
        }
        let hits = Ranking(query: query, snapshot: snapshot).hits(vector: near, keyword: worded)
        var timings = timings
        timings.fusion = ContinuousClock.now - started
        let terms =
            query.mode == .vector
            ? QueryTerms(text: "", phrases: []) : QueryTerms(text: query.text, phrases: query.keywords)
        return HybridResult(
            hits: hits, terms: terms.terms.map(\.text), plans: terms.terms.map { _ in nil }, documents: documents,
            filterMatched: filterMatched, vectorCandidates: near.count, keywordCandidates: worded.count,
            keywordMatches: keywordMatches, bytesScanned: 0, plan: .exact, measuredRecall: vector.recall,
            index: vector.index, batch: 0, timings: timings)
    }
}
