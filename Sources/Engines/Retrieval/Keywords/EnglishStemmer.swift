/// Reduces English words to stems, so that `waves` matches `wave`: the Porter2 algorithm (Porter, "The English
/// (Porter2) stemming algorithm", snowballstem.org, 2001), implemented from its description.
///
/// Words with characters outside a–z stay unchanged. Regions have the names of the description: R1 is the part after
/// the first non-vowel that follows a vowel, R2 is the R1 of R1.
struct EnglishStemmer {
    /// The letters; `Y` is a y that is a consonant.
    private var word: [UInt8] { didSet { tail = Self.packed(word.suffix(8)) } }
    /// The last eight letters of ``word``, packed to compare a suffix in one step.
    private var tail: UInt64
    private var r1 = 0
    private var r2 = 0

    /// The stem of a folded word.
    static func stem(_ word: [UInt8]) -> [UInt8] {
        guard word.count > 2, word.allSatisfy({ $0 &- 0x61 < 26 }) else { return word }
        if word.count <= 6, let fixed = exceptions[packed(word[...])] { return fixed }
        var stemmer = EnglishStemmer(word: word)
        stemmer.run()
        return stemmer.word
    }

    private init(word: [UInt8]) {
        self.word = word
        tail = Self.packed(word.suffix(8))
    }

    private mutating func run() {
        markConsonantY()
        markRegions()
        removePlural()
        if word.count > 7 || !Self.invariants.contains(tail) {
            removePast()
            replaceFinalY()
            shortenDouble()
            shortenSingle()
            removeSuffix()
            removeFinalE()
        }
        for index in word.indices where word[index] == Self.consonantY { word[index] = UInt8(ascii: "y") }
    }

    // MARK: Steps

    private mutating func markConsonantY() {
        for index in word.indices
        where word[index] == UInt8(ascii: "y") && (index == 0 || Self.isVowel(word[index - 1])) {
            word[index] = Self.consonantY
        }
    }

    private mutating func markRegions() {
        r1 = Self.regionPrefixes.first { word.starts(with: $0) }?.count ?? region(after: 0)
        r2 = region(after: r1)
    }

    /// Step 1a.
    private mutating func removePlural() {
        if ends("sses") {
            word.removeLast(2)
        } else if ends("ied") || ends("ies") {
            word.removeLast(word.count > 4 ? 2 : 1)
        } else if ends("us") || ends("ss") {
            return
        } else if ends("s"), word.dropLast(2).contains(where: Self.isVowel) {
            word.removeLast()
        }
    }

    /// Step 1b.
    private mutating func removePast() {
        for suffix in Self.eedSuffixes where ends(suffix) {
            if isInR1(suffix) { replace(suffix, "ee") }
            return
        }
        for suffix in Self.pastSuffixes where ends(suffix) {
            guard word.dropLast(suffix.length).contains(where: Self.isVowel) else { return }
            word.removeLast(suffix.length)
            if ends("at") || ends("bl") || ends("iz") {
                word.append(UInt8(ascii: "e"))
            } else if Self.doubles.contains(where: ends) {
                word.removeLast()
            } else if r1 >= word.count, endsInShortSyllable(word.count) {
                word.append(UInt8(ascii: "e"))
            }
            return
        }
    }

    /// Step 1c.
    private mutating func replaceFinalY() {
        guard word.count > 2, let last = word.last, last == UInt8(ascii: "y") || last == Self.consonantY,
            !Self.isVowel(word[word.count - 2])
        else { return }
        word[word.count - 1] = UInt8(ascii: "i")
    }

    /// Step 2.
    private mutating func shortenDouble() {
        guard let (suffix, replacement) = Self.doubleSuffixes.first(where: { ends($0.0) }) else { return }
        guard isInR1(suffix) else { return }
        switch suffix {
        case "ogi":
            if ends("logi") { word.removeLast() }
        case "li":
            if word.count > 2, Self.liEndings.contains(word[word.count - 3]) { word.removeLast(2) }
        default: replace(suffix, replacement)
        }
    }

    /// Step 3.
    private mutating func shortenSingle() {
        guard let (suffix, replacement) = Self.singleSuffixes.first(where: { ends($0.0) }) else { return }
        guard isInR1(suffix), suffix != "ative" || isInR2(suffix) else { return }
        replace(suffix, replacement)
    }

    /// Step 4.
    private mutating func removeSuffix() {
        guard let suffix = Self.suffixes.first(where: ends), isInR2(suffix) else { return }
        if suffix == "ion", !(ends("sion") || ends("tion")) { return }
        word.removeLast(suffix.length)
    }

    /// Step 5.
    private mutating func removeFinalE() {
        if ends("e") {
            if isInR2("e") || (isInR1("e") && !endsInShortSyllable(word.count - 1)) { word.removeLast() }
        } else if ends("ll"), isInR2("l") {
            word.removeLast()
        }
    }

    // MARK: Tests

    private func ends(_ suffix: Suffix) -> Bool { word.count >= suffix.length && tail & suffix.mask == suffix.letters }

    private func isInR1(_ suffix: Suffix) -> Bool { word.count - suffix.length >= r1 }
    private func isInR2(_ suffix: Suffix) -> Bool { word.count - suffix.length >= r2 }

    private mutating func replace(_ suffix: Suffix, _ replacement: String) {
        word.replaceSubrange((word.count - suffix.length)..., with: replacement.utf8)
    }

    /// The index after the first non-vowel that follows a vowel, searched from an index on.
    private func region(after start: Int) -> Int {
        guard start < word.count else { return word.count }
        var sawVowel = false
        for index in start..<word.count {
            if Self.isVowel(word[index]) {
                sawVowel = true
            } else if sawVowel {
                return index + 1
            }
        }
        return word.count
    }

    /// Whether the letters before `end` end in a short syllable. That is a vowel between consonants, the last one not
    /// w, x or Y, or a vowel at the beginning and a consonant.
    private func endsInShortSyllable(_ end: Int) -> Bool {
        guard end >= 2, !Self.isVowel(word[end - 1]), Self.isVowel(word[end - 2]) else { return false }
        if end == 2 { return true }
        let last = word[end - 1]
        return !Self.isVowel(word[end - 3]) && last != UInt8(ascii: "w") && last != UInt8(ascii: "x")
            && last != Self.consonantY
    }

    // MARK: Tables

    private static let consonantY = UInt8(ascii: "Y")

    private static func isVowel(_ letter: UInt8) -> Bool {
        switch letter {
        case UInt8(ascii: "a"), UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "o"), UInt8(ascii: "u"),
            UInt8(ascii: "y"):
            true
        default: false
        }
    }

    /// Up to eight letters as a number, the last one lowest.
    private static func packed(_ letters: some Sequence<UInt8>) -> UInt64 {
        letters.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Up to eight letters at the end of a word.
    private struct Suffix: ExpressibleByStringLiteral, Equatable {
        var letters: UInt64
        var length: Int
        var mask: UInt64 { length < 8 ? 1 << UInt64(8 * length) - 1 : .max }

        init(stringLiteral text: String) {
            letters = EnglishStemmer.packed(text.utf8)
            length = text.utf8.count
        }
    }

    private static let eedSuffixes: [Suffix] = ["eedly", "eed"]
    private static let pastSuffixes: [Suffix] = ["ingly", "edly", "ing", "ed"]
    private static let doubles: [Suffix] = ["bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"]
    private static let liEndings = Set("cdeghkmnrt".utf8)
    private static let regionPrefixes = ["gener", "commun", "arsen"].map { Array($0.utf8) }

    /// Sorted so that the first match is the longest: a suffix precedes its own endings.
    private static let doubleSuffixes: [(Suffix, String)] = [
        ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("abli", "able"), ("entli", "ent"),
        ("ization", "ize"), ("izer", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("aliti", "al"),
        ("alli", "al"), ("fulness", "ful"), ("ousli", "ous"), ("ousness", "ous"), ("iveness", "ive"), ("iviti", "ive"),
        ("biliti", "ble"), ("bli", "ble"), ("ogi", "og"), ("fulli", "ful"), ("lessli", "less"), ("li", ""),
    ]
    private static let singleSuffixes: [(Suffix, String)] = [
        ("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("icate", "ic"), ("iciti", "ic"), ("ical", "ic"),
        ("ful", ""), ("ness", ""), ("ative", ""),
    ]
    private static let suffixes: [Suffix] = [
        "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion",
        "al", "er", "ic",
    ]
    /// Words that the rules stem wrongly.
    private static let exceptions: [UInt64: [UInt8]] = Dictionary(
        uniqueKeysWithValues: [
            ("skis", "ski"), ("skies", "sky"), ("dying", "die"), ("lying", "lie"), ("tying", "tie"), ("idly", "idl"),
            ("gently", "gentl"), ("ugly", "ugli"), ("early", "earli"), ("only", "onli"), ("singly", "singl"),
            ("sky", "sky"), ("news", "news"), ("howe", "howe"), ("atlas", "atlas"), ("cosmos", "cosmos"),
            ("bias", "bias"), ("andes", "andes"),
        ].map { (packed($0.0.utf8), Array($0.1.utf8)) })
    /// Words that stay unchanged after the first step.
    private static let invariants = Set(
        ["inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"].map { packed($0.utf8) })
}
