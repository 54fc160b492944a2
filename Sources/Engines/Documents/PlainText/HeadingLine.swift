/// A short line of plain text that reads like the heading of a chapter.
struct HeadingLine: Equatable {
    enum Kind: Equatable {
        /// "Part Two", "BOOK I": above chapters.
        case part
        /// "Chapter 3", "CHAPTER III. The Problem".
        case chapter
        /// A part without a number: "Prologue", "Preface".
        case named
        /// A number alone, or with a title: "I", "I. Title", "3. Title".
        case number(Int, isRoman: Bool)
    }

    var kind: Kind
    /// Keyword and number, lower case, such as `chapter 3`.
    var key: String
    /// Whether a title follows the number.
    var hasTitle: Bool

    static let maxBytes = 120

    /// Reads a line; nil when it reads like ordinary text.
    init?(_ line: String) {
        guard line.utf8.count <= Self.maxBytes, Self.mayBegin(line.utf8) else { return nil }
        self.init(reading: line)
    }

    /// Whether a line's first word may be that of a heading. Most lines end here: a book may have a million of them.
    static func mayBegin(_ line: some Collection<UInt8>) -> Bool {
        let word = Array(line.prefix { $0 > 0x20 }.prefix(maxBytes))
        // Only words of ASCII that begin with a letter are looked at here. A space outside ASCII may end them.
        guard let first = word.first, (0x41...0x5A).contains(first & 0xDF), word.allSatisfy({ $0 < 0x80 }) else {
            return true
        }
        let end = word.lastIndex { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) } ?? word.startIndex
        let core = word[...end]
        guard core.count <= longest else { return false }
        let text = String(decoding: core.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        return named.contains(text) || keywords[text] != nil || roman(text) != nil
    }

    /// Bytes of the longest first word of ASCII.
    private static let longest = max(12, (named.union(keywords.keys)).map(\.utf8.count).max() ?? 0)

    /// Reads a line by all rules.
    init?(reading line: String) {
        let words = line.split { $0 == " " || $0 == "\t" || $0 == "\u{A0}" || $0 == "\n" }.map(String.init)
        guard let first = words.first, words.count <= 14 else { return nil }
        let word = Self.bare(first)
        if Self.named.contains(Self.bare(line))
            || (words.count <= 8 && Self.named.contains(word) && Self.isEnded(first))
        {
            self.init(kind: .named, key: Self.bare(line), hasTitle: true)
            return
        }
        if let kind = Self.keywords[word], words.count > 1 {
            let number = Self.bare(words[1])
            guard Self.number(number) != nil || Self.numberWords.contains(number) else { return nil }
            // "Chapter two tells of …" is a sentence; "Chapter Two. Of …" is a heading.
            guard words.count == 2 || Self.isEnded(words[1]) || Self.isTitle(words[2...]) else { return nil }
            let value = Self.number(number).map { String($0.value) } ?? number
            self.init(kind: kind, key: "\(word) \(value)", hasTitle: words.count > 2)
            return
        }
        if let chinese = Self.chineseChapter(first) {
            self.init(kind: .chapter, key: chinese, hasTitle: words.count > 1 || chinese.count < first.count)
            return
        }
        guard let (value, isRoman) = Self.number(word), value > 0, !isRoman || word.uppercased() == Self.core(first)
        else { return nil }
        guard words.count == 1 || (Self.isEnded(first) && Self.isTitle(words[1...])) else { return nil }
        self.init(kind: .number(value, isRoman: isRoman), key: word, hasTitle: words.count > 1)
    }

    private init(kind: Kind, key: String, hasTitle: Bool) {
        (self.kind, self.key, self.hasTitle) = (kind, key, hasTitle)
    }

    /// Whether words may be a title: no sentence's end, and a capital or a digit or another script at the start.
    private static func isTitle(_ words: ArraySlice<String>) -> Bool {
        guard let first = words.first?.first(where: { $0.isLetter || $0.isNumber }) else { return false }
        if first.isLowercase { return false }
        guard let last = words.last?.last else { return false }
        return last != "," && last != ";" && last != ":"
    }

    private static func isEnded(_ word: String) -> Bool {
        guard let last = word.last else { return false }
        return ".:)—–-".contains(last)
    }

    /// A word without marks at its ends, in its own case.
    private static func core(_ word: String) -> String {
        func isMark(_ character: Character) -> Bool {
            character.isPunctuation || character.isSymbol || character.isWhitespace
        }
        let start = word.drop(while: isMark)
        return String(start[..<(start.lastIndex { !isMark($0) }.map(start.index(after:)) ?? start.startIndex)])
    }

    private static func bare(_ word: String) -> String { core(word).lowercased() }

    /// The value of an Arabic number up to 999 or a Roman one up to 399.
    static func number(_ word: String) -> (value: Int, isRoman: Bool)? {
        if (1...3).contains(word.utf8.count), word.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = Int(word)
        {
            return (value, false)
        }
        return roman(word).map { ($0, true) }
    }

    /// The value of a Roman number up to 399 that is written as it must be; case does not matter.
    static func roman(_ word: String) -> Int? {
        guard (1...12).contains(word.utf8.count) else { return nil }
        var (rest, value) = (word.lowercased()[...], 0)
        for (letters, worth) in [
            ("c", 100), ("xc", 90), ("l", 50), ("xl", 40), ("x", 10), ("ix", 9), ("v", 5), ("iv", 4), ("i", 1),
        ] {
            var times = 0
            while rest.hasPrefix(letters), times < (["c", "x", "i"].contains(letters) ? 3 : 1) {
                rest = rest.dropFirst(letters.count)
                value += worth
                times += 1
            }
        }
        return rest.isEmpty && value > 0 ? value : nil
    }

    /// "第三章": the number and its counter.
    private static func chineseChapter(_ word: String) -> String? {
        guard word.hasPrefix("第"), let end = word.firstIndex(where: { "章回卷部節节话話".contains($0) }) else { return nil }
        let number = word[word.index(after: word.startIndex)..<end]
        guard (1...6).contains(number.count), number.allSatisfy({ $0.isNumber || "〇零一二三四五六七八九十百千两".contains($0) })
        else { return nil }
        return String(word[...end])
    }

    private static let keywords: [String: Kind] = [
        "part": .part, "book": .part, "volume": .part, "act": .part, "teil": .part, "buch": .part, "band": .part,
        "partie": .part, "livre": .part, "tome": .part, "parte": .part, "libro": .part, "livro": .part, "deel": .part,
        "chapter": .chapter, "letter": .chapter, "canto": .chapter, "scene": .chapter, "kapitel": .chapter,
        "chapitre": .chapter, "capítulo": .chapter, "capitulo": .chapter, "capitolo": .chapter, "hoofdstuk": .chapter,
        "kapitola": .chapter, "rozdział": .chapter, "глава": .chapter, "stave": .chapter, "lecture": .chapter,
    ]
    private static let named: Set<String> = [
        "prologue", "epilogue", "preface", "foreword", "afterword", "introduction", "conclusion", "appendix",
        "acknowledgments", "acknowledgements", "vorwort", "nachwort", "einleitung", "prolog", "epilog", "anhang",
        "préface", "avant-propos", "épilogue", "prólogo", "epílogo", "prefazione",
    ]
    private static let numberWords: Set<String> = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
        "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "first", "second", "third",
        "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "last",
        "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn",
        "premier", "première", "deuxième", "un", "deux", "trois", "primera", "primero", "uno", "dos", "tres",
    ]
}
