import Language

/// A sentence of an answer as it is compared with passages.
struct Claim {
    /// UTF-8 bytes of the answer by token, for reporting.
    private(set) var ranges: [Range<Int>] = []
    var text: ClauseText
    /// By token: its share of the sentence. 0 for function words and repetitions.
    private(set) var weights: [Float] = []
    /// By token: meanings that are other forms of its word.
    private(set) var forms: [[Int]] = []
    var quotations: [QuotableText]
    /// By token: the entries of the passages that have it.
    private(set) var matches: [[(entry: Int, strength: Float)]] = []

    private static let looseWeight: Float = 0.5

    var tokens: [ComparedToken] { text.tokens }
    var isEmpty: Bool { weights.allSatisfy { $0 == 0 } }

    /// Reads a sentence.
    ///
    /// - Parameters:
    ///   - text: The answer.
    ///   - range: Characters of the sentence.
    ///   - markers: Characters of its markers, in their order.
    ///   - told: Characters that need no support, in their order, such as the title of a note.
    init(
        _ text: ScalarText, _ range: Range<Int>, markers: [Range<Int>], told: [Range<Int>] = [],
        index: inout PassageIndex
    ) {
        let markers = told.isEmpty ? markers : (markers + told).sorted { $0.lowerBound < $1.lowerBound }
        var parts: [Range<Int>] = []
        var start = range.lowerBound
        for marker in markers where marker.lowerBound >= start {
            parts.append(start..<marker.lowerBound)
            start = marker.upperBound
        }
        if start < range.upperBound { parts.append(start..<range.upperBound) }
        let lexemes = parts.flatMap { Lexeme.lexemes(of: text, in: $0) }
        let language = WrittenLanguage(of: lexemes.lazy.map(\.folded), default: index.language)
        self.text = ClauseText(lexemes, language: language, vocabulary: &index.vocabulary)
        quotations = QuotableText.quotations(in: text, range)
        if !told.isEmpty, !quotations.isEmpty {
            // A quoted title; its marks may stand outside.
            let titles = told.flatMap {
                QuotableText.quotations(
                    in: text, max(range.lowerBound, $0.lowerBound - 1)..<min(range.upperBound, $0.upperBound + 1))
            }
            quotations.removeAll { titles.contains($0) }
        }
        var seen: Set<Int> = []
        for token in self.text.tokens {
            ranges.append(text.bytes(token.range))
            let counts = token.isContent && token.quantity?.isWeak != true && seen.insert(token.id).inserted
            forms.append(index.forms(of: token))
            matches.append(token.isContent ? index.matches(token) : [])
            // A verb or an adverb that no passage has is often a paraphrase, a noun rarely.
            let isLoose = !Self.isFixed(token) && matches.last?.isEmpty == true
            weights.append(counts ? index.weight(token) * (isLoose ? Self.looseWeight : 1) : 0)
        }
    }

    /// The share, by weight, of words that may be names: a passage may give them outside the window.
    var shareOfNames: Float {
        let total = weights.reduce(0, +)
        let names = tokens.indices.filter { tokens[$0].isName || tokens[$0].isFirst }
        return total > 0 ? names.reduce(Float(0)) { $0 + weights[$1] } / total : 0
    }

    /// Whether a token is rarely paraphrased: a noun, a name, a number, a predicate.
    func isFixed(_ place: Int) -> Bool { Self.isFixed(tokens[place]) }

    private static func isFixed(_ token: ComparedToken) -> Bool {
        token.isNounLike || token.isPredicate || token.isName || token.kind != .word
    }

    /// How well a token of a passage matches one of the claim: 1 for the same meaning, 0.85 for another form, else 0.
    func strength(_ place: Int, _ other: ComparedToken) -> Float {
        let token = tokens[place]
        if let quantity = token.quantity {
            return other.quantity.map { quantity.agrees(with: $0) } ?? false ? 1 : 0
        }
        if token.id == other.id { return 1 }
        return forms[place].contains(other.id) ? 0.85 : 0
    }
}
