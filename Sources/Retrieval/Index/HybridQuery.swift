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

/// A document that was found.
public struct Hit: Sendable {
    /// The document.
    public var id: Int64
    /// The fused score, or the leg's own when one leg ran.
    public var score: Double
    /// The vector leg's view; nil when the document is not among its candidates.
    public var vector: LegScore?
    /// The keyword leg's view; nil when the document is not among its candidates.
    public var keyword: LegScore?
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
    /// Bytes of vectors, of folded text and of its index that were read.
    public var bytesScanned: Int
    /// How long the stages took.
    public var timings: Timings

    /// The stages of a query.
    public struct Timings: Sendable {
        /// Making the filter's bitmap.
        public var filter = Duration.zero
        /// The vector leg.
        public var vector = Duration.zero
        /// The keyword leg.
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
