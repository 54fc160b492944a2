import Language

/// The tokens of an utterance, and which of them are understood.
struct Utterance {
    let language: WrittenLanguage
    private(set) var tokens: [UtteranceToken]

    init(_ text: String, language: WrittenLanguage) {
        self.language = language
        tokens = UtteranceToken.split(text)
    }

    var indices: Range<Int> { tokens.indices }

    /// The folded text of an unused token; empty for used ones and beyond the ends.
    func word(_ index: Int) -> String {
        tokens.indices.contains(index) && !tokens[index].isUsed ? tokens[index].folded : ""
    }

    /// The unused token at an index.
    func token(_ index: Int) -> UtteranceToken? {
        tokens.indices.contains(index) && !tokens[index].isUsed ? tokens[index] : nil
    }

    /// The unused number at an index as it was written.
    func number(_ index: Int) -> String? {
        token(index).flatMap { $0.kind == .number ? $0.text : nil }
    }

    /// Whether the words from an index on are these.
    func has(_ words: [String], at index: Int) -> Bool {
        words.indices.allSatisfy { word(index + $0) == words[$0] }
    }

    /// Marks tokens as understood.
    mutating func use(_ range: Range<Int>) {
        for index in range.clamped(to: tokens.indices) { tokens[index].isUsed = true }
    }

    /// The text of tokens, with spaces as they were.
    func text(_ range: Range<Int>) -> String {
        range.clamped(to: tokens.indices).reduce(into: "") { text, index in
            text += (text.isEmpty || tokens[index].isAttached ? "" : " ") + tokens[index].text
        }
    }
}
