import Language

/// A sentence as tokens in clauses.
struct ClauseText {
    /// Tokens at most; what follows in the sentence is left out.
    static let maxTokens = 96

    var tokens: [ComparedToken] = []
    /// By clause: whether it denies. Never empty.
    var polarities: [Polarity] = [Polarity()]
    /// Traits that some word of the sentence has.
    var traits: WordTraits = []

    /// Reads a sentence.
    init(_ lexemes: [Lexeme], language: WrittenLanguage, vocabulary: inout MeaningVocabulary) {
        var reader = ClauseReader(lexemes, language)
        reader.read(into: &self, &vocabulary)
    }
}
