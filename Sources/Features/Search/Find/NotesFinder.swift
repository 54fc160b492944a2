package import Finding
package import GatewayAPI
import Questions
import Retrieval

/// Finds notes for the search over all kinds, by the search of the notes.
package struct NotesFinder: FindSource {
    package let kind = FindKind.notes
    package let usesMeaning = true
    package let scans = false
    private let search: NoteSearch

    package init(search: NoteSearch) { self.search = search }

    package func find(_ question: FindQuestion, byMeaning: Bool) async throws -> FindCandidates {
        var query = SearchQuery(
            HybridQuery(
                text: question.text, mode: byMeaning ? .hybrid : .keyword, limit: FindCandidates.most,
                fusion: search.defaultFusion))
        (query.account, query.rerank) = (question.account, false)
        let (reply, cut): (RetrieveResponse, String?)
        if question.operators.hasOperators {
            (reply, cut) = try await search.answer(query, to: question)
        } else {
            (reply, cut) = (try await search.retrieve(query), nil)
        }
        var found = FindCandidates(
            reply.results.map { FindCandidate($0.note, passage: $0.passage, question) },
            wordsOnly: reply.results.isEmpty || cut != nil ? nil : reply.fallbackReason)
        found.cut = cut
        return found
    }
}
