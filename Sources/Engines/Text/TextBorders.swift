/// The places where a text may be cut, found in one pass over its graphemes. Offsets are UTF-8 bytes.
struct TextBorders {
    /// The kind of a place between two graphemes; later kinds are better.
    enum Kind: UInt8, CaseIterable {
        /// Between two graphemes.
        case grapheme = 1
        /// After white space.
        case space
        /// After a sentence and the white space that follows it.
        case sentence
        /// After a line end.
        case line
        /// After a blank line, or before a Markdown heading.
        case paragraph
    }

    /// What line ends and stops mean in a text.
    enum Text {
        /// Notes: a line is a unit, and every stop before white space ends a sentence.
        case notes
        /// Books: lines are wrapped, and a stop after an abbreviation or an initial ends no sentence.
        case prose
    }

    /// The bytes covered: all, or those of the graphemes that begin before the limit.
    let count: Int
    /// By offset: the kind, 0 within a grapheme. ``isBlank`` is set where a white space grapheme begins.
    private var marks: [UInt8]

    private static let isBlank: UInt8 = 0x80

    /// Finds the borders of a text.
    ///
    /// - Parameter limit: Graphemes that begin at this offset or later are ignored.
    init(_ text: String, limit: Int, kind textKind: Text = .notes) {
        let bytes = text.utf8.count
        marks = [UInt8](repeating: 0, count: min(bytes, limit) + 1)
        var state = LineState(textKind)
        var offset = 0
        for (index, character) in zip(text.indices, text) {
            guard offset < limit else { break }
            let isBlank = character.unicodeScalars.allSatisfy(\.properties.isWhitespace)
            var kind = state.kind(before: character)
            if kind == .line, Self.isHeading(text.utf8[index...]) { kind = .paragraph }
            marks[offset] = kind.rawValue | (isBlank ? Self.isBlank : 0)
            state.advance(over: character, isBlank: isBlank)
            offset += character.utf8.count
        }
        // The last grapheme may reach beyond the limit.
        if offset >= marks.count { marks += [UInt8](repeating: 0, count: offset - marks.count + 1) }
        marks[offset] = Kind.line.rawValue
        count = offset
    }

    /// The border of at least a kind that is nearest to a place; the earlier of two equally near ones.
    func nearest(to place: Int, in window: Range<Int>, atLeast kind: Kind) -> Int? {
        let window = window.clamped(to: 0..<count + 1)
        guard let last = window.last else { return nil }
        let place = min(max(place, window.lowerBound), last)
        for distance in 0..<window.count {
            if window.contains(place - distance), isBorder(place - distance, kind) { return place - distance }
            if window.contains(place + distance), isBorder(place + distance, kind) { return place + distance }
        }
        return nil
    }

    /// The last border of any kind in a window.
    func last(in window: Range<Int>) -> Int? {
        window.clamped(to: 0..<count + 1).last { isBorder($0, .grapheme) }
    }

    /// The first border of any kind at or after a place; at the latest the end.
    func first(from place: Int) -> Int {
        place < count ? (place...count).first { isBorder($0, .grapheme) } ?? count : count
    }

    /// The first place at or after a border that is not white space; the end when there is none.
    func start(after border: Int) -> Int {
        var place = border
        while place < count, marks[place] & Self.isBlank != 0 { place = first(from: place + 1) }
        return place
    }

    /// The end of the last non-blank grapheme before a border; 0 when there is none.
    func end(before border: Int) -> Int {
        var place = border
        while place > 0, let previous = last(in: 0..<place), marks[previous] & Self.isBlank != 0 { place = previous }
        return place
    }

    private func isBorder(_ place: Int, _ kind: Kind) -> Bool { marks[place] & ~Self.isBlank >= kind.rawValue }

    /// Whether a line is a Markdown heading: one to six number signs, indented by three spaces at most, then a space.
    private static func isHeading(_ line: Substring.UTF8View) -> Bool {
        var rest = line
        for _ in 0..<3 where rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
        var signs = 0
        while rest.first == UInt8(ascii: "#"), signs < 7 {
            rest = rest.dropFirst()
            signs += 1
        }
        return (1...6).contains(signs) && (rest.first == UInt8(ascii: " ") || rest.first == UInt8(ascii: "\t"))
    }
}

extension TextBorders.Kind: Comparable {
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The state of a line so far, which decides the kind of the place after it.
private struct LineState {
    /// The kind of the current place. The start of a text counts as a paragraph.
    private var kind = TextBorders.Kind.paragraph
    /// Whether the line so far is white space.
    private var lineIsBlank = true
    private var sentence = Sentence.open
    private let text: TextBorders.Text
    /// The letters before the current place, at most ``longestWord`` + 1; kept for prose.
    private var word = ""

    private static let longestWord = 5
    /// Words behind which a stop ends no sentence, in lower case.
    private static let abbreviations: Set<String> = [
        "mr", "mrs", "ms", "dr", "prof", "st", "rev", "gen", "col", "capt", "lt", "sgt", "hon", "messr", "mme", "mlle",
        "vs", "cf", "vol", "fig", "approx", "hr", "bzw", "vgl", "nr", "ca",
    ]

    init(_ text: TextBorders.Text) { self.text = text }

    /// The progress towards the end of a sentence.
    private enum Sentence {
        /// Within the sentence.
        case open
        /// After a mark that ends it if white space follows.
        case stopped
        /// After a mark that always ends it: those of scripts without spaces between words.
        case ended
        /// In the white space after it.
        case behind
    }

    /// The effect of a grapheme on a sentence, by its first scalar.
    private enum Role {
        case stop, wideStop, closer, other

        init(_ character: Character) {
            switch character.unicodeScalars.first {
            case ".", "!", "?", "…": self = .stop
            case "。", "！", "？", "．", "｡": self = .wideStop
            case "\"", "'", ")", "]", "”", "’", "»", "」", "』", "）", "】", "》", "〉": self = .closer
            default: self = .other
            }
        }
    }

    /// The kind of the place before the next grapheme. Closing marks stay with their sentence.
    func kind(before next: Character) -> TextBorders.Kind {
        guard sentence == .ended else { return kind }
        switch Role(next) {
        case .closer, .wideStop: return .grapheme
        case .stop, .other: return kind
        }
    }

    mutating func advance(over character: Character, isBlank: Bool) {
        if isBlank, character.isNewline {
            if text == .prose, !lineIsBlank {
                if sentence != .open { sentence = .behind }
                kind = sentence == .behind ? .sentence : .space
            } else {
                kind = lineIsBlank ? .paragraph : .line
                sentence = .open
            }
            lineIsBlank = true
            word = ""
            return
        }
        if isBlank {
            if sentence != .open { sentence = .behind }
            kind = sentence == .behind ? .sentence : .space
            word = ""
            return
        }
        lineIsBlank = false
        defer { if text == .prose { note(character) } }
        switch Role(character) {
        case .stop: sentence = character == "." && isAbbreviated ? .open : .stopped
        case .wideStop: sentence = .ended
        case .closer where sentence != .behind: break
        case .closer, .other: sentence = .open
        }
        kind = sentence == .ended ? .sentence : .grapheme
    }

    /// Whether the word before a full stop is an abbreviation or an initial.
    private var isAbbreviated: Bool {
        guard text == .prose, let last = word.last else { return false }
        if word.count == 1 { return last.isUppercase && last != "I" }
        return word.count <= Self.longestWord + 1 && Self.abbreviations.contains(word.lowercased())
    }

    private mutating func note(_ character: Character) {
        if character.isLetter {
            if word.count <= Self.longestWord + 1 { word.append(character) }
        } else {
            word = ""
        }
    }
}
