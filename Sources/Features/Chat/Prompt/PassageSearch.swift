import Access
import GatewayAPI
import Inference
import Prompts
import Retrieval
import Search
import Tools

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The first search of a run: the passages that the question needs.
struct PassageSearch: Sendable {
    let notes: NoteSearch

    /// What a search found.
    struct Found: Sendable {
        var search: ChatSearch
        /// The passages, best first; numbers are given later.
        var passages: [ChatPassage] = []
        /// Private notes that were found and not used.
        var withheld: [Int64] = []
    }

    /// Searches the notes: for a model's rewriting and, beside it, for the person's own words. The results alternate, by their ranks.
    ///
    /// - Parameters:
    ///   - query: What to look for.
    ///   - hides: The notes that must not be used; nil for none.
    /// - Throws: ``StorageError``, `CancellationError`.
    func run(
        _ query: ContextualQuery, _ options: RunPlan.Options, hides: NotePrivacy?, for account: TokenAccount
    ) async throws -> Found {
        guard let own = query.own else {
            return try await run(query.text, rewritten: query.isRewritten, options, hides: hides, for: account)
        }
        async let others = run(own, rewritten: false, options, hides: hides, for: account)
        var found = try await run(query.text, rewritten: true, options, hides: hides, for: account)
        let more = try await others
        found.passages = Array(
            RankedLists.alternating(found.passages, more.passages) { $0.note == $1.note }.prefix(options.limit))
        found.withheld += more.withheld.filter { !found.withheld.contains($0) }
        return found
    }

    private func run(
        _ query: String, rewritten: Bool, _ options: RunPlan.Options, hides: NotePrivacy?, for account: TokenAccount
    ) async throws -> Found {
        var search = SearchQuery(HybridQuery(text: Self.bounded(query)))
        search.index.fusion = notes.defaultFusion
        search.index.explain = true
        // Private notes take places in the result, so more are asked for.
        search.index.limit = hides == nil ? options.limit : min(SearchQuery.maxLimit, options.limit * 3)
        search.account = account
        search.analyzes = true
        // A rewriting may take words of private notes from the conversation.
        search.mayTellPrivate = rewritten && hides == nil
        search.threads = SearchQuery.filled(options.scope?.thread?.values ?? [])
        search.index.filter.tags = SearchQuery.tags(options.scope?.tag?.values ?? [])
        search.index.filter.noteTypes = Set(SearchQuery.filled(options.scope?.noteType?.values ?? []))
        (search.index.filter.since, search.index.filter.until) = Self.span(options.scope?.timeScope)
        let found = try await notes.retrieve(search)
        var result = Found(
            search: ChatSearch(
                query: search.index.text, rewritten: rewritten, source: found.source,
                fallbackReason: found.fallbackReason, rerank: found.rerank))
        for hit in found.results where result.passages.count < options.limit {
            if let hides, hides.covers(hit.note) {
                result.withheld.append(hit.note.id)
                continue
            }
            let part = PassageCut.part(of: hit)
            guard !part.text.allSatisfy(\.isWhitespace) else { continue }
            result.passages.append(
                ChatPassage(
                    number: 0, note: hit.note.id, title: hit.note.title, date: String(hit.note.createdAt.prefix(10)),
                    text: part.text, range: part.range, score: hit.score,
                    why: ChatPassage.Why(
                        meaning: hit.explanation?.vector?.score, words: hit.explanation?.keyword?.rank,
                        terms: hit.explanation?.matchedTerms ?? [], rerank: hit.explanation?.rerank),
                    source: ChatPassage.search))
        }
        return result
    }

    /// The beginning of a text that fits a query.
    static func bounded(_ text: String) -> String {
        guard text.utf8.count > SearchQuery.maxTextBytes else { return text }
        return String(decoding: text.utf8.prefix(SearchQuery.maxTextBytes - 4), as: UTF8.self)
    }

    private static func span(_ scope: RetrieveRequest.TimeScope?) -> (Int64?, Int64?) {
        guard let scope else { return (nil, nil) }
        if let days = scope.days, days.isFinite {
            return (Int64(Date.now.timeIntervalSince1970 - min(max(0, days), 100_000) * 86_400), nil)
        }
        let until = scope.until.flatMap { text in
            Timestamp.unixSeconds(text).map { text.utf8.count == 10 ? $0 + 86_399 : $0 }
        }
        return (scope.since.flatMap(Timestamp.unixSeconds), until)
    }
}
