import BookRoom
package import Finding
package import GatewayAPI
import Questions
import Text

/// Finds books by their titles and passages up to the reading position, for the search over all kinds.
package struct LibraryFinder: FindSource {
    /// The books whose titles are compared, the latest first.
    private static let mostBooks = 1000
    /// The most passages of a search: a list shows three of a book.
    private static let mostPassages = 40

    package let kind = FindKind.books
    package let usesMeaning = true
    package let scans = false
    private let retrieval: BookRetrieval
    private let store: BookRoom

    package init(_ library: BookLibrary) { (retrieval, store) = (library.retrieval, library.store) }

    package func find(_ question: FindQuestion, byMeaning: Bool) async throws -> FindCandidates {
        let operators = question.operators
        // Passages have no tags and no dates. Filters by the book are the same for all of its passages.
        guard operators.days == nil, operators.filters.allSatisfy({ [.book, .title, .in].contains($0.name) }) else {
            return FindCandidates()
        }
        let filter = FindFilter(question)
        let all = try await store.reading { try $0.titles(limit: Self.mostBooks) }
        let books = operators.filters.isEmpty ? all : all.filter { filter.mayBe(Self.candidate($0.id, $0.title)) }
        guard !books.isEmpty else { return FindCandidates() }
        let words = GroupNeedles(question.groups)
        let titled = books.filter { words.areIn([$0.title]) }.map { Self.candidate($0.id, $0.title) }
        guard !question.words.isEmpty else { return FindCandidates(titled) }
        var query = BookRetrieval.Query(text: question.text)
        if !operators.filters.isEmpty { query.books = books.map(\.id).sorted() }
        (query.limit, query.widens, query.rerank) = (Self.mostPassages, false, false)
        (query.usesVectors, query.account) = (byMeaning, question.account)
        let reply = try await retrieval.retrieve(query)
        let passages = reply.results.map { passage in
            var candidate = Self.candidate(passage.book, passage.title)
            candidate.text = passage.text
            candidate.place = FindHit.Place(
                start: passage.start, end: passage.end, page: passage.page, label: passage.label,
                heading: passage.heading)
            return candidate
        }
        return FindCandidates(titled + passages, wordsOnly: passages.isEmpty ? nil : reply.fallbackReason)
    }

    private static func candidate(_ id: Int64, _ title: String) -> FindCandidate {
        var candidate = FindCandidate(id: String(id), title: title, text: "")
        candidate.group = String(id)
        candidate.labels.book = title
        candidate.labels.places = [title]
        return candidate
    }
}
