package import Access
package import Retrieval

/// A checked search of the notes: what the index is asked, and what is resolved before it can be.
///
/// Routes and the command line make it from a `RetrieveRequest`, which checks every field.
package struct SearchQuery: Sendable {
    /// Results of one search at most.
    package static let maxLimit = 100
    /// Bytes of the text at most.
    package static let maxTextBytes = 16 << 10
    /// Phrases at most, and threads.
    package static let maxKeywords = 32
    /// Bytes of one phrase at most.
    package static let maxKeywordBytes = 1024

    /// What the index is asked, still without the query's vector and the ids of ``threads``.
    package var index: HybridQuery
    /// Threads by id or name, of which notes must have one; any when empty.
    package var threads: [String] = []
    /// Who asks, for a fair share of the upstream and of searches, and pays for the query's vector.
    package var account = TokenAccount.local

    package init(_ index: HybridQuery) { self.index = index }

    /// A search for the notes nearest to one, by its stored vectors.
    ///
    /// - Parameter limit: 1 to ``maxLimit``.
    package static func nearest(limit: Int, account: TokenAccount = .local) -> SearchQuery {
        var query = SearchQuery(HybridQuery(text: "", mode: .vector, limit: limit))
        query.account = account
        return query
    }
}
