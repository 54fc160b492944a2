import Access
import GatewayAPI
import Retrieval

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
        let reordered = try await rerank.reorder(
            head.map { found in
                RerankStage.Candidate(
                    heading: found.note.title, text: Self.part(of: found, search),
                    isPrivate: rerank.withholds(found.note))
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
