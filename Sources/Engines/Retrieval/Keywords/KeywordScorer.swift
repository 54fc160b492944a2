/// How the keyword leg scores documents.
///
/// Every scorer uses patterns for phrases and for words that a stemmer cannot handle: shorter than three characters, or
/// without ASCII letters and digits. In the mode ``RetrievalMode/keyword`` every scorer finds the same documents, those
/// that hold a word or a phrase of the query. With both legs, documents that share a stem with the query are found,
/// too.
public enum KeywordScorer: String, Sendable, Hashable, CaseIterable {
    /// Scores the query's words as patterns, which also match inside words.
    case like
    /// Scores words that share a stem with the query's words.
    case bm25
    /// The sum of both.
    case both
}
