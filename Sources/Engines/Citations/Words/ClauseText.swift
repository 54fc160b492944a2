/// A sentence as tokens in clauses.
struct ClauseText {
    /// Tokens at most; what follows in the sentence is left out.
    static let maxTokens = 96

    private(set) var tokens: [Token] = []
    /// By clause: whether it denies.
    private(set) var polarities: [Polarity] = [Polarity()]
    /// Whether a word claims more than most sentences do: all, always, proven.
    private(set) var isSweeping = false
    /// Whether a word of a passage may justify one that claims more: each, only.
    private(set) var namesEach = false
    /// Whether a word claims that one thing causes another.
    private(set) var isCausal = false
    /// Whether a word may express a cause.
    private(set) var hintsAtCause = false
    /// Whether a word leaves open if the sentence is true: may, perhaps, plans to.
    private(set) var isHedged = false
    /// Whether the last word was a negation, but for function words.
    private var isDenying = false
    /// By clause: the sign or the word that began it.
    private var starts: [Int: String] = [:]

    /// Reads a sentence.
    ///
    /// - Parameter parts: Ranges of the text's characters: the sentence without its markers.
    init(_ text: ScalarText, parts: [Range<Int>], language: Language, vocabulary: inout Vocabulary) {
        var lexemes: [Lexeme] = []
        for part in parts { lexemes += Lexeme.lexemes(of: text, in: part) }
        self.init(lexemes, language: language, vocabulary: &vocabulary)
    }

    init(_ lexemes: [Lexeme], language: Language, vocabulary: inout Vocabulary) {
        let reader = QuantityReader(lexemes, language)
        var isFirst = true
        var previous = ""
        var index = 0
        while index < lexemes.count, tokens.count < Self.maxTokens {
            let lexeme = lexemes[index]
            if let read = reader.read(at: index) {
                let end = lexemes[read.end - 1].range.upperBound
                for quantity in read.quantities {
                    let range = lexeme.range.lowerBound..<end
                    if quantity.isMonth {
                        append(.word, vocabulary.id(SpecialWords.month(Int(quantity.value))), range)
                    } else {
                        append(.number(quantity), vocabulary.id("#\(quantity.value)"), range)
                    }
                }
                index = max(read.end, index + 1)
                isFirst = false
                continue
            }
            index += 1
            guard lexeme.kind == .word else {
                let isStop = lexeme.folded == "." && lexemes.indices.contains(index) && lexemes[index].hasSpace
                if isStop || Self.dividers.contains(lexeme.folded) { startClause(lexeme.folded) }
                isFirst = isFirst || Self.starters.contains(lexeme.folded)
                continue
            }
            let isNextToNumber =
                tokens.last?.quantity != nil || lexemes.indices.contains(index) && lexemes[index].kind == .digits
            let particle = lexemes.indices.contains(index) ? lexemes[index].folded : ""
            let second = lexemes.indices.contains(index + 1) ? lexemes[index + 1] : nil
            // `no more than` denies nothing, `no less frequent` does.
            let isLimit =
                SpecialWords.comparatives.contains(particle)
                && second.map { $0.kind == .digits || SpecialWords.limits.contains($0.folded) } ?? false
            if Language.negations.contains(lexeme.folded), isLimit { continue }
            let count = tokens.count
            add(lexeme, isFirst: isFirst, isNextToNumber: isNextToNumber, particle, language, &vocabulary)
            if tokens.count > count, tokens[count].kind == .word {
                tokens[count].isPredicate = SpecialWords.copulas.contains(previous)
                tokens[count].isNounLike = Self.isNounLike(lexeme, behind: previous, language)
            }
            previous = lexeme.folded
            isFirst = false
        }
        denyEnumerations(starts)
        // A question affirms nothing.
        if lexemes.last(where: { !Self.closers.contains($0.folded) })?.folded == "?" {
            for clause in polarities.indices { polarities[clause].soft.insert("?") }
        }
    }

    private static let closers: Set<String> = ["\"", "”", "“", "»", "«", ")"]

    /// Signs that divide clauses.
    private static let dividers: Set<String> = [",", ";", "—", "–", ")", "!", "?", "，", "；", "、"]
    /// Signs behind which a capital tells nothing.
    private static let starters: Set<String> = [":", "\"", "“", "„", "»", "«", ".", "!", "?", "-"]

    private mutating func add(
        _ lexeme: Lexeme, isFirst: Bool, isNextToNumber: Bool, _ particle: String, _ language: Language,
        _ vocabulary: inout Vocabulary
    ) {
        let word = lexeme.folded
        isSweeping = isSweeping || SpecialWords.sweeping.contains(word)
        namesEach = namesEach || SpecialWords.sweepingHints.contains(word)
        isCausal = isCausal || SpecialWords.causal.contains(word)
        hintsAtCause = hintsAtCause || SpecialWords.causalHints.contains(word)
        isHedged = isHedged || SpecialWords.hedges.contains(word) && !lexeme.isCapital
        if Language.negations.contains(word) {
            polarities[polarities.count - 1].isNegated = true
            isDenying = true
            return
        }
        if Language.softNegations.contains(word) { polarities[polarities.count - 1].soft.insert(word) }
        let isMonth = (word == "may" || word == "mai") && lexeme.isCapital && isNextToNumber
        if !isMonth, Language.conjunctions.contains(word) { startClause(word) }
        // `hive A`
        let isLetter = word == "a" && lexeme.isCapital && !isFirst
        if !isMonth, !isLetter, Language.stopWords.contains(word) {
            append(.function, vocabulary.id("." + word), lexeme.range)
            return
        }
        var meaning = isMonth ? "=may-month" : Lexicon.shared.meaning(of: word, language)
        if let phrase = SpecialWords.phrases[meaning + " " + particle] { meaning = phrase }
        append(.word, vocabulary.id(meaning), lexeme.range)
        tokens[tokens.count - 1].isDenied = isDenying
        isDenying = false
        guard lexeme.isCapital, language != .german, vocabulary.group(tokens[tokens.count - 1].id) == nil else {
            return
        }
        tokens[tokens.count - 1].isName = !isFirst
        tokens[tokens.count - 1].isFirst = isFirst
    }

    private static func isNounLike(_ lexeme: Lexeme, behind previous: String, _ language: Language) -> Bool {
        if language == .german { return lexeme.isCapital }
        guard SpecialWords.beforeNouns.contains(previous) else { return false }
        return language != .english || !["ed", "ing", "ly"].contains { lexeme.folded.hasSuffix($0) }
    }

    private mutating func append(_ kind: Token.Kind, _ id: Int, _ range: Range<Int>) {
        tokens.append(Token(kind: kind, id: id, range: range, clause: polarities.count - 1))
    }

    private mutating func startClause(_ start: String) {
        isDenying = false
        defer { starts[polarities.count - 1] = start }
        if tokens.last?.clause == polarities.count - 1 || polarities.last != Polarity() {
            polarities.append(Polarity())
        }
    }

    /// `not from leaks, floods or gutters`: an enumeration is denied as a whole.
    private mutating func denyEnumerations(_ starts: [Int: String]) {
        for clause in polarities.indices.reversed() where SpecialWords.alternatives.contains(starts[clause] ?? "") {
            var first = clause
            while first > 0, !polarities[first].isNegated, starts[first] == "," || first == clause { first -= 1 }
            guard polarities[first].isNegated else { continue }
            for between in first..<clause { polarities[between + 1].isNegated = true }
        }
    }
}
