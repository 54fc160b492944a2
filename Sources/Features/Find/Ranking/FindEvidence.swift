import Finding
import Text

/// What speaks for a hit, whatever its kind.
struct FindEvidence: Sendable {
    /// The rank in the search of its own kind, from 1.
    var rank: Int
    /// The words that it has.
    var words: [String]
    /// The share of the words that it has, by their weights; 0 without words.
    var coverage: Double
    /// The share of the words that its title has.
    var title: Double
    /// Whether its title is the text.
    var isExactTitle: Bool

    /// - Parameter text: The text of the search, folded.
    init(_ candidate: FindCandidate, rank: Int, words: [FindWord], text: String) {
        var (all, found, titled, names) = (0.0, 0.0, 0.0, [String]())
        for word in words {
            all += word.weight
            let isInTitle = word.needle.isIn(candidate.title)
            guard isInTitle || word.needle.isIn(candidate.text) else { continue }
            found += word.weight
            if isInTitle { titled += word.weight }
            names.append(word.text)
        }
        self.rank = rank
        self.words = names
        coverage = all > 0 ? found / all : 0
        title = all > 0 ? titled / all : 0
        isExactTitle = !text.isEmpty && TextFolding.folded(candidate.title) == text
    }
}
