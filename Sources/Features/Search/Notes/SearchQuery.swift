package import Access
package import GatewayAPI
package import Retrieval
import Text

/// A validated search of the notes, with the parts that must be resolved before the index can answer.
///
/// Routes and the command line create it from a `RetrieveRequest`, which checks every field.
package struct SearchQuery: Sendable {
    /// The maximum number of results.
    package static let maxLimit = 100
    /// The maximum size of the text in bytes.
    package static let maxTextBytes = 16 << 10
    /// The maximum number of phrases, and of threads.
    package static let maxKeywords = 32
    /// The maximum size of one phrase in bytes.
    package static let maxKeywordBytes = 1024

    /// The query for the index, without the query's vector and the ids of ``threads``.
    package var index: HybridQuery
    /// Threads by id or name; notes must be in one of them. Empty for any.
    package var threads: [String] = []
    /// The caller, for a fair share of the upstream and of searches, and the payer for the query's vector.
    package var account = TokenAccount.local

    /// Whether the text is read as a question, see ``QuestionReader``.
    package var analyzes = false

    /// Whether operators such as `tag:` are read in the text, see ``OperatorReader``.
    package var readsOperators = false

    /// Whether a model reorders the best results; nil for what ``RerankStage`` does usually.
    package var rerank: RerankOption?

    /// Whether results have the place that matched, see ``Snippet``.
    package var hasSnippets = false
    /// Whether results have the whole text.
    package var hasContent = true

    /// Whether the text may tell of private notes, as one that a model wrote may. It is then sent to no model on another machine.
    package var mayTellPrivate = false

    package init(_ index: HybridQuery) { self.index = index }

    /// The values of a filter: an empty one filters nothing, as clients and models fill in what they leave out.
    package static func filled(_ values: [String]) -> [String] { values.filter { !$0.isBlank } }

    /// The tags of a filter, with and without the sign before them, since notes of other programs may keep it.
    package static func tags(_ values: [String]) -> Set<String> {
        Set(
            filled(values).flatMap { value -> [String] in
                let name = value.drop { $0 == "#" || $0 == " " }
                return name.isEmpty ? [value] : [String(name), "#" + name]
            })
    }

    /// A search for the notes nearest to a note, by its stored vectors.
    ///
    /// - Parameter limit: 1 to ``maxLimit``.
    package static func nearest(limit: Int, account: TokenAccount = .local) -> SearchQuery {
        var query = SearchQuery(HybridQuery(text: "", mode: .vector, limit: limit))
        query.account = account
        return query
    }
}
