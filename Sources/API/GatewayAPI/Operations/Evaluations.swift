/// The body of `POST /api/jobs/evaluation`.
public struct EvaluationJobRequest: Codable, Sendable, Hashable {
    /// The possible lengths of rankings.
    public static let depths = 1...1000

    /// The name of a collection: a folder in the folder of collections.
    public var collection: String
    /// The name of the report, one line; the collection's when absent.
    public var name: String?
    /// `vector`, `keyword` and `hybrid`; all three when absent.
    public var modes: [String]?
    /// The fusion of `hybrid`: convex, convex:ALPHA, rrf, rrf:K or dbsf.
    public var fusion: String?
    /// The keyword scorer: like, bm25 or both.
    public var scorer: String?
    /// The measures, such as `ndcg@10`; the usual ones when absent.
    public var metrics: [String]?
    /// The length of each ranking, 1 to 1000; 200 when absent.
    public var depth: Int?
    /// Whether to embed the texts even if the collection has ready vectors.
    public var embed: Bool?

    /// Creates a request.
    public init(
        collection: String, name: String? = nil, modes: [String]? = nil, fusion: String? = nil, scorer: String? = nil,
        metrics: [String]? = nil, depth: Int? = nil, embed: Bool? = nil
    ) {
        self.collection = collection
        self.name = name
        self.modes = modes
        self.fusion = fusion
        self.scorer = scorer
        self.metrics = metrics
        self.depth = depth
        self.embed = embed
    }
}

/// A collection that can be evaluated.
public struct EvaluationFolderEntry: Codable, Sendable, Hashable {
    /// The name of its folder.
    public var name: String
    /// The bytes of its documents.
    public var bytes: Int
    /// Whether it has ready vectors, so that nothing is embedded.
    public var hasVectors: Bool

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case name, bytes
        case hasVectors = "has_vectors"
    }

    /// Creates an entry.
    public init(name: String, bytes: Int, hasVectors: Bool) {
        self.name = name
        self.bytes = bytes
        self.hasVectors = hasVectors
    }
}

/// The reply of `GET /api/admin/evaluations/collections`.
public struct EvaluationFolderList: Codable, Sendable, Hashable {
    /// Whether SELENE_EVALUATIONS names a folder.
    public var isSet: Bool
    /// The collections by name, at most 200.
    public var collections: [EvaluationFolderEntry]

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case isSet = "is_set"
        case collections
    }

    /// Creates a list.
    public init(isSet: Bool, collections: [EvaluationFolderEntry]) {
        self.isSet = isSet
        self.collections = collections
    }
}

/// A stored report of retrieval, as the job `evaluation` makes it.
public struct StoredEvaluation: Codable, Sendable, Hashable {
    /// The id.
    public var id: Int64
    /// The collection.
    public var collection: String
    /// The name, one line.
    public var name: String
    /// The means by mode and metric.
    public var means: JSONValue
    /// The report in the form of `selene eval --json`. Absent in lists.
    public var report: JSONValue?
    /// When it was stored, in UTC.
    public var createdAt: String

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, collection, name, means, report
        case createdAt = "created_at"
    }

    /// Creates an evaluation.
    public init(
        id: Int64, collection: String, name: String, means: JSONValue, report: JSONValue? = nil, createdAt: String
    ) {
        self.id = id
        self.collection = collection
        self.name = name
        self.means = means
        self.report = report
        self.createdAt = createdAt
    }
}

/// The reply of `GET /api/admin/evaluations`, latest first, without reports.
public struct StoredEvaluationPage: Codable, Sendable, Hashable {
    /// The evaluations.
    public var evaluations: [StoredEvaluation]
    /// The start of the next page; nil on the last page.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case evaluations
        case nextCursor = "next_cursor"
    }

    /// Creates a page.
    public init(evaluations: [StoredEvaluation], nextCursor: String?) {
        self.evaluations = evaluations
        self.nextCursor = nextCursor
    }
}

/// The reply of `GET /api/admin/evaluations/:id/compare/:other`: whether the second is better than the first.
public struct EvaluationComparison: Codable, Sendable, Hashable {
    /// One side of a comparison.
    public struct Side: Codable, Sendable, Hashable {
        /// The id of the evaluation.
        public var id: Int64
        /// Its name.
        public var name: String
        /// The mode that is compared.
        public var mode: String
        /// The mean over the queries of both.
        public var mean: Double

        /// Creates a side.
        public init(id: Int64, name: String, mode: String, mean: Double) {
            self.id = id
            self.name = name
            self.mode = mode
            self.mean = mean
        }
    }

    /// A query with the values of both.
    public struct Query: Codable, Sendable, Hashable {
        /// The query's id.
        public var id: String
        /// The query's text.
        public var text: String
        /// The first value.
        public var before: Double
        /// The second value.
        public var after: Double

        /// Creates a query.
        public init(id: String, text: String, before: Double, after: Double) {
            self.id = id
            self.text = text
            self.before = before
            self.after = after
        }
    }

    /// The collection of both.
    public var collection: String
    /// The metric.
    public var metric: String
    /// The first evaluation.
    public var before: Side
    /// The second evaluation.
    public var after: Side
    /// Queries that both have.
    public var queries: Int
    /// The mean of second − first.
    public var difference: Double
    /// The lower end of its 95 % confidence interval.
    public var low: Double
    /// The upper end.
    public var high: Double
    /// The probability of such a difference if both were equally good, by Fisher's randomisation test.
    public var pValue: Double
    /// Whether it comes from all sign flips instead of a sample.
    public var isExact: Bool
    /// A sentence when fewer queries than needed would show such a difference.
    public var warning: String?
    /// Queries for which the second is better.
    public var wins: Int
    /// Queries for which it is worse.
    public var losses: Int
    /// Queries for which both are equal.
    public var ties: Int
    /// The queries that gained most, at most 5.
    public var gains: [Query]
    /// The queries that lost most, at most 5.
    public var drops: [Query]
    /// Second − first of each query, the largest first; at most 1,000, evenly chosen.
    public var differences: [Double]

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case collection, metric, before, after, queries, difference, low, high, warning, wins, losses, ties, gains
        case drops, differences
        case pValue = "p_value"
        case isExact = "is_exact"
    }

    /// Creates a comparison.
    public init(
        collection: String, metric: String, before: Side, after: Side, queries: Int, difference: Double, low: Double,
        high: Double, pValue: Double, isExact: Bool, warning: String?, wins: Int, losses: Int, ties: Int,
        gains: [Query], drops: [Query], differences: [Double]
    ) {
        (self.collection, self.metric, self.before, self.after) = (collection, metric, before, after)
        (self.queries, self.difference, self.low, self.high) = (queries, difference, low, high)
        (self.pValue, self.isExact, self.warning) = (pValue, isExact, warning)
        (self.wins, self.losses, self.ties) = (wins, losses, ties)
        (self.gains, self.drops, self.differences) = (gains, drops, differences)
    }
}

/// The body of `POST /api/admin/evaluations/:id/gates`.
public struct EvaluationGates: Codable, Sendable, Hashable {
    /// Conditions such as `hybrid.ndcg@10>=0.40`, 1 to 50.
    public var gates: [String]

    /// Creates a body.
    public init(gates: [String]) { self.gates = gates }
}

/// The reply of `POST /api/admin/evaluations/:id/gates`.
public struct EvaluationGateReport: Codable, Sendable, Hashable {
    /// Whether all hold.
    public var passed: Bool
    /// Where the report fails, as sentences.
    public var failures: [String]

    /// Creates a reply.
    public init(failures: [String]) {
        passed = failures.isEmpty
        self.failures = failures
    }
}
