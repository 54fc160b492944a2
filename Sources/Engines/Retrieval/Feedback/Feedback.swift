/// What the best documents of a first ranking add to a query before its candidates are scored a second time.
///
/// Pseudo relevance feedback: the query's vector moves towards the mean of the best documents (Rocchio, 1971), and words that
/// stand out in them are added to the query's own (Bo1 of divergence from randomness, Amati and van Rijsbergen, TOIS 2002). Only
/// the candidates of both legs are scored again, so there is no second pass over all documents.
///
/// Short questions say little about what else a good document holds, and feedback misleads them most. So its strength grows with
/// the number of the query's words. `Benchmarks/Ranking.md` has the measurements.
public struct Feedback: Sendable, Hashable {
    /// The best documents that are looked at.
    public var documents = 5
    /// The largest number of words that are added.
    public var words = 20
    /// The documents that must hold a word.
    public var holders = 2
    /// The weight of the strongest word, where a word of the query has 1, at most.
    public var wordWeight = 0.4
    /// The weight of all added words together, as a share of that of the query's words, at most.
    public var wordsShare = 0.15
    /// The weight of the documents' mean vector, where that of the query has 1.
    public var vectorWeight = 0.3
    /// The number of the query's distinct words up to which there is no feedback.
    public var leastWords = 4
    /// The number of the query's distinct words from which on feedback has its full strength.
    public var fullWords = 12

    /// The setting of every hybrid search that names no other.
    public static let standard = Feedback()

    /// Creates the standard setting.
    public init() {}

    /// The share of its full strength that feedback has for a query, 0 to 1.
    func strength(words: Int) -> Double {
        let span = max(1, fullWords - leastWords)
        return min(1, max(0, Double(words - leastWords) / Double(span)))
    }
}

/// What feedback did to a search.
public struct FeedbackReport: Sendable, Hashable {
    /// A word that was added.
    public struct Word: Sendable, Hashable {
        /// The word as one of the documents has it, folded.
        public var text: String
        /// The weight of its stem, where a word of the query has 1.
        public var weight: Double
    }

    /// The documents that were looked at, best first.
    public var documents: [Int64]
    /// The added words, the heaviest first.
    public var words: [Word]
    /// The weight of the documents' mean vector, where that of the query has 1.
    public var vectorWeight: Double
}
