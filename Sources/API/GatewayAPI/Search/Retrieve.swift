/// The body of `POST /api/notes/retrieve`.
///
/// `query` or `keywords` is required. Request fields of existing clients keep their camelCase names.
public struct RetrieveRequest: Codable, Sendable, Hashable {
    /// The query in plain words. When absent or empty, the request is a keyword search for `keywords`.
    public var query: String?
    /// The maximum number of notes, 1 to 100; 10 when absent.
    public var limit: Int?
    /// Only notes of these types.
    public var noteType: OneOrMore?
    /// Only notes of these actionabilities.
    public var actionability: OneOrMore?
    /// Only notes created within this time.
    public var timeScope: TimeScope?
    /// Phrases to match literally, in addition to the words of `query`.
    public var keywords: OneOrMore?
    /// Which legs run; hybrid when absent.
    public var mode: Mode?
    /// `convex`, `rrf` or `dbsf`; the server's default when absent.
    public var fusion: String?
    /// Whether each result explains its rank.
    public var explain: Bool?
    /// Only notes in at least one of these threads, by id or name.
    public var thread: OneOrMore?
    /// Only notes with at least one of these tags.
    public var tag: OneOrMore?
    /// How keywords are scored: `like`, `bm25` or `both`.
    public var scorer: String?
    /// The boost of newer notes.
    public var recency: Recency?
    /// Penalty for near-duplicate results (MMR), 0 to 1.
    public var diversity: Double?
    /// Whether every vector is scanned, even when a tuned plan could answer.
    public var exact: Bool?
    /// Whether the query is read as a question: its time, its quotations and what it excludes then narrow the search.
    public var analyze: Bool?
    /// Whether the best notes of a first ranking rank the candidates again, in a hybrid search; yes when absent.
    public var feedback: Bool?
    /// Whether a reranker reorders the best results; when absent, if one is set and neither recency nor diversity is asked for.
    public var rerank: RerankOption?

    /// Whether results have ``Note/snippet``, the place that matched; no when absent.
    public var snippet: Bool?
    /// Whether results have the whole text; yes when absent. Without, `content` is empty.
    public var content: Bool?

    /// Creates a request.
    public init(
        query: String?, limit: Int? = nil, noteType: OneOrMore? = nil, actionability: OneOrMore? = nil,
        timeScope: TimeScope? = nil, keywords: OneOrMore? = nil, mode: Mode? = nil, fusion: String? = nil,
        explain: Bool? = nil, thread: OneOrMore? = nil, tag: OneOrMore? = nil, scorer: String? = nil,
        recency: Recency? = nil, diversity: Double? = nil, exact: Bool? = nil,
        analyze: Bool? = nil, feedback: Bool? = nil, rerank: RerankOption? = nil, snippet: Bool? = nil,
        content: Bool? = nil
    ) {
        (self.snippet, self.content) = (snippet, content)
        self.feedback = feedback
        self.rerank = rerank
        self.thread = thread
        self.tag = tag
        self.scorer = scorer
        self.recency = recency
        self.diversity = diversity
        self.exact = exact
        self.analyze = analyze
        self.query = query
        self.limit = limit
        self.noteType = noteType
        self.actionability = actionability
        self.timeScope = timeScope
        self.keywords = keywords
        self.mode = mode
        self.fusion = fusion
        self.explain = explain
    }

    /// (1 − weight) · relevance + weight · 2^(−age / half-life), with relevance scaled so that the best note has 1.
    public struct Recency: Codable, Sendable, Hashable {
        /// The weight of recency, 0 to 1; 0.3 when absent.
        public var weight: Double?
        /// The age in days at which recency halves; 30 when absent.
        public var halfLifeDays: Double?

        /// The JSON field names.
        public enum CodingKeys: String, CodingKey {
            case weight
            case halfLifeDays = "half_life_days"
        }

        /// Creates a weighting.
        public init(weight: Double? = nil, halfLifeDays: Double? = nil) {
            self.weight = weight
            self.halfLifeDays = halfLifeDays
        }
    }

    /// Which legs a retrieval runs.
    public enum Mode: String, Codable, Sendable, CaseIterable {
        case hybrid, vector, keyword
    }

    /// One string or a list of strings; clients send both.
    public struct OneOrMore: Codable, Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
        /// The values; a single string is a list of one.
        public var values: [String]

        /// Creates a list.
        public init(_ values: [String]) { self.values = values }
        /// Creates a list of one.
        public init(stringLiteral value: String) { values = [value] }
        /// Creates a list.
        public init(arrayLiteral elements: String...) { values = elements }

        /// Decodes a string or an array of strings.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let one = try? container.decode(String.self) {
                values = [one]
                return
            }
            do {
                values = try container.decode([String].self)
            } catch {
                throw DecodingError.typeMismatch(
                    [String].self,
                    .init(codingPath: decoder.codingPath, debugDescription: "expected a string or a list of strings"))
            }
        }

        /// Encodes a list of one as a plain string.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if values.count == 1 { try container.encode(values[0]) } else { try container.encode(values) }
        }
    }

    /// A range of creation times: `since` and `until` (ISO 8601 or `YYYY-MM-DD`, inclusive), or the last `days`.
    public struct TimeScope: Codable, Sendable, Hashable {
        /// The earliest creation time.
        public var since: String?
        /// The latest creation time; a plain date includes the whole day.
        public var until: String?
        /// The length of the range in days, up to now.
        public var days: Double?

        /// Creates a range.
        public init(since: String? = nil, until: String? = nil, days: Double? = nil) {
            self.since = since
            self.until = until
            self.days = days
        }
    }
}

/// The reply of `POST /api/notes/retrieve`.
public struct RetrieveResponse: Codable, Sendable, Hashable {
    /// The query as sent.
    public var query: String
    /// The number of results in this reply.
    public var count: Int
    /// Which legs answered: `hybrid`, `vector`, `keyword`, or `keyword_fallback` when vectors were unavailable.
    public var source: String
    /// Why vectors were not used, with `keyword_fallback`.
    public var fallbackReason: String?
    /// The notes, best first.
    public var results: [RetrievedNote]
    /// Durations of the stages, in milliseconds.
    public var timingsMilliseconds: [String: Double]
    /// Statistics of the retrieval, with `explain`.
    public var explanation: RetrievalSummary?
    /// What was understood of the question, with `analyze`.
    public var analysis: QuestionUnderstood?
    /// What the reranker did; absent when it was not asked.
    public var rerank: RerankReport?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case query, count, source, analysis, rerank
        case fallbackReason = "fallback_reason"
        case results
        case timingsMilliseconds = "timings_ms"
        case explanation
    }

    /// Creates a reply.
    public init(
        query: String, source: String, fallbackReason: String?, results: [RetrievedNote],
        timingsMilliseconds: [String: Double], explanation: RetrievalSummary?, rerank: RerankReport? = nil
    ) {
        self.rerank = rerank
        self.query = query
        self.count = results.count
        self.source = source
        self.fallbackReason = fallbackReason
        self.results = results
        self.timingsMilliseconds = timingsMilliseconds
        self.explanation = explanation
    }
}

/// Statistics of one retrieval.
public struct RetrievalSummary: Codable, Sendable, Hashable {
    /// Notes in the index.
    public var documents: Int
    /// Notes that passed the filters.
    public var filterMatched: Int
    /// Candidates of the vector leg.
    public var vectorCandidates: Int
    /// Candidates of the keyword leg.
    public var keywordCandidates: Int
    /// All notes that the keyword leg found.
    public var keywordMatches: Int
    /// Bytes of vectors and folded text that were scanned.
    public var bytesScanned: Int
    /// The fusion and its parameter, when both legs ran.
    public var fusion: String
    /// The search terms of the keyword leg.
    public var terms: [String]
    /// Whether every vector that passes the filters was scanned at full precision.
    public var exact: Bool
    /// How vectors were scanned: `exact`, or `int8` or `binary` first and the best candidates at full precision.
    public var plan: String
    /// The measured recall@10 of this plan on this index; absent for `exact`.
    public var measuredRecall: Double?
    /// How keywords were scored.
    public var scorer: String
    /// How each term was searched: in the `vocabulary`, in the `candidates` it gave, by a `scan`, or by its `stems`.
    public var keywordPlans: [String]
    /// The number of retrievals that shared the pass over the vectors.
    public var sharedPass: Int
    /// What feedback added to the query; absent when it had no part.
    public var feedback: FeedbackSummary?
    /// `server` when PostgreSQL searched; absent when the gateway's own index did.
    public var searchedBy: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case documents
        case filterMatched = "filter_matched"
        case vectorCandidates = "vector_candidates"
        case keywordCandidates = "keyword_candidates"
        case keywordMatches = "keyword_matches"
        case bytesScanned = "bytes_scanned"
        case fusion, terms, exact, plan, feedback
        case measuredRecall = "measured_recall"
        case scorer
        case keywordPlans = "keyword_plans"
        case sharedPass = "shared_pass"
        case searchedBy = "searched_by"
    }

    /// Creates a summary.
    public init(
        documents: Int, filterMatched: Int, vectorCandidates: Int, keywordCandidates: Int, keywordMatches: Int,
        bytesScanned: Int, fusion: String, terms: [String], exact: Bool, plan: String, measuredRecall: Double?,
        scorer: String, keywordPlans: [String], sharedPass: Int, feedback: FeedbackSummary? = nil
    ) {
        self.feedback = feedback
        self.keywordMatches = keywordMatches
        self.plan = plan
        self.measuredRecall = measuredRecall
        self.scorer = scorer
        self.keywordPlans = keywordPlans
        self.sharedPass = sharedPass
        self.documents = documents
        self.filterMatched = filterMatched
        self.vectorCandidates = vectorCandidates
        self.keywordCandidates = keywordCandidates
        self.bytesScanned = bytesScanned
        self.fusion = fusion
        self.terms = terms
        self.exact = exact
    }
}

/// What the best notes of a first ranking added to a query.
public struct FeedbackSummary: Codable, Sendable, Hashable {
    /// A word that was added.
    public struct Word: Codable, Sendable, Hashable {
        /// The word as one of the notes has it, folded.
        public var text: String
        /// The weight of the word and of all with its stem, where a word of the query has 1.
        public var weight: Double

        /// Creates a word.
        public init(text: String, weight: Double) {
            self.text = text
            self.weight = weight
        }
    }

    /// The notes, best first.
    public var notes: [Int64]
    /// The added words, the heaviest first.
    public var words: [Word]
    /// The weight of the mean of the notes' vectors, where that of the query has 1.
    public var vectorWeight: Double

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case notes, words
        case vectorWeight = "vector_weight"
    }

    /// Creates a summary.
    public init(notes: [Int64], words: [Word], vectorWeight: Double) {
        self.notes = notes
        self.words = words
        self.vectorWeight = vectorWeight
    }
}
