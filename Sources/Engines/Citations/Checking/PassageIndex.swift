import Language
import Text

/// The passages that an answer was given, as sentences of tokens that can be looked up.
struct PassageIndex {
    /// A sentence of a passage.
    struct Entry {
        /// UTF-8 bytes of the passage.
        var range: Range<Int>
        var text: ClauseText
        /// Who says it, in a text that names speakers: `Ben: I know.`
        var speaker: ComparedToken?
    }

    /// By passage: the number that answers cite.
    let citedAs: [Int]
    private(set) var entries: [Entry] = []
    /// By passage: its entries. Passages behind ``CitationLimits/maxPassages`` are missing.
    private(set) var spans: [Range<Int>] = []
    /// By passage: the text for quotations.
    private(set) var quotable: [QuotableText] = []
    var vocabulary = MeaningVocabulary()
    private(set) var language = WrittenLanguage.english
    /// By meaning: the entries that have it.
    private var places: [Int: [Int]] = [:]
    /// By the first five bytes of a meaning: the meanings.
    private var beginnings: [String: [Int]] = [:]
    /// By the last five bytes of a meaning: the meanings.
    private var endings: [String: [Int]] = [:]
    /// Meanings that some passage writes as names.
    private(set) var names: Set<Int> = []
    /// Meanings that stand before a colon at the start of a sentence.
    private(set) var speakers: Set<Int> = []
    /// Meanings that some passage writes with a small letter.
    private(set) var ordinary: Set<Int> = []
    private var numbers: [(entry: Int, quantity: ComparedQuantity)] = []

    init(_ passages: [String], citedAs numbers: [Int]) {
        citedAs = numbers
        var rest = CitationLimits.maxTotalBytes
        let texts = passages.prefix(CitationLimits.maxPassages).map { passage in
            let text = ScalarText(passage, maxBytes: min(rest, CitationLimits.maxPassageBytes))
            rest -= text.offsets.last ?? 0
            return (text: text, lexemes: Lexeme.lexemes(of: text, in: 0..<text.scalars.count))
        }
        language = WrittenLanguage(of: texts.lazy.flatMap(\.lexemes).map(\.folded))
        for (text, lexemes) in texts {
            quotable.append(QuotableText(lexemes))
            let start = entries.count
            add(lexemes, of: text, WrittenLanguage(of: lexemes.lazy.map(\.folded), default: language))
            spans.append(start..<entries.count)
        }
        for (id, name) in vocabulary.names.enumerated() where name.utf8.count >= 5 && !name.hasPrefix("=") {
            beginnings[Self.beginning(name), default: []].append(id)
            endings[Self.ending(name), default: []].append(id)
        }
    }

    private mutating func add(_ lexemes: [Lexeme], of text: ScalarText, _ language: WrittenLanguage) {
        var next = 0
        var speaker: ComparedToken?
        for sentence in SentenceSplitter(text).sentences(breaksAtLineEnds: false) {
            guard entries.count < CitationLimits.maxPassageSentences else { return }
            let start = next
            while next < lexemes.count, text.offsets[lexemes[next].range.lowerBound] < sentence.range.upperBound {
                next += 1
            }
            var clauses = ClauseText(Array(lexemes[start..<next]), language: language, vocabulary: &vocabulary)
            for token in clauses.tokens.indices {
                clauses.tokens[token].range = text.bytes(clauses.tokens[token].range)
            }
            for token in clauses.tokens where token.isContent {
                if let quantity = token.quantity { numbers.append((entries.count, quantity)) }
                if token.isName { names.insert(token.id) }
                if !token.isName, !token.isFirst { ordinary.insert(token.id) }
                if places[token.id]?.last != entries.count { places[token.id, default: []].append(entries.count) }
            }
            let isNamed = start + 1 < next && lexemes[start].isCapital && lexemes[start + 1].folded == ":"
            if isNamed, let first = clauses.tokens.first, first.isContent {
                speaker = first
                speakers.insert(first.id)
            }
            entries.append(Entry(range: sentence.range, text: clauses, speaker: speaker))
        }
    }

    /// The UTF-8 bytes of a window in its passage.
    func range(_ window: Window) -> Range<Int> {
        let entries = entries[window.entries.clamped(to: 0..<entries.count)]
        guard let first = entries.first, let last = entries.last else { return 0..<0 }
        return first.range.lowerBound..<last.range.upperBound
    }

    private static func beginning(_ name: String) -> String { String(decoding: name.utf8.prefix(5), as: UTF8.self) }

    private static func ending(_ name: String) -> String { String(decoding: name.utf8.suffix(5), as: UTF8.self) }

    /// How rare a meaning is among the sentences of the passages.
    ///
    /// ln(1 + (N + 1) / (n + 1)) for n of N sentences, the usual inverse document frequency with smoothing.
    func weight(_ token: ComparedToken) -> Float {
        let known = places[token.id]?.count ?? 0
        let share = Float(entries.count + 1) / Float(known + 1)
        let weight = Self.logarithm(1 + share)
        guard vocabulary.names.indices.contains(token.id) else { return weight }
        return SpecialWords.vague.contains(vocabulary.names[token.id]) ? weight * 0.3 : weight
    }

    /// The natural logarithm of a number of at least 1, by its exponent and the series of artanh.
    private static func logarithm(_ value: Float) -> Float {
        let ratio = (value.significand - 1) / (value.significand + 1)
        let square = ratio * ratio
        return Float(value.exponent) * 0.693_147_2 + 2 * ratio * (1 + square * (1 / 3 + square * (1 / 5 + square / 7)))
    }

    /// How well entries match a token: 1 for the same meaning, less for another form of the word.
    func matches(_ token: ComparedToken) -> [(entry: Int, strength: Float)] {
        if let quantity = token.quantity {
            return numbers.filter { $0.quantity.agrees(with: quantity) }.map { ($0.entry, 1) }
        }
        var found: [(entry: Int, strength: Float)] = (places[token.id] ?? []).map { ($0, 1) }
        for id in forms(of: token) { found += (places[id] ?? []).map { ($0, 0.85) } }
        return found
    }

    /// Meanings that are other forms of a token's word. A name has none.
    func forms(of token: ComparedToken) -> [Int] {
        guard token.kind == .word, !token.isName, vocabulary.names.indices.contains(token.id) else { return [] }
        let name = vocabulary.names[token.id]
        let near = (beginnings[Self.beginning(name)] ?? []).prefix(64) + (endings[Self.ending(name)] ?? []).prefix(64)
        return Set(near).filter { $0 != token.id && vocabulary.areForms($0, token.id) }.sorted()
    }
}
