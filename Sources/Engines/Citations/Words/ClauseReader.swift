import Language

/// Reads the lexemes of a sentence into tokens and clauses.
struct ClauseReader {
    private let lexemes: [Lexeme]
    private let language: WrittenLanguage
    private var index = 0
    /// Whether a capital tells nothing at this place.
    private var isFirst = true
    /// The traits of the word before.
    private var previous: WordTraits = []
    /// Whether the last word, ignoring function words, was a negation.
    private var isDenying = false
    /// The last negation.
    private var lastDenial = ""
    /// What the function words since the last content word say about the next one.
    private var modifiers = Modifiers()
    /// Whether the last token carries meaning, and no sign stands behind it.
    private var isBehindContent = false
    /// By clause: the sign or the word that began it.
    private var starts: [Int: String] = [:]

    /// Negations that may stand behind what they deny.
    private static let denials: Set<String> = ["not", "n't", "nicht", "pas"]
    /// Signs that divide clauses.
    private static let dividers: Set<String> = [",", ";", "—", "–", ")", "!", "?", "，", "；", "、"]
    /// Signs behind which a capital tells nothing.
    private static let starters: Set<String> = [":", "\"", "“", "„", "»", "«", ".", "!", "?", "-"]
    private static let closers: Set<String> = ["\"", "”", "“", "»", "«", ")"]

    init(_ lexemes: [Lexeme], _ language: WrittenLanguage) {
        self.lexemes = lexemes
        self.language = language
    }

    /// Reads all lexemes, or as many as a sentence may have tokens.
    mutating func read(into text: inout ClauseText, _ vocabulary: inout MeaningVocabulary) {
        let quantities = QuantityReader(lexemes, language)
        while let lexeme = lexeme(index), text.tokens.count < ClauseText.maxTokens {
            if let read = quantities.read(at: index) {
                add(read.quantities, until: read.end, to: &text, &vocabulary)
                continue
            }
            index += 1
            if lexeme.kind == .word {
                add(lexeme, to: &text, &vocabulary)
                isFirst = false
            } else {
                isBehindContent = false
                let isStop = lexeme.folded == "." && self.lexeme(index)?.hasSpace == true
                if isStop || Self.dividers.contains(lexeme.folded) { startClause(lexeme.folded, &text) }
                isFirst = isFirst || Self.starters.contains(lexeme.folded)
            }
        }
        endClause(&text)
        denyEnumerations(&text)
        // A question affirms nothing.
        if lexemes.last(where: { !Self.closers.contains($0.folded) })?.folded == "?" {
            for clause in text.polarities.indices { text.polarities[clause].soft.insert("?") }
        }
    }

    private func lexeme(_ index: Int) -> Lexeme? { lexemes.indices.contains(index) ? lexemes[index] : nil }

    private mutating func add(
        _ quantities: [ComparedQuantity], until end: Int, to text: inout ClauseText,
        _ vocabulary: inout MeaningVocabulary
    ) {
        guard let first = lexeme(index), let last = lexeme(end - 1) else { return index += 1 }
        let range = first.range.lowerBound..<max(first.range.upperBound, last.range.upperBound)
        for quantity in quantities {
            if quantity.isMonth {
                append(.word, vocabulary.id(SpecialWords.month(Int(quantity.value))), range, to: &text)
            } else {
                append(.number(quantity), vocabulary.id("#\(quantity.value)"), range, to: &text)
            }
        }
        index = max(end, index + 1)
        isFirst = false
        previous = []
    }

    private mutating func add(_ lexeme: Lexeme, to text: inout ClauseText, _ vocabulary: inout MeaningVocabulary) {
        let traits = traits(of: lexeme)
        defer { previous = traits }
        if traits.contains(.negation) {
            if !isLimit {
                text.traits.formUnion(traits)
                text.polarities[text.polarities.count - 1].isNegated = true
                isDenying = true
                lastDenial = lexeme.folded
            }
            return
        }
        text.traits.formUnion(traits)
        if traits.contains(.softNegation) { text.polarities[text.polarities.count - 1].soft.insert(lexeme.folded) }
        let isNextToNumber = text.tokens.last?.quantity != nil || self.lexeme(index)?.kind == .digits
        let isMonth =
            (lexeme.folded == "may" || lexeme.folded == "mai") && lexeme.isCapital
            && (isNextToNumber || !isFirst && previous.contains(.preposition))
        if !isMonth, traits.contains(.conjunction), !isException(lexeme.folded) { startClause(lexeme.folded, &text) }
        if !isMonth, traits.contains(.condition) { text.polarities[text.polarities.count - 1].isConditional = true }
        let bound = modifiers.bound
        if !isMonth { modify(by: lexeme.folded, traits, &vocabulary) }
        // `hive A`
        let isLabel = lexeme.folded == "a" && lexeme.isCapital && !isFirst
        let isFunction = traits.contains(.stop) || traits.contains(.exclusive) || modifiers.bound != bound
        if !isMonth, !isLabel, isFunction || modifiers.isExcepted && traits.contains(.exception) {
            append(.function, vocabulary.id("." + lexeme.folded), lexeme.range, to: &text)
            return
        }
        var id = isMonth ? vocabulary.id("=may-month") : vocabulary.id(ofWord: lexeme.folded, language)
        if let particle = self.lexeme(index)?.folded,
            let phrase = SpecialWords.phrases[vocabulary.names[id] + " " + particle]
        {
            id = vocabulary.id(phrase)
        }
        append(.word, id, lexeme.range, to: &text)
        describe(&text.tokens[text.tokens.count - 1], lexeme, vocabulary)
        isDenying = false
    }

    /// The traits of a word at its place: `at most` is not sweeping, `only two` excludes little.
    private func traits(of lexeme: Lexeme) -> WordTraits {
        var traits = WordTraits(of: lexeme.folded)
        let next = self.lexeme(index)
        let isMild = next.map {
            $0.kind == .digits || SpokenNumber.value($0.folded) != nil || Self.having.contains($0.folded)
        }
        if isMild ?? false { traits.remove(.exclusive) }
        if lexeme.folded == "most", lexemes.indices.contains(index - 2), lexemes[index - 2].folded == "at" {
            traits.remove(.sweeping)
        }
        return traits
    }

    private static let having: Set<String> = ["have", "has", "had", "hat", "haben", "hatte"]

    /// Whether the words behind a negation make it a limit: `no more than` denies nothing, `no less frequent` does.
    private var isLimit: Bool {
        guard let next = lexeme(index), WordTraits(of: next.folded).contains(.comparative),
            let second = lexeme(index + 1)
        else { return false }
        return second.kind == .digits || WordTraits(of: second.folded).contains(.limit)
    }

    private func describe(_ token: inout ComparedToken, _ lexeme: Lexeme, _ vocabulary: MeaningVocabulary) {
        token.isDenied = isDenying
        token.isPredicate = previous.contains(.copula)
        token.isPossessive = lexeme.isPossessive || language == .german && isGenitive(lexeme)
        let bound = token.modifiers.bound
        token.isComparative = bound == .above || bound == .below || lexeme.folded.hasSuffix("er")
        if language == .german {
            token.isNounLike = lexeme.isCapital
        } else if previous.contains(.beforeNoun) || token.modifiers.preposition != nil {
            let isVerbLike = language == .english && ["ed", "ing", "ly"].contains { lexeme.folded.hasSuffix($0) }
            token.isNounLike = !isVerbLike
        }
        guard lexeme.isCapital, language != .german, vocabulary.group(token.id) == nil else { return }
        token.isName = !isFirst
        token.isFirst = isFirst
    }

    /// `Agathes Schwester`: a name before a noun, without an article.
    private func isGenitive(_ lexeme: Lexeme) -> Bool {
        guard lexeme.isCapital, lexeme.folded.hasSuffix("s"), let next = self.lexeme(index), next.isCapital else {
            return false
        }
        return next.kind == .word && !previous.contains(.beforeNoun)
    }

    private mutating func append(_ kind: ComparedToken.Kind, _ id: Int, _ range: Range<Int>, to text: inout ClauseText)
    {
        var token = ComparedToken(kind: kind, id: id, range: range, clause: text.polarities.count - 1)
        if token.isContent {
            if isBehindContent, modifiers.preposition == nil {
                modifiers.preposition = text.tokens.last?.modifiers.preposition
            }
            token.modifiers = modifiers
            modifiers = Modifiers()
        }
        isBehindContent = token.isContent
        text.tokens.append(token)
    }

    /// Notes what a function word says about the next content word.
    private mutating func modify(by word: String, _ traits: WordTraits, _ vocabulary: inout MeaningVocabulary) {
        let before = lexemes.indices.contains(index - 2) ? lexemes[index - 2].folded : ""
        if let bound = Bound.named(word), modifiers.bound == nil || bound != .than && bound != .favouring {
            modifiers.bound = bound
        }
        if word == "than" || word == "als", let bound = Bound.comparing(before) {
            // `no more than`
            let isDenied =
                lexemes.indices.contains(index - 3) && WordTraits(of: lexemes[index - 3].folded).contains(.negation)
            modifiers.bound = isDenied ? bound.denied : bound
        }
        if before == "at", word == "least" || word == "most" { modifiers.bound = word == "least" ? .atLeast : .atMost }
        if before == "up", word == "to" { modifiers.bound = .atMost }
        if traits.contains(.preposition) { modifiers.preposition = vocabulary.id("." + word) }
        if traits.contains(.exclusive) { modifiers.isExclusive = true }
        if traits.contains(.exception) || isException(word) { modifiers.isExcepted = true }
    }

    /// Whether `but` takes something out: `all but one`.
    private func isException(_ word: String) -> Bool {
        ["but", "als"].contains(word)
            && lexemes[max(0, index - 5)..<max(0, index - 1)].contains { WordTraits(of: $0.folded).contains(.sweeping) }
    }

    /// What stands behind the last word of a clause says something of it: `paid less`, `Fridays only`, `the cat not`.
    private mutating func endClause(_ text: inout ClauseText) {
        if let last = text.tokens.lastIndex(where: \.isContent) {
            let clause = text.tokens[last].clause
            if isDenying, Self.denials.contains(lastDenial) {
                text.tokens[last].isDenied = true
                text.polarities[clause].isNegated = true
            }
            let isOpen = modifiers.bound == .above || modifiers.bound == .below || modifiers.bound == .opposing
            if clause == text.polarities.count - 1 {
                if isOpen, text.tokens[last].modifiers.bound == nil {
                    text.tokens[last].modifiers.bound = modifiers.bound
                }
                if modifiers.isExclusive { text.tokens[last].modifiers.isExclusive = true }
            }
        }
        isDenying = false
        modifiers = Modifiers()
    }

    private mutating func startClause(_ start: String, _ text: inout ClauseText) {
        endClause(&text)
        isBehindContent = false
        if text.tokens.last?.clause == text.polarities.count - 1 || text.polarities.last != Polarity() {
            text.polarities.append(Polarity())
        }
        starts[text.polarities.count - 1] = start
    }

    /// `not from leaks, floods or gutters`: an enumeration is denied as a whole.
    private func denyEnumerations(_ text: inout ClauseText) {
        for clause in text.polarities.indices.reversed()
        where SpecialWords.alternatives.contains(starts[clause] ?? "") {
            var first = clause
            while first > 0, !text.polarities[first].isNegated, starts[first] == "," || first == clause { first -= 1 }
            guard text.polarities[first].isNegated else { continue }
            for between in first..<clause { text.polarities[between + 1].isNegated = true }
        }
    }
}
