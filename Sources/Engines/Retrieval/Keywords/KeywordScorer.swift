/// How the keyword leg orders documents.
///
/// Phrases, and words that a stemmer has no say in (shorter than three characters, or without ASCII letters and digits),
/// are patterns in every scorer. In the mode ``RetrievalMode/keyword`` every scorer finds the same documents, those that
/// hold a word or a phrase of the query; with both legs, documents that share a stem with the query are found, too.
public enum KeywordScorer: String, Sendable, Hashable, CaseIterable {
    /// Occurrences of the query's words as patterns, inside words, too.
    case like
    /// Words that share a stem with the query's words.
    case bm25
    /// Both, added up.
    case both
}
