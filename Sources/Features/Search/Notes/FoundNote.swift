import GatewayAPI
import Retrieval
import Text

/// A found note on its way into a reply.
struct FoundNote {
    var hit: Hit
    var note: Note
    var passage: RetrievedNote.Passage?
    var place: RerankedPlace?

    /// The result for a reply.
    ///
    /// - Parameter explained: The search, to explain the rank; nil for no explanation.
    func result(_ explained: HybridResult?) -> RetrievedNote {
        RetrievedNote(
            note: note, score: hit.score, passage: passage,
            explanation: explained.map { HitExplanation(hit, note: note, rerank: place, result: $0) })
    }

    /// The result for a reply, as a query wants it.
    func result(_ search: HybridResult, for query: SearchQuery) -> RetrievedNote {
        var result = result(query.index.explain ? search : nil)
        if query.hasSnippets { result.note.snippet = snippet(search, result.explanation) }
        if !query.hasContent { result.note.content = "" }
        return result
    }

    /// The place that matched.
    private func snippet(_ search: HybridResult, _ explanation: HitExplanation?) -> String {
        let range = passage.map { $0.start..<$0.end }
        var matches: [Snippet.Match]
        if let explanation {
            matches = explanation.spans.filter { $0.field == "content" }
                .map { Snippet.Match(range: $0.start..<$0.end, term: $0.term) }
        } else {
            // Only the passage of a long note is read for its matches.
            let part = range.map { UTF8Border.part(of: note.content, $0) } ?? (range: 0..<0, text: note.content)
            matches = search.spans(in: part.text).map {
                let start = part.range.lowerBound + $0.range.lowerBound
                return Snippet.Match(range: start..<start + $0.range.count, term: $0.term)
            }
        }
        return Snippet.line(of: note.content, title: note.title, matches: matches, passage: range)
    }
}

extension RetrievalSummary {
    init(_ search: HybridQuery, _ result: HybridResult, by searcher: String?) {
        self.init(
            documents: result.documents, filterMatched: result.filterMatched,
            vectorCandidates: result.vectorCandidates, keywordCandidates: result.keywordCandidates,
            keywordMatches: result.keywordMatches ?? 0, bytesScanned: result.bytesScanned,
            fusion: search.mode == .hybrid ? search.fusion.description : "none", terms: result.terms,
            exact: result.plan == .exact && result.index == nil, plan: result.index ?? result.plan.rawValue,
            measuredRecall: result.measuredRecall, scorer: search.scorer.rawValue,
            keywordPlans: result.plans.map { $0?.rawValue ?? "stems" }, sharedPass: result.batch,
            feedback: result.feedback.map(FeedbackSummary.init))
        searchedBy = searcher
    }
}

extension FeedbackSummary {
    fileprivate init(_ report: FeedbackReport) {
        self.init(
            notes: report.documents, words: report.words.map { Word(text: $0.text, weight: $0.weight) },
            vectorWeight: report.vectorWeight)
    }
}

extension HitExplanation {
    init(_ hit: Hit, note: Note, rerank: RerankedPlace? = nil, result: HybridResult) {
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
            vector: hit.vector.map(leg), keyword: hit.keyword.map(leg), relevance: hit.relevance,
            firstRank: hit.firstRank, recency: hit.recency, similarity: hit.similarity, rerank: rerank,
            matchedTerms: result.terms.filter(matched.contains), spans: spans)
    }
}
