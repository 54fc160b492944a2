extension HybridIndex {
    /// Searches on the calling thread, which it keeps busy meanwhile.
    ///
    /// Time grows with the bytes of the vectors and, for each term, of the text.
    /// - Throws: ``RetrievalError``.
    public func searchNow(_ query: HybridQuery) throws(RetrievalError) -> HybridResult {
        let snapshot = snapshot
        guard (1...HybridQuery.maxLimit).contains(query.limit) else {
            throw RetrievalError(.invalidQuery, "the limit must be from 1 to \(HybridQuery.maxLimit)")
        }
        let clock = ContinuousClock()
        var timings = HybridResult.Timings()
        var started = clock.now
        func lap() -> Duration {
            let now = clock.now
            defer { started = now }
            return now - started
        }

        let passed = snapshot.catalog.matching(query.filter)
        timings.filter = lap()

        // The same candidates for every limit up to 200: there, a longer list never reorders a shorter one.
        let depth = max(200, query.limit)
        var vectorLeg: (hits: [LegHit], bytesScanned: Int) = ([], 0)
        if query.mode != .keyword {
            let unit = try Self.unit(of: query, in: snapshot)
            if let unit, let vectors = snapshot.vectors {
                vectorLeg = vectors.nearest(to: unit, count: depth, passed: passed, catalog: snapshot.catalog)
            }
        }
        timings.vector = lap()

        var terms = QueryTerms(text: "", phrases: [])
        var keywordLeg = KeywordLeg()
        if query.mode != .vector {
            terms = QueryTerms(text: query.text, phrases: query.keywords)
            keywordLeg = Self.scoring.best(
                depth, for: terms, scorer: query.scorer, needsPattern: query.mode == .keyword, in: snapshot.keywords,
                passed: passed, catalog: snapshot.catalog)
        }
        timings.keyword = lap()

        let hits = Self.rank(query, vector: vectorLeg.hits, keyword: keywordLeg.hits, catalog: snapshot.catalog)
        timings.fusion = lap()
        return HybridResult(
            hits: hits, terms: terms.terms.map(\.text), plans: keywordLeg.plans, documents: snapshot.catalog.liveCount,
            filterMatched: passed?.count ?? snapshot.catalog.liveCount, vectorCandidates: vectorLeg.hits.count,
            keywordCandidates: keywordLeg.hits.count,
            bytesScanned: vectorLeg.bytesScanned + keywordLeg.bytesRead, timings: timings)
    }

    private static let scoring = KeywordScoring()

    private static func unit(of query: HybridQuery, in snapshot: Snapshot) throws(RetrievalError) -> [Float]? {
        guard let vector = query.vector else {
            throw RetrievalError(.invalidQuery, "a \(query.mode.rawValue) query needs a vector")
        }
        guard let vectors = snapshot.vectors else { return nil }
        guard vector.count == vectors.dimensions else {
            throw RetrievalError(
                .dimensions, "the query has \(vector.count) dimensions, the index has \(vectors.dimensions)")
        }
        guard let unit = UnitVector.normalised(vector) else {
            throw RetrievalError(.unusableVector, "the query's vector is zero or has a component that is not finite")
        }
        return unit
    }

    private static func rank(
        _ query: HybridQuery, vector: [LegHit], keyword: [LegHit], catalog: Catalog
    ) -> [Hit] {
        // With one leg its own scores stand, so that a cosine stays a cosine.
        let fused =
            switch query.mode {
            case .hybrid: query.fusion.fuse(vector: vector, keyword: keyword)
            case .vector: single(vector) { FusedHit(ordinal: $0, score: $1.score, vector: $1) }
            case .keyword: single(keyword) { FusedHit(ordinal: $0, score: $1.score, keyword: $1) }
            }
        let ordered = fused.sorted { left, right in
            if left.score != right.score { return left.score > right.score }
            let (leftTime, rightTime) = (catalog.createdAt[left.ordinal], catalog.createdAt[right.ordinal])
            if query.mode != .vector, leftTime != rightTime { return leftTime > rightTime }
            return catalog.ids[left.ordinal] < catalog.ids[right.ordinal]
        }
        return ordered.prefix(query.limit).map { hit in
            Hit(
                id: catalog.ids[hit.ordinal], score: hit.score, vector: query.explain ? hit.vector : nil,
                keyword: query.explain ? hit.keyword : nil)
        }
    }

    private static func single(_ leg: [LegHit], _ make: (Int, LegScore) -> FusedHit) -> [FusedHit] {
        leg.enumerated().map { index, hit in
            make(hit.ordinal, LegScore(rank: index + 1, score: hit.score, normalised: hit.score, weight: 1))
        }
    }
}
