public import GatewayAPI
import Logging
public import Retrieval
public import ServiceLifecycle
import Storage
import Upstream

/// Answers retrievals: the query's vector from the upstream, the ranking from the index, the notes from the database.
///
/// As a service it follows the database in the background, so that a change made by another process is in the index
/// before anyone asks.
public final class RetrievalService: Service {
    /// How often the database is looked at while nobody asks.
    static let pollInterval = Duration.milliseconds(50)

    private let database: GatewayDatabase
    private let follower: IndexFollower
    private let embedder: QueryEmbedder
    private let defaultFusion: FusionMethod
    private let logger: Logger

    init(
        database: GatewayDatabase, embedder: QueryEmbedder, defaultFusion: FusionMethod, logger: Logger
    ) {
        self.database = database
        self.embedder = embedder
        self.defaultFusion = defaultFusion
        self.logger = logger
        follower = IndexFollower(database: database, logger: logger)
    }

    /// Follows the database until shutdown.
    public func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                do {
                    _ = try await follower.current()
                    try await Task.sleep(for: Self.pollInterval)
                } catch is CancellationError {
                    return
                } catch {
                    logger.error("the database cannot be followed", metadata: ["error": "\(error)"])
                    try? await Task.sleep(for: .seconds(1))
                }
            }
        }
    }

    /// A retrieval that was checked.
    public struct Query: Sendable {
        /// As the client wrote it.
        public var text: String
        /// Phrases to find literally.
        public var keywords: [String] = []
        /// Which legs run.
        public var mode = RetrievalMode.hybrid
        /// Which notes may be found.
        public var filter = Filter()
        /// How many notes at most.
        public var limit = 10
        /// The server's default when nil.
        public var fusion: FusionMethod?
        /// Whether every result explains itself.
        public var explain = false

        /// Creates a query.
        public init(text: String) { self.text = text }
    }

    /// Retrieves notes.
    ///
    /// When no vector is to be had, keywords answer and the reply says so; only a fault of the database, or of the
    /// query, is an error.
    public func retrieve(_ query: Query) async throws -> RetrieveResponse {
        let clock = ContinuousClock()
        let started = clock.now
        let live = try await follower.current()
        let refreshed = clock.now

        var search = HybridQuery(
            text: query.text, keywords: query.keywords, mode: query.mode, filter: query.filter, limit: query.limit,
            fusion: query.fusion ?? defaultFusion, explain: query.explain)
        var fallbackReason: String?
        if query.mode != .keyword {
            switch try await vector(for: query.text, in: live) {
            case .success(let vector): search.vector = vector
            case .failure(let reason):
                fallbackReason = reason.text
                search.mode = .keyword
            }
        }
        let embedded = clock.now
        let result = try await live.index.search(search)
        let searched = clock.now
        let notes = try await database.notes(ids: result.hits.map(\.id))
        let loaded = clock.now

        let found = Dictionary(uniqueKeysWithValues: notes.map { ($0.id, $0) })
        let results = result.hits.compactMap { hit in
            found[hit.id].map { note in
                RetrievedNote(
                    note: NoteFields(note), score: hit.score,
                    explanation: query.explain ? HitExplanation(hit, note: note, result: result) : nil)
            }
        }
        return RetrieveResponse(
            query: query.text, source: fallbackReason == nil ? search.mode.rawValue : "keyword_fallback",
            fallbackReason: fallbackReason, results: results,
            timingsMilliseconds: [
                "refresh": (refreshed - started).milliseconds, "embed": (embedded - refreshed).milliseconds,
                "filter": result.timings.filter.milliseconds, "vector": result.timings.vector.milliseconds,
                "keyword": result.timings.keyword.milliseconds, "fusion": result.timings.fusion.milliseconds,
                "search": (searched - embedded).milliseconds, "load": (loaded - searched).milliseconds,
                "total": (loaded - started).milliseconds,
            ],
            explanation: query.explain
                ? RetrievalSummary(
                    documents: result.documents, filterMatched: result.filterMatched,
                    vectorCandidates: result.vectorCandidates, keywordCandidates: result.keywordCandidates,
                    bytesScanned: result.bytesScanned,
                    fusion: search.mode == .hybrid ? search.fusion.description : "none", terms: result.terms,
                    exact: true) : nil)
    }

    private struct Reason: Error { var text: String }

    private func vector(for text: String, in live: LiveIndex) async throws -> Result<[Float], Reason> {
        guard let space = live.space, live.index.statistics.vectors > 0 else {
            return .failure(Reason(text: "no note has been embedded yet; run `selene backfill`"))
        }
        do {
            let vector = try await embedder.vector(for: text, in: space)
            guard UnitVectorCheck.isUsable(vector) else {
                return .failure(Reason(text: "Ollama's vector for this query is zero or not finite"))
            }
            return .success(vector)
        } catch let error as SpaceMismatch {
            return .failure(Reason(text: error.reason))
        } catch let error as UpstreamError where error.code == .cancelled {
            throw CancellationError()
        } catch let error as UpstreamError {
            return .failure(Reason(text: error.message))
        }
    }
}

/// Whether a vector has a direction.
private enum UnitVectorCheck {
    static func isUsable(_ vector: [Float]) -> Bool {
        vector.allSatisfy(\.isFinite) && vector.contains { $0 != 0 }
    }
}

extension NoteFields {
    /// A stored note under the names of the API.
    init(_ note: Note) {
        self.init(
            id: note.id, title: note.title, content: note.content, createdAt: note.createdAt,
            noteType: note.noteType, actionability: note.actionability, primaryTheme: note.primaryTheme,
            concepts: note.concepts, tags: note.tags,
            threads: note.threads.map { ThreadReference(id: $0.id, name: $0.name) })
    }
}

extension HitExplanation {
    init(_ hit: Hit, note: Note, result: HybridResult) {
        func leg(_ score: LegScore) -> Leg {
            Leg(rank: score.rank, score: score.score, normalised: score.normalised, weight: score.weight)
        }
        var spans: [Span] = []
        for (field, text) in [("title", note.title), ("content", note.content)] {
            spans += result.spans(in: text).map {
                Span(field: field, start: $0.range.lowerBound, end: $0.range.upperBound, term: $0.term)
            }
        }
        let matched = Set(spans.map(\.term))
        self.init(
            vector: hit.vector.map(leg), keyword: hit.keyword.map(leg),
            matchedTerms: result.terms.filter(matched.contains), spans: spans)
    }
}
