import Text

/// Which legs of a retrieval run.
public enum RetrievalMode: String, Sendable, Hashable, CaseIterable {
    /// Both, fused.
    case hybrid
    /// Cosine only.
    case vector
    /// Keywords only.
    case keyword
}

/// What is sought, and how.
public struct HybridQuery: Sendable {
    /// Most documents that one query may ask for.
    public static let maxLimit = 1000

    /// Words for the keyword leg.
    public var text: String
    /// Phrases for the keyword leg, each one pattern.
    public var keywords: [String]
    /// The query's vector, of any length but zero; needed unless the mode is keyword.
    public var vector: [Float]?
    /// Which legs run.
    public var mode: RetrievalMode
    /// Which documents may be found.
    public var filter: Filter
    /// How many documents at most, 1 to ``maxLimit``.
    public var limit: Int
    /// How the legs are fused.
    public var fusion: FusionMethod
    /// How the keyword leg orders documents.
    public var scorer: KeywordScorer
    /// Whether every hit explains itself.
    public var explain: Bool
    /// How much newer documents go before older ones; not at all when nil.
    public var recency: RecencyWeighting?
    /// How much documents that are like better ones go down, 0 to 1; not at all when nil.
    public var diversity: Double?
    /// How the matrix is read; the tuned plan when nil, and the exact one when there is none.
    public var plan: VectorPlan?
    /// Rows that the first pass of a plan hands on; as tuned when nil.
    var candidates: Int?

    /// Creates a query.
    public init(
        text: String, keywords: [String] = [], vector: [Float]? = nil, mode: RetrievalMode = .hybrid,
        filter: Filter = Filter(), limit: Int = 10, fusion: FusionMethod = .convex(alpha: 0.5),
        scorer: KeywordScorer = .both, explain: Bool = false
    ) {
        self.text = text
        self.keywords = keywords
        self.vector = vector
        self.mode = mode
        self.filter = filter
        self.limit = limit
        self.fusion = fusion
        self.scorer = scorer
        self.explain = explain
    }
}

extension HybridQuery {
    /// Refuses what has no meaning.
    ///
    /// - Throws: ``RetrievalError/Code/invalidQuery``.
    func check() throws(RetrievalError) {
        guard (1...Self.maxLimit).contains(limit) else {
            throw RetrievalError(.invalidQuery, "the limit must be from 1 to \(Self.maxLimit)")
        }
        if let recency {
            guard (0...1).contains(recency.weight), recency.halfLife > 0, recency.halfLife.isFinite else {
                throw RetrievalError(
                    .invalidQuery, "recency needs a weight from 0 to 1 and a half-life that is greater than 0")
            }
        }
        if let diversity, !(0...1).contains(diversity) {
            throw RetrievalError(.invalidQuery, "diversity must be from 0 to 1")
        }
    }
}

/// A document that was found.
public struct Hit: Sendable {
    /// The document.
    public var id: Int64
    /// What the document is ranked by: its relevance, unless recency is weighed in.
    public var score: Double
    /// The fused score, or the leg's own when one leg ran.
    public var relevance: Double
    /// The passage that is nearest to the query, counted from 0; nil when vectors did not find the document.
    public var passage: Int?
    /// The vector leg's view; nil when the document is not among its candidates.
    public var vector: LegScore?
    /// The keyword leg's view; nil when the document is not among its candidates.
    public var keyword: LegScore?
    /// 1 for now, ½ after a half-life; nil when recency is not weighed in.
    public var recency: Double?
    /// The greatest cosine with a document before it in the list; nil when diversity is not asked for.
    public var similarity: Double?
}

/// What a query found, and what it took.
public struct HybridResult: Sendable {
    /// Best first.
    public var hits: [Hit]
    /// The patterns that the keyword leg looked for, as they were written.
    public var terms: [String]
    /// How each of them was sought; nil for one whose stems alone were.
    public var plans: [KeywordPlan?]
    /// Documents in the index.
    public var documents: Int
    /// Documents that passed the filter.
    public var filterMatched: Int
    /// Candidates of the vector leg.
    public var vectorCandidates: Int
    /// Candidates of the keyword leg.
    public var keywordCandidates: Int
    /// Documents that the keyword leg found in all.
    public var keywordMatches: Int
    /// Bytes of vectors, of folded text and of its index that were read.
    public var bytesScanned: Int
    /// How the matrix was read.
    public var plan: VectorPlan
    /// The recall@10 that was measured for the plan; nil when it is exact.
    public var measuredRecall: Double?
    /// Searches that shared the pass over the matrix.
    public var batch: Int
    /// How long the stages took.
    public var timings: Timings

    /// The stages of a query.
    public struct Timings: Sendable {
        /// Making the filter's bitmap.
        public var filter = Duration.zero
        /// The vector leg, with its wait for the pass before it.
        public var vector = Duration.zero
        /// The keyword leg, which runs at the same time.
        public var keyword = Duration.zero
        /// Fusing and sorting.
        public var fusion = Duration.zero
    }
}

/// Where a term occurs in a field: UTF-8 offsets of the text as it was written.
public struct MatchSpan: Sendable, Hashable {
    /// The term as it was written in the query.
    public var term: String
    /// Half-open.
    public var range: Range<Int>
}

extension HybridResult {
    /// Where the terms occur in a text, in order, at most `limit` places.
    ///
    /// When there are more, each term's first places go before any term's later ones, so that no term goes missing
    /// because another is frequent. Time grows with the text and the number of terms.
    public func spans(in text: String, limit: Int = 32) -> [MatchSpan] {
        let folded = FoldedText(text)
        var spans: [(turn: Int, span: MatchSpan)] = []
        for term in terms {
            let ranges = folded.spans(of: TextFolding.fold(term), limit: limit)
            spans += ranges.enumerated().map { ($0.offset, MatchSpan(term: term, range: $0.element)) }
        }
        func place(_ span: MatchSpan) -> (Int, Int) { (span.range.lowerBound, span.range.upperBound) }
        spans.sort { $0.turn != $1.turn ? $0.turn < $1.turn : place($0.span) < place($1.span) }
        return spans.prefix(limit).map(\.span).sorted { place($0) < place($1) }
    }
}
