import Text

/// Numbers that are written as words. All words are folded.
package enum NumberWords {
    /// 0 to 19, then the tens from 20 on: the English, German and French word of each. Missing are words that are rather articles,
    /// and what French makes of several words.
    private static let table = """
        zero/null/zéro one/eins/ two/zwei/deux three/drei/trois four/vier/quatre five/fünf/cinq six/sechs/six \
        seven/sieben/sept eight/acht/huit nine/neun/neuf ten/zehn/dix eleven/elf/onze twelve/zwölf/douze \
        thirteen/dreizehn/treize fourteen/vierzehn/quatorze fifteen/fünfzehn/quinze sixteen/sechzehn/seize \
        seventeen/siebzehn/ eighteen/achtzehn/ nineteen/neunzehn/ twenty/zwanzig/vingt thirty/dreißig/trente \
        forty/vierzig/quarante fifty/fünfzig/cinquante sixty/sechzig/soixante seventy/siebzig/ eighty/achtzig/ \
        ninety/neunzig/
        """

    /// The words of one number, 0 to 19 and the tens, by word.
    package static func cardinals(_ languages: Set<WrittenLanguage>) -> [String: Int] {
        var numbers: [String: Int] = [:]
        for (index, words) in table.split(separator: " ").enumerated() {
            let words = words.split(separator: "/", omittingEmptySubsequences: false)
            for (language, word) in zip(WrittenLanguage.allCases, words)
            where languages.contains(language) && word != "" {
                numbers[TextFolding.folded(String(word))] = index < 20 ? index : 10 * (index - 18)
            }
        }
        return numbers
    }

    /// Places in an order, by word.
    package static let ordinals: [String: Int] = {
        let list = """
            first/erste/ersten/erster/premier/première second/zweite/zweiten/zweiter/deuxième \
            third/dritte/dritten/dritter/troisième fourth/vierte/vierten/quatrième fifth/fünfte/fünften/cinquième \
            sixth/sechste/sechsten seventh/siebte/siebten eighth/achte/achten ninth/neunte/neunten tenth/zehnte/zehnten \
            eleventh/elfte twelfth/zwölfte thirteenth fourteenth/vierzehnte fifteenth
            """
        var ordinals: [String: Int] = [:]
        for (index, words) in list.split(separator: " ").enumerated() {
            for word in words.split(separator: "/") { ordinals[String(word)] = index + 1 }
        }
        return ordinals
    }()

    /// Articles, which stand for 1 before a unit.
    private static let articles = ["a", "an", "ein", "eine", "einen", "einem", "einer"]

    /// How many days or weeks somebody counts in words. The others are missing on purpose: `elf` is an English word, too, and
    /// `eins` stands before no unit.
    package static let counts: [String: Int] = {
        var counts = cardinals([.english, .german]).filter { ((1...10).contains($0.value) || $0.value == 12) }
        counts["eins"] = nil
        counts["couple"] = 2
        for word in articles { counts[word] = 1 }
        return counts
    }()

    /// What a word behind a number multiplies it by.
    package static let scales: [String: Int] = [
        "hundred": 100, "hundert": 100, "thousand": 1000, "tausend": 1000, "million": 1_000_000, "dozen": 12,
        "dutzend": 12,
    ]

    private static let words: [String: Int] = {
        var words = cardinals([.english, .german])
        for word in articles { words[word] = 1 }
        return words
    }()

    /// The whole number of one English or German word, 0 to 99: `twenty`, `forty-five`, `fünfundvierzig`. Articles are 1.
    package static func whole(_ word: String) -> Int? {
        if let value = words[word] { return value }
        let parts = word.split(separator: "-")
        if parts.count == 2, let tens = words[String(parts[0])], let ones = words[String(parts[1])], tens >= 20,
            ones < 10
        {
            return tens + ones
        }
        // German says the ones first.
        guard let und = word.range(of: "und", limit: 8), let ones = words[String(word[..<und.lowerBound])],
            let tens = words[String(word[und.upperBound...])], (1...9).contains(ones), tens >= 20
        else { return nil }
        return tens + ones
    }
}

extension String {
    /// The first place of a short text that starts within the first `limit` characters.
    fileprivate func range(of other: String, limit: Int) -> Range<String.Index>? {
        var start = startIndex
        for _ in 0..<limit where start < endIndex {
            if self[start...].hasPrefix(other) {
                return start..<(index(start, offsetBy: other.count, limitedBy: endIndex) ?? endIndex)
            }
            start = index(after: start)
        }
        return nil
    }
}
