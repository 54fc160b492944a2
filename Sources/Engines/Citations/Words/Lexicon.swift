import Language
import Text

/// Words that mean nearly the same, and words that exclude each other.
struct Lexicon {
    static let shared = Lexicon()

    /// By language: the name of the meaning of a stem.
    private var meanings: [WrittenLanguage: [String: String]] = [:]
    /// The line of ``Opposites`` that a meaning stands in.
    private var groups: [String: Int] = [:]

    private init() {
        for language in WrittenLanguage.allCases { meanings[language] = [:] }
        for (number, line) in Opposites.lines.split(separator: "\n").enumerated() {
            for member in line.split(separator: "|") {
                if let meaning = add(member) { groups[meaning] = number }
            }
        }
        for line in Synonyms.lines.split(separator: "\n") { _ = add(line) }
    }

    /// What a folded word means: the name of its meaning, else its stem.
    func meaning(of word: String, _ language: WrittenLanguage) -> String {
        let stem = Stemmer.stem(word, language)
        if let meaning = meanings[language]?[stem] { return meaning }
        // `cheaper`, `cheapest`: only words whose plain form is known.
        if let plain = Stemmer.compared(word, language),
            let meaning = meanings[language]?[Stemmer.stem(plain, language)]
        {
            return meaning
        }
        return stem
    }

    /// Which of several meanings that exclude each other this is; nil for other meanings.
    func group(of meaning: String) -> Int? { groups[meaning] }

    /// Adds words of one meaning: English, German and French words, divided by `/`. The first word names the meaning. A stem
    /// keeps its first meaning.
    private mutating func add(_ words: Substring) -> String? {
        var meaning: String?
        let parts = words.split(separator: "/", omittingEmptySubsequences: false)
        for (language, part) in zip(WrittenLanguage.allCases, parts) {
            for word in part.split(whereSeparator: \.isWhitespace) {
                let folded = TextFolding.folded(String(word))
                let name = meaning ?? "=" + folded
                meaning = name
                let stem = Stemmer.stem(folded, language)
                if meanings[language]?[stem] == nil { meanings[language]?[stem] = name }
            }
        }
        return meaning
    }
}
