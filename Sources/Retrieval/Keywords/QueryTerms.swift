/// The patterns that the keyword leg looks for, made of a query and of phrases.
///
/// Words of the query are cut at white space and lose the punctuation of sentences at their ends; signs that can be
/// sought for (`%`, `_`, `+`, `#`, …) stay. Common English words are dropped as long as others remain. Phrases are taken
/// as they are.
struct QueryTerms: Sendable, Equatable {
    /// Patterns at most.
    static let maxTerms = 32
    /// Bytes of a folded pattern at most.
    static let maxTermBytes = 1024

    /// A pattern: as it was written, and folded.
    struct Term: Sendable, Equatable {
        var text: String
        var folded: [UInt8]
    }

    let terms: [Term]

    init(text: String, phrases: [String]) {
        var words = text.split(whereSeparator: \.isWhitespace).map(Self.trimmed).filter { !$0.isEmpty }
        let meaningful = words.filter { !Self.stopWords.contains($0.lowercased()) }
        if !meaningful.isEmpty || !phrases.allSatisfy(\.isBlank) { words = meaningful }
        var seen: Set<[UInt8]> = []
        var terms: [Term] = []
        for word in phrases.filter({ !$0.isBlank }) + words where terms.count < Self.maxTerms {
            let folded = TextFolding.fold(word)
            guard folded.count <= Self.maxTermBytes, seen.insert(folded).inserted else { continue }
            terms.append(Term(text: word, folded: folded))
        }
        self.terms = terms
    }

    private static func trimmed(_ word: Substring) -> String {
        let core = word.drop { punctuation.contains($0) }
        guard let end = core.lastIndex(where: { !punctuation.contains($0) }) else { return String(word) }
        return String(core[...end])
    }

    private static let punctuation: Set<Character> = Set(".,;:!?\"'()[]{}<>«»„“”‚‘’…—–-*`~。、，．！？：；「」『』（）【】¿¡")

    /// Words that stand in most English texts and tell nothing about any.
    private static let stopWords: Set<String> = Set(
        """
        a about after all also am an and any are as at be because been before being between both but by can could did do
        does doing down during each few for from further had has have having he her here hers him his how i if in into is
        it its itself just me more most my no nor not now of off on once only or other our out over own same she should
        so some such than that the their them then there these they this those through to too under until up us very was
        we were what when where which while who whom why will with would you your
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}

extension String {
    /// Whether nothing but white space is in it.
    var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
