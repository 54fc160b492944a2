import Access
import Concurrency
import GatewayAPI
import Retrieval

extension NoteSearch {
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
