/// The result of the keyword leg.
struct KeywordLeg: Sendable {
    /// Best first.
    var hits: [LegHit] = []
    /// All documents that were found; ``hits`` has the best of them. nil when they were not counted.
    var matched: Int?
    /// Bytes of vocabulary, postings and text that were read.
    var bytesRead = 0
    /// For each term of the query, its plan in the largest part of the index; nil where only its stems were searched.
    var plans: [KeywordPlan?] = []
    /// The rows of each seek in each part of the index; nil unless the search keeps them.
    var found: [[TermSearch]]?
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
}
