import Text

/// Finds words that say what a group of texts is about: frequent in the group, rare in the others.
package struct DistinctiveTerms: Sendable {
    /// The most characters of a text that are read.
    package static let maxScalars = 400
    /// Words of a name.
    package static let count = 3

    /// For each folded word the number of background texts that have it.
    private var background: [String: Int] = [:]
    /// The number of background texts.
    private var texts = 0

    /// Creates it without any background.
    package init() {}

    /// Adds a text to what the groups are compared with.
    package mutating func add(_ text: String) {
        texts += 1
        for word in Set(Self.words(text).map(\.folded)) { background[word, default: 0] += 1 }
    }

    /// Returns the most distinctive words of a group, best first, spelled as most of the group's texts spell them.
    ///
    /// A word must be in two texts and in a quarter of them. The order of the texts does not matter.
    package func terms(of group: [String], count: Int = Self.count) -> [String] {
        var found: [String: (texts: Int, spellings: [String: Int])] = [:]
        for text in group {
            var seen: Set<String> = []
            for word in Self.words(text) where word.shown.unicodeScalars.count > 2 {
                var entry = found[word.folded] ?? (0, [:])
                if seen.insert(word.folded).inserted { entry.texts += 1 }
                entry.spellings[word.shown, default: 0] += 1
                found[word.folded] = entry
            }
        }
        let scored = found.compactMap { word, entry -> (word: String, score: Int, spelling: String)? in
            let others = background[word] ?? 0
            guard entry.texts >= 2, entry.texts * 4 >= group.count else { return nil }
            // In three of ten background texts: says nothing, however frequent it is here.
            guard texts < 20 || others * 10 < texts * 3 else { return nil }
            let spelling = entry.spellings.min { ($1.value, $0.key) < ($0.value, $1.key) }?.key ?? word
            let share = entry.texts * 1000 / group.count
            return (word, share * share / (others * 1000 / max(1, texts) + 20), spelling)
        }
        return scored.sorted { ($1.score, $0.word) < ($0.score, $1.word) }.prefix(count).map(\.spelling)
    }

    private static func words(_ text: String) -> [(shown: String, folded: String)] {
        let start = String(String.UnicodeScalarView(text.unicodeScalars.prefix(maxScalars)))
        return start.split { !$0.isLetter && !$0.isNumber }.compactMap { part in
            guard part.contains(where: \.isLetter), part.utf8.count <= 64 else { return nil }
            let shown = String(part)
            let folded = TextFolding.folded(shown)
            return stopWords.contains(folded) ? nil : (shown, folded)
        }
    }

    /// Words of English and German that carry no subject.
    private static let stopWords: Set<String> = Set(
        """
        the and for are was were with that this these those from have has had not but you your our his her its they them their \
        there here what when where which who why how all any can could should would will may might must into onto over under \
        about after before again also just only more most some such than then too very one two new old day today note notes \
        been being did does done get got out off own same other each both few per via yes
        der die das den dem des ein eine einer eines einem einen und oder aber für mit von vom zum zur bei nach vor aus auf an \
        als auch nur noch nicht kein keine ist sind war waren wird werden wurde wurden hat haben hatte hatten ich du er sie es \
        wir ihr mich mir dich dir sich uns euch mein meine dein deine sein seine ihre unser unsere dass wenn weil wie was wer wo \
        wann warum dann schon sehr mehr heute gestern morgen neu alt über unter durch gegen ohne um bis seit im am ins ans
        """.split(whereSeparator: \.isWhitespace).map { TextFolding.folded(String($0)) })
}
