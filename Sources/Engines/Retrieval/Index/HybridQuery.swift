import Text

/// The legs of a retrieval to run.
public enum RetrievalMode: String, Sendable, Hashable, CaseIterable {
    /// Both legs, fused.
    case hybrid
    /// The vector leg only.
    case vector
    /// The keyword leg only.
    case keyword
}

/// A query with its filter and ranking options.
public struct HybridQuery: Sendable {
    /// The maximum number of documents for one query.
    public static let maxLimit = 1000

    /// Words for the keyword leg.
    public var text: String
    /// Phrases for the keyword leg, one pattern each.
    public var keywords: [String]
    /// The query's vector, of any length except zero; required unless the mode is keyword.
    public var vector: [Float]?
    /// The legs to run.
    public var mode: RetrievalMode
    /// The conditions that results must meet.
    public var filter: Filter
    /// The maximum number of results, 1 to ``maxLimit``.
    public var limit: Int
    /// The fusion of the legs.
    public var fusion: FusionMethod
    /// The order of documents in the keyword leg.
    public var scorer: KeywordScorer
    /// Whether every hit has an explanation.
    public var explain: Bool
    /// Whether a hit of the mode keyword must hold a word or a phrase of the query as it is written; else one of its stems
    /// is enough.
    public var needsPattern = true
    /// The preference for newer documents; nil for none.
    public var recency: RecencyWeighting?
    /// The penalty for near-duplicates (MMR), 0 to 1; nil for none.
    public var diversity: Double?
    /// What the best documents add to a hybrid query; nil for nothing. Other modes ignore it.
    public var feedback: Feedback? = .standard
    /// The way to read the matrix; nil for the tuned plan, or the exact plan without tuning.
    public var plan: VectorPlan?
    /// The number of rows that a plan's first pass selects; nil for the tuned number.
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
    /// Refuses invalid values.
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

/// A document found by a query.
public struct Hit: Sendable {
    /// The document.
    public var id: Int64
    /// The ranking score: the relevance, combined with recency if that is weighted.
    public var score: Double
    /// The fused score, or the leg's own score if one leg ran.
    public var relevance: Double
    /// The passage nearest to the query, counted from 0; nil when the vector leg did not find the document.
    public var passage: Int?
    /// The vector leg's score; nil when the document is not among its candidates.
    public var vector: LegScore?
    /// The keyword leg's score; nil when the document is not among its candidates.
    public var keyword: LegScore?
    /// The rank before feedback, from 1, without recency and diversity; nil without feedback.
    public var firstRank: Int?
    /// 1 for now, ½ after a half-life; nil when recency is not weighted.
    public var recency: Double?
    /// The greatest cosine with an earlier document of the list; nil without a diversity penalty.
    public var similarity: Double?
}

/// The results of a query, with counts and timings.
public struct HybridResult: Sendable {
    /// Best first.
    public var hits: [Hit]
    /// The patterns of the keyword leg, as written in the query.
    public var terms: [String]
    /// The search method of each pattern; nil for a pattern searched only by its stems.
    public var plans: [KeywordPlan?]
    /// The number of documents in the index.
    public var documents: Int
    /// The number of documents that pass the filter.
    public var filterMatched: Int
    /// The number of candidates of the vector leg.
    public var vectorCandidates: Int
    /// The number of candidates of the keyword leg.
    public var keywordCandidates: Int
    /// The number of documents that the keyword leg matched; nil unless the query asked for an explanation, because
    /// counting takes longer than finding the best.
    public var keywordMatches: Int?
    /// Bytes read of vectors, folded text and its index.
    public var bytesScanned: Int
    /// The plan that read the matrix.
    public var plan: VectorPlan
    /// The measured recall@10 of the plan; nil for the exact plan.
    public var measuredRecall: Double?
    /// The database's own index that found the vectors, `hnsw` or `ivfflat`; nil when ``plan`` did.
    public var index: String?
    /// What feedback added to the query; nil when it had no part.
    public var feedback: FeedbackReport?
    /// The number of searches that shared the pass over the matrix.
    public var batch: Int
    /// The time of each stage.
    public var timings: Timings

    /// The times of a query's stages.
    public struct Timings: Sendable {
        /// Time to make the filter's bitmap.
        public var filter = Duration.zero
        /// Time of the vector leg, including the wait for an earlier pass.
        public var vector = Duration.zero
        /// Time of the keyword leg, which runs in parallel.
        public var keyword = Duration.zero
        /// Time to fuse and sort, feedback included.
        public var fusion = Duration.zero
        /// Time of feedback.
        public var feedback = Duration.zero
    }
}

/// The position of a term in a field, in UTF-8 offsets of the original text.
public struct MatchSpan: Sendable, Hashable {
    /// The term as written in the query.
    public var term: String
    /// The half-open range of the match.
    public var range: Range<Int>
}

extension HybridResult {
    /// The positions of the terms in a text, in order, at most `limit`; see ``MatchSpan/find(_:in:limit:)``.
    public func spans(in text: String, limit: Int = 32) -> [MatchSpan] {
        MatchSpan.find(terms, in: text, limit: limit)
    }
}

extension MatchSpan {
    /// The positions of some terms in a text, in order, at most `limit`.
    ///
    /// If there are more, each term's first positions precede any term's later ones, so that a frequent term never
    /// hides another. A term that does not stand in the text as it is written has the places of its words with other
    /// marks, else those of its parts, as the keyword leg finds them. Time grows with the text and the number of terms.
    package static func find(_ terms: [String], in text: String, limit: Int = 32) -> [MatchSpan] {
        let folded = FoldedText(text)
        var spans: [(turn: Int, span: MatchSpan)] = []
        var markless: FoldedText?
        for term in terms {
            let pattern = TextFolding.fold(term)
            var ranges = folded.spans(of: pattern, limit: limit)
            if ranges.isEmpty, SpacelessParts.hasMarks(pattern) {
                let loose =
                    markless ?? (folded.isASCII ? folded : FoldedText(Self.beginning(of: text), isMarkless: true))
                markless = loose
                ranges = loose.spans(of: MarklessText.of(pattern) ?? pattern, limit: limit)
            }
            if ranges.isEmpty {
                let parts = SpacelessParts(pattern)
                ranges = Self.joined((parts.pairs + parts.patterns).flatMap { folded.spans(of: $0, limit: limit) })
            }
            spans += ranges.enumerated().map { ($0.offset, MatchSpan(term: term, range: $0.element)) }
        }
        func place(_ span: MatchSpan) -> (Int, Int) { (span.range.lowerBound, span.range.upperBound) }
        spans.sort { $0.turn != $1.turn ? $0.turn < $1.turn : place($0.span) < place($1.span) }
        return spans.prefix(limit).map(\.span).sorted { place($0) < place($1) }
    }

    /// The part of a long text in which words with other marks are shown.
    private static func beginning(of text: String) -> String {
        let most = 256 << 10
        return text.utf8.count > most ? UTF8Border.part(of: text, 0..<most).text : text
    }

    /// Ranges in order, those that touch as one.
    private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
        ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, range in
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
    }
}
