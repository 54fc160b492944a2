package import Access
import BookRoom
package import Database
import Documents
package import GatewayAPI
package import Logging
package import Retrieval
package import Search
package import Storage
import Transport

/// Finds passages of books by meaning and by words, within what the reader has read.
package struct BookRetrieval: Sendable {
    /// A validated query.
    package struct Query: Sendable {
        package var text: String
        /// The books to search; nil for all.
        package var books: [Int64]?
        package var limit = 6
        /// Whether passages beyond the reading position may be found. Only the reader may ask for this.
        package var ignoresPosition = false
        /// The caller, for a fair share of the upstream and of searches, and the payer for the query's vector.
        package var account = TokenAccount.local
        /// How the legs are fused; nil for the default of books.
        package var fusion: FusionMethod?
        package var scorer: KeywordScorer?
        /// Whether results grow to whole paragraphs.
        package var widens = true
        /// Whether a model reorders the best results; nil: if one is set.
        package var rerank: RerankOption?
        /// Whether the query is embedded; else words answer.
        package var usesVectors = true
        /// Whether the text may tell of private books, as one that a model wrote may. It is then sent to no model on another
        /// machine.
        package var mayTellPrivate = false

        package init(text: String, books: [Int64]? = nil) {
            self.text = text
            self.books = books
        }

        /// The same query with another limit.
        fileprivate func limited(to limit: Int) -> Query {
            var query = self
            query.limit = limit
            return query
        }
    }

    /// The fusion of books; the measurements are in Benchmarks/RESULTS.md. Words count three times as much as meaning: short
    /// passages of one book are alike in meaning, and questions about it name what they look for.
    package static let fusion = FusionMethod.convex(alpha: 0.25)
    /// The keyword scorer of books.
    package static let scorer = KeywordScorer.bm25
    /// Passages that are ranked for each one that is returned, since passages of one region are merged.
    private static let spare = 4
    /// The weight of a hit's book among the best hits.
    private static let bookWeight = 0.3
    /// The best hits, which tell the books.
    private static let leadingHits = 10
    private let store: BookRoom
    package let index: BookIndex
    private let embedder: QueryEmbedder
    private let rerank: RerankStage
    /// Admits searches of the index.
    private let searches = KeyConcurrencyLimiter(.searches)

    package init(
        store base: any SQLStore, activeSpace: @escaping @Sendable () async throws -> StoredSpace?,
        embedder: QueryEmbedder, rerank: RerankStage = .none, logger: Logger
    ) {
        self.rerank = rerank
        store = base.books
        index = BookIndex(store: base, activeSpace: activeSpace, logger: logger)
        self.embedder = embedder
    }

    /// Finds passages.
    ///
    /// Without a query vector, words answer and the reply gives the reason.
    ///
    /// - Throws: ``StorageError/Code/notFound`` for a book that does not exist, ``RetrievalError``, `CancellationError`.
    package func retrieve(_ asked: Query) async throws -> BookRetrieveResponse {
        let option = asked.mayTellPrivate ? await rerank.optionForPrivate ?? asked.rerank : asked.rerank
        let candidates = rerank.candidates(option, usually: true)
        // A longer list has the same beginning.
        let query = asked.limited(to: max(asked.limit, candidates ?? 0))
        let wanted = try await names(of: query.books ?? [])
        let live = try await index.current()
        let search = try await search(query, live)
        var result = try await searches.run(query.account.name) { try await live.index.search(search.query) }
        if query.books?.count != 1 { result.hits = Self.favouringBooks(result.hits) }
        let empty = BookRegions(
            hits: result.hits, names: wanted, live: live, ignoresPosition: query.ignoresPosition,
            widens: query.widens, step: max(24, query.limit * Self.spare))
        var regions = try await store.reading { books in
            var regions = empty
            // Regions that earlier results hold give their places away.
            try regions.load(query.limit + query.limit / 2 + 3, books)
            return regions
        }
        var report: RerankReport?
        if let candidates { report = try await reorder(&regions, first: candidates, query) }
        let found = try await store.reading { [regions] books in
            var regions = regions
            return try regions.results(asked.limit, more: query.limit, books)
        }
        let only = query.books?.count == 1 ? query.books?.first : nil
        return BookRetrieveResponse(
            results: found.map { passage($0, result) }, source: search.query.mode == .keyword ? "keyword" : "hybrid",
            fallbackReason: search.fallbackReason,
            position: query.ignoresPosition ? nil : only.flatMap { live.books[$0]?.position }, rerank: report)
    }

    /// The names of the books that a query asks for.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    private func names(of books: [Int64]) async throws -> [Int64: BookSnapshot.Name] {
        guard !books.isEmpty else { return [:] }
        return try await store.reading { reader in
            try books.reduce(into: [:]) { names, id in
                guard let name = try reader.name(of: id) else {
                    throw StorageError(.notFound, "there is no book \(id)")
                }
                names[id] = name
            }
        }
    }

    /// Lets the model reorder the first regions.
    private func reorder(
        _ regions: inout BookRegions, first count: Int, _ query: Query
    ) async throws -> RerankReport {
        let candidates = try await store.reading { [regions] books in
            try regions.first(count, books).map {
                RerankStage.Candidate(
                    heading: $0.region.passage.heading ?? "", text: $0.text, isPrivate: $0.isPrivate)
            }
        }
        let reordered = try await rerank.reorder(candidates, for: query.text, account: query.account)
        regions.reorder(reordered.order) { reordered.place($0) }
        return reordered.report
    }

    private func passage(_ found: BookRegions.Result, _ result: HybridResult) -> BookPassage {
        let (hit, range) = (found.region.hit, found.range)
        let terms = Set(result.spans(in: found.text).map(\.term))
        return BookPassage(
            book: found.region.book, title: found.title, start: range.lowerBound, end: range.upperBound,
            page: found.page, label: found.label, lastPage: found.lastPage, heading: found.region.passage.heading,
            text: found.text, score: hit.score,
            why: BookPassage.Reason(
                meaning: hit.vector?.rank, similarity: hit.vector?.score, words: hit.keyword?.rank,
                terms: result.terms.filter(terms.contains), rerank: found.region.place))
    }

    /// Ranks the hits of the books higher that the best hits come from. Over a library this tells the book that a question
    /// is about; the weight was chosen on the sets of `selene eval books`.
    static func favouringBooks(_ hits: [Hit]) -> [Hit] {
        guard let best = hits.first?.score, best > 0 else { return hits }
        var shares: [Int64: Double] = [:]
        for hit in hits.prefix(leadingHits) { shares[LiveBooks.passage(hit.id).book, default: 0] += hit.score }
        let largest = shares.values.max() ?? best
        guard largest > 0 else { return hits }
        var ranked = hits
        for index in ranked.indices {
            let share = shares[LiveBooks.passage(ranked[index].id).book] ?? 0
            ranked[index].score += bookWeight * best * share / largest
        }
        return ranked.sorted { $0.score != $1.score ? $0.score > $1.score : $0.id < $1.id }
    }

    private func search(
        _ query: Query, _ live: LiveBooks
    ) async throws -> (query: HybridQuery, fallbackReason: String?) {
        var search = HybridQuery(
            text: query.text, limit: min(HybridQuery.maxLimit, max(200, query.limit * Self.spare)),
            fusion: query.fusion ?? Self.fusion, scorer: query.scorer ?? Self.scorer, explain: true)
        search.needsPattern = false
        // Questions about books are short and have few right passages, so feedback misleads them.
        search.feedback = nil
        search.filter.ids = live.ranges(of: query.books, ignoresPosition: query.ignoresPosition)
        do {
            search.vector = try await vector(query, live)
            return (search, nil)
        } catch let error as NoVector {
            search.mode = .keyword
            return (search, error.reason)
        }
    }

    private struct NoVector: Error { var reason: String }

    private func vector(_ query: Query, _ live: LiveBooks) async throws -> [Float] {
        guard query.usesVectors else { throw NoVector(reason: "only words were asked for") }
        guard let space = live.space, live.index.statistics.vectors > 0 else {
            throw NoVector(reason: "no passage has been embedded yet")
        }
        do {
            let vector = try await embedder.vector(
                for: query.text, in: space, account: query.account, mayTellPrivate: query.mayTellPrivate)
            guard vector.allSatisfy(\.isFinite), vector.contains(where: { $0 != 0 }) else {
                throw NoVector(reason: "Ollama's vector for this query is zero or not finite")
            }
            return vector
        } catch let error as SpaceMismatch {
            throw NoVector(reason: error.reason)
        } catch let error as UpstreamError where error.code == .cancelled {
            throw CancellationError()
        } catch let error as UpstreamError {
            throw NoVector(reason: error.message)
        }
    }
}
