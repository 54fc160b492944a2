import Text

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
        /// The stems of its words; none for a phrase.
        var stems: [[UInt8]] = []
        /// How often it stands in the query.
        var repeats = 1
        /// Whether it is a pattern in every scorer, and not its stems alone in some.
        var isPattern = true
    }

    let terms: [Term]

    init(text: String, phrases: [String]) {
        var words = text.split(whereSeparator: \.isWhitespace).map(Self.trimmed).filter { !$0.isEmpty }
        let meaningful = words.filter { !Self.stopWords.contains($0.lowercased()) }
        if !meaningful.isEmpty || !phrases.allSatisfy(\.isBlank) { words = meaningful }
        var places: [[UInt8]: Int] = [:]
        var terms: [Term] = []
        for phrase in phrases where !phrase.isBlank && terms.count < Self.maxTerms {
            let folded = TextFolding.fold(phrase)
            guard folded.count <= Self.maxTermBytes, places.updateValue(terms.count, forKey: folded) == nil else {
                continue
            }
            terms.append(Term(text: phrase, folded: folded))
        }
        let phraseCount = terms.count
        for word in words {
            let folded = TextFolding.fold(word)
            if let place = places[folded] {
                // A phrase is one pattern however often its words stand beside it.
                if place >= phraseCount { terms[place].repeats += 1 }
                continue
            }
            guard folded.count <= Self.maxTermBytes, terms.count < Self.maxTerms else { continue }
            places[folded] = terms.count
            let stems = Self.stems(of: folded)
            terms.append(Term(text: word, folded: folded, stems: stems.all, isPattern: !stems.suffice))
        }
        self.terms = terms
    }

    /// The stems of a folded word of the query, and whether they can stand for it.
    ///
    /// They can when it has three characters and a part of as many with an ASCII letter or digit: `C++`, `50%` and `日本`
    /// would lose what makes them particular. Parts of scripts other than Latin count as they are written.
    private static func stems(of folded: [UInt8]) -> (all: [[UInt8]], suffice: Bool) {
        var stems: [[UInt8]] = []
        var suffice = false
        for run in WordBytes.runs(in: folded).map({ Array(folded[$0]) }) {
            for range in WordSplitter.words(in: run) where range.count > 1 {
                let word = Array(run[range])
                let isASCII = word.contains { $0 < 0x80 }
                if isASCII, word.count > 2 { suffice = true }
                stems.append(EnglishStemmer.stem(word))
            }
        }
        return (stems, suffice)
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
