package import Access
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

        package init(text: String, books: [Int64]? = nil) {
            self.text = text
            self.books = books
        }
    }

    /// The fusion of books; the measurements are in Benchmarks/RESULTS.md. Words count three times as much as meaning: short
    /// passages of one book are alike in meaning, and questions about it name what they look for.
    package static let fusion = FusionMethod.convex(alpha: 0.25)
    /// The keyword scorer of books.
    package static let scorer = KeywordScorer.bm25
    /// Passages that are ranked for each one that is returned, since passages of one region are merged.
    private static let spare = 4
    /// The bytes by which a hit grows at each end to become a whole paragraph, at most.
    private static let widening = 400
    /// The weight of a hit's book among the best hits.
    private static let bookWeight = 0.3
    /// The best hits, which tell the books.
    private static let leadingHits = 10
    /// The bytes within which a hit takes whole sentences before and after it: what answers a question often begins or ends
    /// just outside of the passage. More before it costs the sets of `selene eval books` more than it finds.
    private static let growth = (before: 120, after: 250)
    /// The shortest rest of a result, in bytes, once what earlier results hold is cut off. A shorter one gives its place away.
    private static let leastRest = 200
    /// The largest region that passages are merged into, in bytes. Larger ones find little more, and models read more.
    private static let largestRegion = 2000
    /// The best hits, which make regions larger. A later one says less about the region that it is near.
    private static let joiningHits = 12

    private let store: BookStore
    package let index: BookIndex
    private let embedder: QueryEmbedder
    private let rerank: RerankStage
    /// Admits searches of the index.
    private let searches = KeyShare(.searches)

    package init(
        database: GatewayDatabase, embedder: QueryEmbedder, rerank: RerankStage = .none, logger: Logger
    ) {
        self.rerank = rerank
        store = database.books
        index = BookIndex(database: database, logger: logger)
        self.embedder = embedder
    }

    /// A region of a book made of one hit or several.
    private struct Region {
        var hit: Hit
        var book: Int64
        var range: Range<Int>
        var passage: BookPassageText
        var place: RerankedPlace?
    }

    /// The choice of a reranker for a query that a model wrote.
    ///
    /// - Parameter mayTellPrivate: Whether the query may tell of private books.
    package func rerankOption(mayTellPrivate: Bool) -> RerankOption? {
        rerank.option(mayTellPrivate: mayTellPrivate)
    }

    /// Finds passages.
    ///
    /// Without a query vector, words answer and the reply gives the reason.
    ///
    /// - Throws: ``StorageError/Code/notFound`` for a book that does not exist, ``RetrievalError``, `CancellationError`.
    package func retrieve(_ asked: Query) async throws -> BookRetrieveResponse {
        let candidates = rerank.candidates(asked.rerank, usually: true)
        var query = asked
        // A longer list has the same beginning.
        query.limit = max(asked.limit, candidates ?? 0)
        var titles: [Int64: Book] = [:]
        for id in query.books ?? [] { titles[id] = try await store.find(id) }
        let live = try await index.current()
        let search = try await search(query, live)
        var result = try await searches.run(query.account.name) { try await live.index.search(search.query) }
        if query.books?.count != 1 { result.hits = Self.favouringBooks(result.hits) }
        var regions: [Region] = []
        var start = 0
        let step = max(24, query.limit * Self.spare)
        // Regions that earlier results hold give their places away.
        var wanted = query.limit + query.limit / 2 + 3
        // Loads as many passages as that needs.
        func load() async throws {
            while regions.count < wanted, start < result.hits.count {
                let hits = Array(result.hits[start..<min(result.hits.count, start + step)])
                try await merge(hits, from: start, query, live, &regions)
                start += step
            }
            for region in regions where titles[region.book] == nil {
                titles[region.book] = try? await store.find(region.book)
            }
        }
        try await load()
        // A book may have been deleted meanwhile.
        regions.removeAll { titles[$0.book] == nil }
        var report: RerankReport?
        if let candidates { report = try await reorder(&regions, first: candidates, titles, query) }
        var results: [BookPassage] = []
        var used = 0
        while results.count < asked.limit, used < regions.count {
            for region in regions[used...] where results.count < asked.limit {
                guard let book = titles[region.book] else { continue }
                let limit = query.ignoresPosition ? nil : live.books[region.book]?.position
                let whole = try await widened(region, before: limit, toParagraphs: query.widens)
                guard let range = try await rest(of: whole, in: book.id, after: results) else { continue }
                results.append(try await passage(region, of: book, range, result))
            }
            used = regions.count
            wanted += query.limit
            if results.count < asked.limit { try await load() }
        }
        let only = query.books?.count == 1 ? query.books?.first : nil
        return BookRetrieveResponse(
            results: results, source: search.query.mode == .keyword ? "keyword" : "hybrid",
            fallbackReason: search.fallbackReason,
            position: query.ignoresPosition ? nil : only.flatMap { live.books[$0]?.position }, rerank: report)
    }

    /// Lets the model reorder the first regions.
    private func reorder(
        _ regions: inout [Region], first count: Int, _ books: [Int64: Book], _ query: Query
    ) async throws -> RerankReport {
        let head = Array(regions.prefix(count))
        var candidates: [RerankStage.Candidate] = []
        for region in head {
            var text = region.passage.text
            if region.range != region.passage.passage.range {
                text = try await store.part(of: region.book, region.range).view.text
            }
            candidates.append(
                RerankStage.Candidate(
                    heading: region.passage.heading ?? "", text: text,
                    isPrivate: books[region.book]?.isPrivate ?? true))
        }
        let reordered = try await rerank.reorder(candidates, for: query.text, account: query.account)
        for (place, before) in reordered.order.enumerated() {
            regions[place] = head[before]
            regions[place].place = reordered.place(before)
        }
        return reordered.report
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
            let vector = try await embedder.vector(for: query.text, in: space, account: query.account)
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

    /// Adds hits to the regions, best first. One of the best hits joins a region that it overlaps in one paragraph; the limit of
    /// the query does not matter for that, so that more results never change the first ones.
    private func merge(
        _ hits: [Hit], from first: Int, _ query: Query, _ live: LiveBooks, _ regions: inout [Region]
    ) async throws {
        var numbers: [Int64: [Int]] = [:]
        for hit in hits {
            let place = LiveBooks.passage(hit.id)
            numbers[place.book, default: []].append(place.number)
        }
        var texts: [Int64: BookPassageText] = [:]
        for (book, wanted) in numbers {
            for passage in try await store.passages(of: book, numbers: wanted) {
                texts[LiveBooks.id(book, passage.passage.number)] = passage
            }
        }
        for (rank, hit) in zip(first..., hits) {
            guard let passage = texts[hit.id] else { continue }
            let range = passage.passage.range
            // The index and the rows are read one after another, and the position may have moved in between.
            if !query.ignoresPosition, let limit = live.books[passage.book]?.position, range.upperBound > limit {
                continue
            }
            if rank < Self.joiningHits, let near = try await self.region(near: range, of: passage.book, in: regions) {
                regions[near.index].range = near.union
            } else {
                regions.append(Region(hit: hit, book: passage.book, range: range, passage: passage))
            }
        }
    }

    /// The region that a passage overlaps, and what both are together: not too large, and in one paragraph.
    private func region(
        near range: Range<Int>, of book: Int64, in regions: [Region]
    ) async throws -> (index: Int, union: Range<Int>)? {
        for (index, region) in regions.enumerated() where region.book == book && region.range.overlaps(range) {
            let union =
                min(region.range.lowerBound, range.lowerBound)..<max(region.range.upperBound, range.upperBound)
            guard union.count <= Self.largestRegion else { continue }
            let text = try await store.text(of: book, in: union).text
            if !NearSentences.hasParagraphBorder(Array(text.utf8)) { return (index, union) }
        }
        return nil
    }

    private func passage(
        _ region: Region, of book: Book, _ range: Range<Int>, _ result: HybridResult
    ) async throws -> BookPassage {
        let (hit, passage) = (region.hit, region.passage)
        var text = passage.text
        if range != passage.passage.range { text = try await store.part(of: book.id, range).view.text }
        let pages = try await store.pages(
            of: [range.lowerBound, max(range.lowerBound, range.upperBound - 1)], in: book.id)
        let found = Set(result.spans(in: text).map(\.term))
        return BookPassage(
            book: book.id, title: book.title, start: range.lowerBound, end: range.upperBound, page: pages[0].number,
            label: pages[0].label, lastPage: pages[1].number, heading: passage.heading, text: text, score: hit.score,
            why: BookPassage.Reason(
                meaning: hit.vector?.rank, similarity: hit.vector?.score, words: hit.keyword?.rank,
                terms: result.terms.filter(found.contains), rerank: region.place))
    }

    /// What no earlier result holds of a range, without white space at its ends; nil when that is little. So no text is
    /// given twice.
    private func rest(of range: Range<Int>, in book: Int64, after earlier: [BookPassage]) async throws -> Range<Int>? {
        var (start, end) = (range.lowerBound, range.upperBound)
        for other in earlier where other.book == book && other.start < end && other.end > start {
            // The longer side of what is left.
            if other.start - start >= end - other.end { end = other.start } else { start = min(end, other.end) }
        }
        guard start > range.lowerBound || end < range.upperBound else { return range }
        guard end - start > Self.leastRest else { return nil }
        let found = try await store.text(of: book, in: start..<end)
        let bytes = Array(found.text.utf8)
        let first = bytes.firstIndex { $0 > 0x20 } ?? bytes.count
        let last = bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? first
        return first < last ? found.range.lowerBound + first..<found.range.lowerBound + last : nil
    }

    /// The region with near sentences and, if they are short, the rest of the paragraphs at its ends; never beyond the limit or
    /// a heading.
    private func widened(
        _ region: Region, before limit: Int?, toParagraphs: Bool
    ) async throws -> Range<Int> {
        let own = region.range
        var around = max(0, own.lowerBound - Self.growth.before)..<own.upperBound + Self.growth.after
        let blocks = try await store.blocks(of: region.book, touching: around)
        for heading in blocks where heading.kind == DocumentBlock.Kind.heading.rawValue {
            if heading.start <= own.lowerBound {
                around = max(around.lowerBound, heading.start)..<around.upperBound
            } else if heading.start >= own.upperBound {
                around = around.lowerBound..<min(around.upperBound, heading.start)
            }
        }
        let found = try await store.text(of: region.book, in: around)
        let bytes = Array(found.text.utf8)
        let (before, after) = (own.lowerBound - found.range.lowerBound, own.upperBound - found.range.lowerBound)
        var range = own
        if (0...bytes.count).contains(before), (before...bytes.count).contains(after) {
            let start = NearSentences.firstStart(in: Array(bytes[..<before])).map { found.range.lowerBound + $0 }
            let end = NearSentences.lastEnd(in: Array(bytes[after...])).map { own.upperBound + $0 }
            range = (start ?? own.lowerBound)..<(end ?? own.upperBound)
        }
        for block in blocks where toParagraphs && block.start < range.upperBound && block.end > range.lowerBound {
            if block.start < range.lowerBound, range.lowerBound - block.start <= Self.widening {
                range = block.start..<range.upperBound
            }
            if block.end > range.upperBound, block.end - range.upperBound <= Self.widening {
                range = range.lowerBound..<block.end
            }
        }
        guard let limit, range.upperBound > limit else { return range }
        return range.lowerBound..<max(range.lowerBound, limit)
    }
}
