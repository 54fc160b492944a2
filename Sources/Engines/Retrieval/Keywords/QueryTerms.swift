import Text

/// The patterns that the keyword leg searches for, from a query and phrases.
///
/// Words of the query are cut at white space, and sentence punctuation at their ends is removed. Signs that can be
/// searched for (`%`, `_`, `+`, `#`, …) stay. Common English words are dropped as long as others remain. Phrases are
/// used unchanged.
struct QueryTerms: Sendable, Equatable {
    /// The largest number of patterns.
    static let maxTerms = 32
    /// The largest size of a folded pattern in bytes.
    static let maxTermBytes = 1024

    /// A pattern, as written and folded.
    struct Term: Sendable, Equatable {
        var text: String
        var folded: [UInt8]
        /// The stems of its words; empty for a phrase.
        var stems: [[UInt8]] = []
        /// Keys of words that differ from its words only by their marks (``WordStems``).
        var looseKeys: [[UInt8]] = []
        /// Parts of a word of a script without spaces that may stand for it.
        var parts = SpacelessParts()
        /// How often the query repeats it.
        var repeats = 1
        /// Whether every scorer uses the pattern, instead of only its stems in some.
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
                // A phrase is one pattern, however often its words appear elsewhere in the query.
                if place >= phraseCount { terms[place].repeats += 1 }
                continue
            }
            guard folded.count <= Self.maxTermBytes, terms.count < Self.maxTerms else { continue }
            places[folded] = terms.count
            let stems = Self.stems(of: folded)
            terms.append(
                Term(
                    text: word, folded: folded, stems: stems.all, looseKeys: stems.loose, parts: SpacelessParts(folded),
                    isPattern: !stems.suffice))
        }
        self.terms = terms
    }

    /// Returns the stems of a folded word of the query, and whether they can replace it.
    ///
    /// They can when the word has three characters, and a part of three or more with an ASCII letter or digit. `C++`,
    /// `50%` and `日本` would lose their meaning. Parts in scripts other than Latin are not stemmed.
    private static func stems(of folded: [UInt8]) -> (all: [[UInt8]], loose: [[UInt8]], suffice: Bool) {
        var (stems, loose) = ([[UInt8]](), [[UInt8]]())
        var suffice = false
        for run in WordBytes.runs(in: folded).map({ Array(folded[$0]) }) {
            for range in WordSplitter.words(in: run) where range.count > 1 {
                let word = Array(run[range])
                let isASCII = word.contains { $0 < 0x80 }
                if isASCII, word.count > 2 { suffice = true }
                stems.append(EnglishStemmer.stem(word))
                if SpacelessParts.hasMarks(word) { loose += WordStems.looseKeys(of: word) }
            }
        }
        return (stems, loose, suffice)
    }

    /// Whether a folded word appears in most English texts and selects none.
    static func isStopWord(_ word: ArraySlice<UInt8>) -> Bool {
        word.count <= 10 && stopWords.contains(String(decoding: word, as: UTF8.self))
    }

    private static func trimmed(_ word: Substring) -> String {
        let core = word.drop { punctuation.contains($0) }
        guard let end = core.lastIndex(where: { !punctuation.contains($0) }) else { return String(word) }
        return String(core[...end])
    }

    private static let punctuation: Set<Character> = Set(".,;:!?\"'()[]{}<>«»„“”‚‘’…—–-*`~。、，．！？：；「」『』（）【】¿¡")

    /// Words that appear in most English texts and select none.
    private static let stopWords: Set<String> = Set(
        """
        a about after all also am an and any are as at be because been before being between both but by can could did do
        does doing down during each few for from further had has have having he her here hers him his how i if in into is
        it its itself just me more most my no nor not now of off on once only or other our out over own same she should
        so some such than that the their them then there these they this those through to too under until up us very was
        we were what when where which while who whom why will with would you your
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
