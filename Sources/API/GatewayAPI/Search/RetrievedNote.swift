/// One result of a retrieval: the note's fields, its score and, with `explain`, how it was ranked.
public struct RetrievedNote: Codable, Sendable, Hashable {
    /// The note.
    public var note: Note
    /// The fused score; comparable within one reply only. A reranker changes the order, not the score.
    public var score: Double
    /// The passage nearest to the query, when the note is long enough to have several.
    public var passage: Passage?
    /// How the result was ranked, with `explain`.
    public var explanation: HitExplanation?

    /// Creates a result.
    public init(note: Note, score: Double, passage: Passage? = nil, explanation: HitExplanation? = nil) {
        self.note = note
        self.score = score
        self.passage = passage
        self.explanation = explanation
    }

    /// A part of a note's `content`: a half-open range of UTF-8 offsets.
    public struct Passage: Codable, Sendable, Hashable {
        /// The passage's index in the note, from 0.
        public var number: Int
        /// The offset of the first byte.
        public var start: Int
        /// The offset after the last byte.
        public var end: Int

        /// Creates a passage.
        public init(number: Int, start: Int, end: Int) {
            self.number = number
            self.start = start
            self.end = end
        }
    }

    private enum CodingKeys: String, CodingKey {
        case score, passage, explanation
    }

    /// Decodes the note's fields and the score from one flat object.
    public init(from decoder: any Decoder) throws {
        note = try Note(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        score = try container.decode(Double.self, forKey: .score)
        passage = try container.decodeIfPresent(Passage.self, forKey: .passage)
        explanation = try container.decodeIfPresent(HitExplanation.self, forKey: .explanation)
    }

    /// Encodes the note's fields and the score as one flat object.
    public func encode(to encoder: any Encoder) throws {
        try note.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(score, forKey: .score)
        try container.encodeIfPresent(passage, forKey: .passage)
        try container.encodeIfPresent(explanation, forKey: .explanation)
    }
}

/// How a result was ranked: the rank and score of each leg.
public struct HitExplanation: Codable, Sendable, Hashable {
    /// The vector leg's rank and score; absent when the note was not among its candidates.
    public var vector: Leg?
    /// The keyword leg's rank and score; absent when no term occurs in the note.
    public var keyword: Leg?
    /// The fused score before recency is applied.
    public var relevance: Double
    /// The rank before feedback, from 1; absent without feedback. Ranks and scores of the legs are those after it.
    public var firstRank: Int?
    /// The recency with `recency`: 1 for now, ½ after one half-life.
    public var recency: Double?
    /// The greatest cosine with a higher-ranked note, with `diversity`.
    public var similarity: Double?
    /// The reranker's score, and the rank before it; absent when it did not decide about this result.
    public var rerank: RerankedPlace?
    /// The terms that occur in the note.
    public var matchedTerms: [String]
    /// Where the terms occur.
    public var spans: [Span]

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case vector, keyword, relevance, recency, similarity, rerank
        case firstRank = "first_rank"
        case matchedTerms = "matched_terms"
        case spans
    }

    /// Creates an explanation.
    public init(
        vector: Leg?, keyword: Leg?, relevance: Double, firstRank: Int? = nil, recency: Double? = nil,
        similarity: Double? = nil, rerank: RerankedPlace? = nil, matchedTerms: [String], spans: [Span]
    ) {
        self.rerank = rerank
        self.firstRank = firstRank
        self.vector = vector
        self.keyword = keyword
        self.relevance = relevance
        self.recency = recency
        self.similarity = similarity
        self.matchedTerms = matchedTerms
        self.spans = spans
    }

    /// One leg's rank and score of a result.
    public struct Leg: Codable, Sendable, Hashable {
        /// The rank; 1 is best.
        public var rank: Int
        /// The cosine or the keyword score.
        public var score: Double
        /// The score after the normalisation of the fusion.
        public var normalised: Double
        /// The leg's weight in the fusion.
        public var weight: Double

        /// Creates a leg.
        public init(rank: Int, score: Double, normalised: Double, weight: Double) {
            self.rank = rank
            self.score = score
            self.normalised = normalised
            self.weight = weight
        }
    }

    /// A match: a half-open range of UTF-8 offsets in the note's `title` or `content`.
    public struct Span: Codable, Sendable, Hashable {
        /// `title` or `content`.
        public var field: String
        /// The offset of the first byte.
        public var start: Int
        /// The offset after the last byte.
        public var end: Int
        /// The term that matched.
        public var term: String

        /// Creates a span.
        public init(field: String, start: Int, end: Int, term: String) {
            self.field = field
            self.start = start
            self.end = end
            self.term = term
        }
    }
}
