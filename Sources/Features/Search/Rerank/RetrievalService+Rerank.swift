import Access
import Concurrency
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

extension RetrievalService {
    /// Lets the model reorder the first notes of a list.
    ///
    /// - Returns: What the model did.
    /// - Throws: `CancellationError` only.
    func reorder(
        _ notes: inout [FoundNote], first count: Int, _ search: HybridResult, for query: String,
        _ account: TokenAccount
    ) async throws -> RerankReport {
        let head = Array(notes.prefix(count))
        let bytes = head.reduce(0) { $0 + $1.note.content.utf8.count }
        let parts = try await LargeWork.shared.run(over: bytes, for: account.name) {
            head.map { Self.part(of: $0, search) }
        }
        let reordered = try await rerank.reorder(
            zip(head, parts).map { found, part in
                RerankStage.Candidate(
                    heading: found.note.title, text: part, isPrivate: rerank.withholds(found.note))
            }, for: query, account: account)
        for (place, before) in reordered.order.enumerated() {
            notes[place] = head[before]
            notes[place].place = reordered.place(before)
        }
        return reordered.report
    }

    /// What the model reads of a note: all of a short one, else the part that matches best.
    private static func part(of found: FoundNote, _ search: HybridResult) -> String {
        let content = found.note.content
        guard content.utf8.count > PassageCut.maxBytes, found.passage == nil else {
            return PassageCut.part(of: found.result(nil)).text
        }
        return PassageCut.around(search.spans(in: content).first?.range.lowerBound ?? 0, in: content).text
    }
}
