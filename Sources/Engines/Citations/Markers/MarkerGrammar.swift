/// What may stand between the brackets of a citation.
///
/// `[1]`, `[2, 3]`, `[1-3]`, `[1 and 2]`, `[^1]`, `[Note 1]`, `[see notes 1 and 2]`, `[Note 1: Tide]`, `【1†source】`; in parentheses with
/// a word for a note, `(see note 1)`, or a bare number at the end of a sentence, `(1)`.
package enum MarkerGrammar {
    /// Numbers in one marker at most; text with more is no marker.
    package static let maxNumbers = 20
    /// UTF-8 bytes of a marker at most, brackets included.
    package static let maxBytes = 64
    /// Decimal digits of a number at most: `[2024]` is a year.
    package static let maxDigits = 3

    /// The bracket that closes what a bracket opens; nil for other characters.
    static func closing(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case "[": "]"
        case "【": "】"
        case "［": "］"
        case "〔": "〕"
        case "(": ")"
        case "（": "）"
        default: nil
        }
    }

    /// Whether a closing bracket is a parenthesis, between which most text is no citation.
    static func isParenthesis(_ closing: Unicode.Scalar) -> Bool { closing == ")" || closing == "）" }

    /// Introduces the name of a source: `【1†source】`.
    static let dagger: Unicode.Scalar = "†"

    /// The value of an ASCII or full-width digit.
    static func digit(_ scalar: Unicode.Scalar) -> Int? {
        switch scalar.value {
        case 0x30...0x39: Int(scalar.value - 0x30)
        case 0xFF10...0xFF19: Int(scalar.value - 0xFF10)
        default: nil
        }
    }

    static func isComma(_ scalar: Unicode.Scalar) -> Bool {
        [",", "，", "、", ";", "；", "&", "+", "/"].contains(scalar)
    }

    static func isDash(_ scalar: Unicode.Scalar) -> Bool { ["-", "–", "—", "－", "‑"].contains(scalar) }

    /// Words for a note.
    static let nouns: Set<String> = [
        "note", "notes", "passage", "passages", "source", "sources", "citation", "citations", "cite", "cites", "ref",
        "refs",
        "reference", "references", "doc", "docs", "document", "documents", "notiz", "notizen", "quelle", "quellen",
        "stelle",
        "stellen", "textstelle", "abschnitt", "beleg", "belege", "dokument", "dokumente", "fn", "footnote", "footnotes",
        "excerpt",
        "excerpts",
    ]
    /// Words before a note.
    static let leads: Set<String> = [
        "see", "also", "cf", "from", "per", "in", "by", "the", "your", "no", "nr", "vgl", "siehe", "aus", "laut", "s",
        "auch", "deine",
        "deiner", "vergleiche", "compare", "eg", "via", "and", "und",
    ]
    /// Words between numbers.
    static let joints: Set<String> = ["and", "und", "or", "oder", "et", "plus"]
    /// Words between the ends of a range.
    static let ranges: Set<String> = ["to", "bis", "through", "thru"]

    private static let words = nouns.union(leads).union(joints).union(ranges)

    /// Whether letters, in lower case, may begin a word of a marker.
    static func mayBegin(_ letters: String) -> Bool { words.contains { $0.hasPrefix(letters) } }
}

/// Reads what stands between the brackets of a citation, character by character.
struct MarkerReader {
    /// What was read.
    struct Reading: Equatable {
        var numbers: [Int]
        /// Whether a word for a note stands before a number.
        var isNamed: Bool
    }

    private var found: [Int] = []
    private var isNamed = false
    private var word = ""
    private var number: Int?
    private var digits = 0
    /// The first number of a range whose second one comes.
    private var rangeStart: Int?
    /// Whether a number was read, so that only what joins or ends may follow.
    private var hasNumber = false
    private var needsNumber = true
    /// Whether a space stands behind the number.
    private var isClosed = false
    /// Whether the name of a source follows, which may be anything.
    private var isFree = false
    /// A colon or a dash that a name may follow.
    private var mayName = false
    private var isValid = true

    /// Whether the destination of a link is no address but the number again: `#1`, `1`, `note-1`.
    static func isInternal(_ destination: some Collection<Unicode.Scalar>) -> Bool {
        if destination.first == "#" { return true }
        let digits = destination.reversed().prefix { MarkerGrammar.digit($0) != nil }
        var word = String.UnicodeScalarView()
        word.append(contentsOf: destination.dropLast(digits.count).filter { !["-", "_", ":"].contains($0) })
        return !digits.isEmpty && (word.isEmpty || MarkerGrammar.nouns.contains(String(word).lowercased()))
    }

    /// Takes the next character; false when no citation has it there.
    mutating func read(_ scalar: Unicode.Scalar) -> Bool {
        isValid = isValid && take(scalar)
        return isValid
    }

    /// The numbers, if the text so far is a whole citation.
    mutating func finish() -> Reading? {
        guard isValid, endWord(), endNumber(), !needsNumber, rangeStart == nil, isFree || !mayName,
            (1...MarkerGrammar.maxNumbers).contains(found.count)
        else { return nil }
        return Reading(numbers: found, isNamed: isNamed)
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "\n" || scalar == "[" || scalar == "]" { return false }
        if isFree { return scalar != "`" }
        if mayName {
            // `[1: Tide]`; `[12:30]` is a time.
            if scalar == " " { return true }
            guard scalar.properties.isAlphabetic || "\"“„*_".unicodeScalars.contains(scalar) else { return false }
            isFree = true
            return true
        }
        if let digit = MarkerGrammar.digit(scalar) {
            guard endWord(), !isClosed, !hasNumber, digits < MarkerGrammar.maxDigits else { return false }
            digits += 1
            number = (number ?? 0) * 10 + digit
            return true
        }
        if scalar.properties.isAlphabetic {
            guard endNumber() else { return false }
            word.unicodeScalars.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
            return MarkerGrammar.mayBegin(word)
        }
        switch scalar {
        case " ", "\u{A0}", "\u{202F}":
            isClosed = number != nil
            return endWord()
        case "#": return number == nil && endWord()
        case "*", "_", "^":
            // `[2^10]` is a power.
            isClosed = number != nil
            return endWord()
        case ".":
            if !word.isEmpty { return endWord() }
            isClosed = true
            return number != nil
        case MarkerGrammar.dagger:
            guard endNumber(), !needsNumber else { return false }
            isFree = true
            return true
        case ":", "：":
            if !word.isEmpty { return endWord() }
            guard endNumber(), hasNumber else { return number == nil && isNamed }
            mayName = true
            return true
        default: break
        }
        if MarkerGrammar.isComma(scalar) {
            guard endWord(), endNumber(), !needsNumber else { return false }
            join()
            return true
        }
        if MarkerGrammar.isDash(scalar) {
            guard endWord() else { return false }
            if number == nil { return isNamed && !hasNumber && rangeStart == nil }
            return beginRange()
        }
        return false
    }

    private mutating func join() { (hasNumber, needsNumber, isClosed) = (false, true, false) }

    private mutating func beginRange() -> Bool {
        if number == nil, hasNumber, let last = found.popLast() {
            (rangeStart, hasNumber, needsNumber, isClosed) = (last, false, true, false)
            return true
        }
        guard let first = number, rangeStart == nil else { return false }
        (rangeStart, number, digits, isClosed) = (first, nil, 0, false)
        return true
    }

    /// Ends a word; false when it has no place there.
    private mutating func endWord() -> Bool {
        guard !word.isEmpty else { return true }
        let ended = word
        word = ""
        if hasNumber {
            if MarkerGrammar.joints.contains(ended) {
                join()
                return true
            }
            return MarkerGrammar.ranges.contains(ended) && beginRange()
        }
        if MarkerGrammar.nouns.contains(ended) {
            isNamed = true
            return rangeStart == nil
        }
        return MarkerGrammar.leads.contains(ended) && rangeStart == nil
    }

    /// Ends a number; false when it is no number, or its range falls or is too long.
    private mutating func endNumber() -> Bool {
        guard let last = number else { return true }
        (number, digits, isClosed) = (nil, 0, false)
        let first = rangeStart ?? last
        rangeStart = nil
        guard first <= last, last - first < MarkerGrammar.maxNumbers else { return false }
        for value in first...last where !found.contains(value) { found.append(value) }
        (hasNumber, needsNumber) = (true, false)
        return found.count <= MarkerGrammar.maxNumbers
    }
}
