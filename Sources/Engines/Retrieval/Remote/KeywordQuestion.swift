/// The keyword leg of a query, for a database that keeps an ``IndexedText`` of each document.
///
/// The database looks up ``stems`` and ``patterns`` in its vocabulary of runs, and ``phrases`` in the folded texts. Marks,
/// scores and order are then those of ``KeywordSearch``.
package struct KeywordQuestion: Sendable {
    /// A pattern that no single run can hold.
    package struct Phrase: Sendable {
        /// The folded pattern.
        package var text: String
        /// What the vocabulary must hold for the pattern: runs that end in a text, begin with one, or equal it.
        package var parts: [Part]
        /// Its index among the seeks.
        package var seek: Int
    }

    /// A part of a phrase.
    package enum Part: Sendable, Hashable {
        case suffix(String), prefix(String), whole(String)

        /// Whether a run of the vocabulary is such a part.
        package func matches(_ run: String) -> Bool {
            switch self {
            case .suffix(let text): run.utf8.reversed().starts(with: text.utf8.reversed())
            case .prefix(let text): run.utf8.starts(with: text.utf8)
            case .whole(let text): run.utf8.elementsEqual(text.utf8)
            }
        }
    }

    private(set) var seeks: [KeywordSearch.Seek]
    let terms: QueryTerms
    let scorer: KeywordScorer
    let selectsByPattern: Bool
    let scoring: KeywordScoring
    /// The stems to look up.
    package let stems: [String]
    /// The patterns that occur within runs.
    package let patterns: [String]
    /// The other patterns.
    package let phrases: [Phrase]

    /// Reads a query.
    package init(_ query: HybridQuery) {
        terms =
            query.mode == .vector
            ? QueryTerms(text: "", phrases: []) : QueryTerms(text: query.text, phrases: query.keywords)
        scorer = query.scorer
        scoring = KeywordScoring()
        let needsPattern = query.needsPattern && query.mode == .keyword
        selectsByPattern = needsPattern && query.scorer != .like
        seeks = KeywordSearch.seeks(of: terms, scorer: scorer, needsPattern: needsPattern, scoring: scoring)
        var (stems, patterns, phrases) = ([String](), [String](), [Phrase]())
        for (number, seek) in seeks.enumerated() {
            let text = String(decoding: seek.folded, as: UTF8.self)
            if seek.isStem {
                stems.append(text)
            } else if Self.isWithinRun(seek.folded) {
                patterns.append(text)
            } else if seek.folded.allSatisfy({ $0 > 1 }), !seek.folded.isEmpty {
                phrases.append(Phrase(text: text, parts: Self.parts(of: seek.folded), seek: number))
            }
        }
        (self.stems, self.patterns, self.phrases) = (stems, patterns, phrases)
    }

    /// This question with more stems. A stem that is a seek already gets the sum of both weights.
    func adding(_ words: [FeedbackWords.Chosen]) -> KeywordQuestion {
        var question = self
        var places: [[UInt8]: Int] = [:]
        for (number, seek) in seeks.enumerated() where seek.isStem && !seek.isBeyond { places[seek.folded] = number }
        for word in words.sorted(by: { $0.stem.lexicographicallyPrecedes($1.stem) }) {
            if let place = places[word.stem] {
                question.seeks[place].factor += Float(word.weight)
            } else {
                question.seeks.append(.stem(word.stem, factor: Float(word.weight)))
            }
        }
        return question
    }

    /// Whether there is nothing to look for.
    package var isEmpty: Bool { seeks.isEmpty }

    private static func isWithinRun(_ pattern: [UInt8]) -> Bool {
        !pattern.isEmpty && pattern.allSatisfy(WordBytes.contains)
    }

    private static func parts(of pattern: [UInt8]) -> [Part] {
        WordBytes.runs(in: pattern).map { run in
            let text = String(decoding: pattern[run], as: UTF8.self)
            if run.lowerBound == 0 { return .suffix(text) }
            return run.upperBound == pattern.count ? .prefix(text) : .whole(text)
        }
    }

    /// What a run of the vocabulary says about the seeks.
    struct Effect: Sendable {
        var seek: Int
        /// How often one occurrence of the run counts.
        var factor: Int
    }

    /// The effects of a run of the vocabulary.
    func effects(of run: String) -> [Effect] {
        let bytes = Array(run.utf8)
        let stems = IndexedText.stemList(bytes)
        var found: [Effect] = []
        for (number, seek) in seeks.enumerated() {
            if seek.isStem {
                let count = stems.count { $0 == seek.folded }
                if count > 0 { found.append(Effect(seek: number, factor: count)) }
            } else if Self.isWithinRun(seek.folded) {
                let quarters = Self.quarters(of: seek.folded, in: bytes[...])
                if quarters > 0 { found.append(Effect(seek: number, factor: quarters)) }
            }
        }
        return found
    }

    /// 4 for each occurrence that begins a word, 1 for each other one, without overlaps.
    static func quarters(of pattern: [UInt8], in text: ArraySlice<UInt8>) -> Int {
        guard let first = pattern.first, text.count >= pattern.count else { return 0 }
        var (sum, place) = (0, text.startIndex)
        let end = text.endIndex - pattern.count
        while place <= end {
            guard text[place] == first, text[place..<place + pattern.count].elementsEqual(pattern) else {
                place += 1
                continue
            }
            let beginsWord = place == text.startIndex || !WordBytes.contains(text[place - 1])
            sum += beginsWord ? 4 : 1
            place += pattern.count
        }
        return sum
    }
}
