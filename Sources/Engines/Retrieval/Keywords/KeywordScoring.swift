/// The result of the keyword leg.
struct KeywordLeg {
    /// Best first.
    var hits: [LegHit] = []
    /// All documents that were found; ``hits`` has the best of them. nil when they were not counted.
    var matched: Int?
    /// Bytes of vocabulary, postings and text that were read.
    var bytesRead = 0
    /// For each term of the query, its plan in the largest part of the index; nil where only its stems were searched.
    var plans: [KeywordPlan?] = []
}

/// Scores documents by the terms that they hold.
///
/// Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009) in two forms.
/// Over stems, lengths are in words; over patterns, in bytes. A rare term weighs more than a common one, each further
/// occurrence less than the last, and an occurrence in the title more. A term counts as often as the query repeats it.
///
/// k₁ and b over stems are those of Anserini (0.9 and 0.4). Measured as nDCG@10 on Cranfield, CACM and a collection of
/// negated questions, fused by `convex(0.5)`, they give 0.417, 0.566 and 0.755. 1.2 and 0.75 give 0.420, 0.555 and
/// 0.741. Counting a repeated word once costs 0.03 on CACM. For patterns b is lower than usual, since substrings
/// replace words.
struct KeywordScoring: Sendable {
    var stems = BM25(saturation: 0.9, lengthInfluence: 0.4, titleOccurrences: 0.5)
    var patterns = BM25(saturation: 1.2, lengthInfluence: 0.25, unit: 0.25, titleBoost: 1.5)
    /// The weight of a word as a pattern in ``KeywordScorer/both``, where its stems have weight 1.
    var patternShare: Float = 0.5

    /// One term in all parts of an index.
    private struct Stream {
        var isStem: Bool
        /// The factor of its scores; 0 when the term only selects documents.
        var weight: Float
        /// By part.
        var rows: [TermRows]
    }

    /// Returns the best documents for some terms, best first. Equal scores are ordered by later creation time, then by
    /// id. A document's score is the sum over the terms, in a fixed order: the patterns in the query's order, then the
    /// stems in byte order.
    ///
    /// - Parameters:
    ///   - needsPattern: Whether a document must hold a term as a pattern.
    ///   - countsAll: Whether to count all documents that were found, which takes longer.
    ///   - passed: The documents that may be found; nil means all of the catalog.
    func best(
        _ wanted: Int, for terms: QueryTerms, scorer: KeywordScorer, needsPattern: Bool, countsAll: Bool = false,
        in index: KeywordIndex, passed: Bitmap?, catalog: Catalog
    ) -> KeywordLeg {
        var leg = KeywordLeg(matched: countsAll ? 0 : nil)
        guard wanted > 0, index.count > 0 else { return leg }
        let streams = streams(for: terms, scorer: scorer, needsPattern: needsPattern, in: index, leg: &leg)
        let averageWords = Float(index.liveWords) / Float(index.count)
        let averageBytes = Float(index.liveBytes) / Float(index.count)
        let conditions = PrunedSearch.Conditions(
            needsPattern: needsPattern && scorer != .like, countsAll: countsAll, passed: passed ?? catalog.isAlive,
            createdAt: catalog.createdAt, ids: catalog.ids)
        var best = KeywordBest(wanted)
        let threshold = SharedThreshold()
        for (number, part) in index.parts.enumerated() {
            let search = PrunedSearch(
                streams.filter { $0.weight > 0 || (conditions.needsPattern && !$0.isStem) }.map { stream in
                    (
                        stream.rows[number], stream.isStem,
                        (stream.isStem ? stems : patterns).curve(
                            weight: stream.weight, average: stream.isStem ? averageWords : averageBytes)
                    )
                }, in: part, conditions: conditions)
            search.search(0..<search.windows, into: &best, threshold: threshold)
        }
        leg.hits = best.hits
        if countsAll { leg.matched = best.found }
        return leg
    }

    /// Searches every part for the terms.
    private func streams(
        for terms: QueryTerms, scorer: KeywordScorer, needsPattern: Bool, in index: KeywordIndex, leg: inout KeywordLeg
    ) -> [Stream] {
        var streams: [Stream] = []
        let largest = index.parts.indices.max { index.parts[$0].liveBytes < index.parts[$1].liveBytes }
        var plan: KeywordPlan?
        func seek(_ isStem: Bool, _ weight: Float, _ search: (KeywordIndex.Part) -> TermSearch) {
            var stream = Stream(isStem: isStem, weight: 0, rows: [])
            var documents = 0
            for (number, part) in index.parts.enumerated() {
                let found = search(part)
                leg.bytesRead += found.bytesRead
                documents += found.rows.count
                if number == largest { plan = found.plan }
                stream.rows.append(found.rows)
            }
            stream.weight = weight * BM25.inverseDocumentFrequency(documents, of: index.count)
            if documents > 0 { streams.append(stream) }
        }
        var stems: [[UInt8]: Int] = [:]
        for term in terms.terms {
            plan = nil
            let share: Float = term.isPattern || scorer == .like ? 1 : scorer == .both ? patternShare : 0
            if share > 0 || needsPattern {
                seek(false, share * Float(term.repeats)) { $0.segment.search(term.folded, without: $0.dead) }
            }
            leg.plans.append(plan)
            guard scorer != .like else { continue }
            for stem in term.stems { stems[stem, default: 0] += term.repeats }
        }
        // A fixed order, so that equal queries have equal scores.
        for (stem, repeats) in stems.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            seek(true, Float(repeats)) { $0.segment.search(stem: stem, without: $0.dead) }
        }
        return streams
    }
}
