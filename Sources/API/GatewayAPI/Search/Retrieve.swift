/// The body of `POST /api/notes/retrieve`.
///
/// `query` or `keywords` is needed. The request fields that existing clients send keep their camel case.
public struct RetrieveRequest: Codable, Sendable, Hashable {
    /// What is sought, in plain words. Absent or empty makes it a keyword search for `keywords`.
    public var query: String?
    /// How many notes at most, 1 to 100; 10 when absent.
    public var limit: Int?
    /// Only notes of these types.
    public var noteType: OneOrMore?
    /// Only notes of these actionabilities.
    public var actionability: OneOrMore?
    /// Only notes created within this time.
    public var timeScope: TimeScope?
    /// Phrases to find literally, beside the words of `query`.
    public var keywords: OneOrMore?
    /// Which legs run; hybrid when absent.
    public var mode: Mode?
    /// `convex`, `rrf` or `dbsf`; the server's default when absent.
    public var fusion: String?
    /// Whether every result says how it came to its place.
    public var explain: Bool?
    /// Only notes of one of these threads, by id or name.
    public var thread: OneOrMore?
    /// Only notes with one of these tags.
    public var tag: OneOrMore?
    /// How keywords are scored: `like`, `bm25` or `both`.
    public var scorer: String?
    /// How much newer notes go before older ones.
    public var recency: Recency?
    /// How much notes that are like better ones go down, 0 to 1.
    public var diversity: Double?
    /// Whether every vector is looked at, even when a tuned plan could answer.
    public var exact: Bool?

    /// Creates a request.
    public init(
        query: String?, limit: Int? = nil, noteType: OneOrMore? = nil, actionability: OneOrMore? = nil,
        timeScope: TimeScope? = nil, keywords: OneOrMore? = nil, mode: Mode? = nil, fusion: String? = nil,
        explain: Bool? = nil, thread: OneOrMore? = nil, tag: OneOrMore? = nil, scorer: String? = nil,
        recency: Recency? = nil, diversity: Double? = nil, exact: Bool? = nil
    ) {
        self.thread = thread
        self.tag = tag
        self.scorer = scorer
        self.recency = recency
        self.diversity = diversity
        self.exact = exact
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

    /// (1 − weight) · relevance + weight · 2^(−age / half-life), with the relevance scaled so that the best note has 1.
    public struct Recency: Codable, Sendable, Hashable {
        /// The share that recency has, 0 to 1; 0.3 when absent.
        public var weight: Double?
        /// After so many days recency counts half; 30 when absent.
        public var halfLifeDays: Double?

        /// The names on the wire.
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

    /// The legs of a retrieval.
    public enum Mode: String, Codable, Sendable, CaseIterable {
        case hybrid, vector, keyword
    }

    /// One string or a list of strings, as clients send both.
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

    /// A span of creation times: `since` and `until` (ISO 8601 or `YYYY-MM-DD`, inclusive), or the last `days`.
    public struct TimeScope: Codable, Sendable, Hashable {
        /// The earliest creation time.
        public var since: String?
        /// The latest creation time; a plain date means its whole day.
        public var until: String?
        /// The last so many days, counted back from now.
        public var days: Double?

        /// Creates a span.
        public init(since: String? = nil, until: String? = nil, days: Double? = nil) {
            self.since = since
            self.until = until
            self.days = days
        }
    }
}

/// The reply of `POST /api/notes/retrieve`.
public struct RetrieveResponse: Codable, Sendable, Hashable {
    /// The query as it was sent.
    public var query: String
    /// How many results follow.
    public var count: Int
    /// Which legs answered: `hybrid`, `vector`, `keyword`, or `keyword_fallback` when vectors were not to be had.
    public var source: String
    /// Why vectors were not used, with `keyword_fallback`.
    public var fallbackReason: String?
    /// The notes, best first.
    public var results: [RetrievedNote]
    /// Milliseconds by stage.
    public var timingsMilliseconds: [String: Double]
    /// What was looked at, with `explain`.
    public var explanation: RetrievalSummary?

    /// The names on the wire.
    public enum CodingKeys: String, CodingKey {
        case query, count, source
        case fallbackReason = "fallback_reason"
        case results
        case timingsMilliseconds = "timings_ms"
        case explanation
    }

    /// Creates a reply.
    public init(
        query: String, source: String, fallbackReason: String?, results: [RetrievedNote],
        timingsMilliseconds: [String: Double], explanation: RetrievalSummary?
    ) {
        self.query = query
        self.count = results.count
        self.source = source
        self.fallbackReason = fallbackReason
        self.results = results
        self.timingsMilliseconds = timingsMilliseconds
        self.explanation = explanation
    }
}

/// What one retrieval looked at.
public struct RetrievalSummary: Codable, Sendable, Hashable {
    /// Notes in the index.
    public var documents: Int
    /// Notes that passed the filters.
    public var filterMatched: Int
    /// Candidates of the vector leg.
    public var vectorCandidates: Int
    /// Candidates of the keyword leg.
    public var keywordCandidates: Int
    /// Notes that the keyword leg found in all.
    public var keywordMatches: Int
    /// Bytes of vectors and folded text that were read.
    public var bytesScanned: Int
    /// The fusion and its parameter, when both legs ran.
    public var fusion: String
    /// The terms that the keyword leg looked for.
    public var terms: [String]
    /// Whether every vector that may be found was looked at in full.
    public var exact: Bool
    /// How the vectors were read: `exact`, or `int8` or `binary` first and the best candidates in full.
    public var plan: String
    /// The recall@10 that was measured for that plan on this index; absent when it is exact.
    public var measuredRecall: Double?
    /// How keywords were scored.
    public var scorer: String
    /// How each term was sought: in the `vocabulary`, in `candidates` that it named, by a `scan`, or by its `stems`.
    public var keywordPlans: [String]
    /// Retrievals that shared the pass over the vectors.
    public var sharedPass: Int

    /// The names on the wire.
    public enum CodingKeys: String, CodingKey {
        case documents
        case filterMatched = "filter_matched"
        case vectorCandidates = "vector_candidates"
        case keywordCandidates = "keyword_candidates"
        case keywordMatches = "keyword_matches"
        case bytesScanned = "bytes_scanned"
        case fusion, terms, exact, plan
        case measuredRecall = "measured_recall"
        case scorer
        case keywordPlans = "keyword_plans"
        case sharedPass = "shared_pass"
    }

    /// Creates a summary.
    public init(
        documents: Int, filterMatched: Int, vectorCandidates: Int, keywordCandidates: Int, keywordMatches: Int,
        bytesScanned: Int, fusion: String, terms: [String], exact: Bool, plan: String, measuredRecall: Double?,
        scorer: String, keywordPlans: [String], sharedPass: Int
    ) {
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
