/// The part of a note or passage that a list shows: the place that matched, without the title that stands above it.
package enum Snippet {
    /// A place in a text where a word of the search stands, in UTF-8 bytes.
    package struct Match: Sendable, Hashable {
        package var range: Range<Int>
        package var term: String

        package init(range: Range<Int>, term: String) {
            self.range = range
            self.term = term
        }
    }

    /// The characters of a snippet in a list.
    package static let characters = 240

    /// A text in one line around the place that matched best: the one with the most of the words, long words first. Without
    /// a match, the beginning of the passage; without a passage, that of the text.
    ///
    /// - Parameters:
    ///   - title: A first line that repeats it is left out.
    ///   - matches: In the order of their places.
    ///   - passage: The passage that a search found, in UTF-8 bytes.
    package static func line(
        of text: String, title: String, matches: [Match] = [], passage: Range<Int>? = nil,
        characters: Int = Snippet.characters
    ) -> String {
        let header = frontMatter(of: text)
        // A title is near the beginning.
        let rest = header == 0 ? text : String(decoding: text.utf8.dropFirst(header).prefix(64 << 10), as: UTF8.self)
        var body = header + start(of: rest, after: title)
        var candidates = matches.filter { $0.range.lowerBound >= body }
        // What only the front matter says is shown from there.
        if candidates.isEmpty, header > 0, !matches.isEmpty { (body, candidates) = (0, matches) }
        let inPassage = passage.map { passage in candidates.filter { passage.contains($0.range.lowerBound) } } ?? []
        let match = best(inPassage.isEmpty ? candidates : inPassage, characters)
        let first = passage.map { max(body, $0.lowerBound) } ?? body
        // Marks and line ends go, so more of the text is cut out than is shown.
        let part = window(
            of: text, from: body, at: match ?? first, before: match == nil ? 0 : characters / 3,
            characters: characters * 2)
        return cut(plain(part.text), characters, isBegun: part.isBegun, isEnded: part.isEnded)
    }

    /// A part of a text around a place, with its line ends: at most so many characters, a third of them before the place.
    ///
    /// - Parameter match: A place in UTF-8 bytes; nil for the beginning.
    package static func part(of text: String, at match: Int?, characters: Int) -> String {
        guard let end = text.index(text.startIndex, offsetBy: characters, limitedBy: text.endIndex), end < text.endIndex
        else { return text }
        let found = window(of: text, from: 0, at: match ?? 0, before: characters / 3, characters: characters - 2)
        return (found.isBegun ? "…" : "") + found.text + (found.isEnded ? "" : "…")
    }

    // MARK: Parts

    /// The longest front matter that is left out, in UTF-8 bytes.
    private static let maxFrontMatter = 16 << 10

    /// The UTF-8 bytes of front matter at the beginning of a text: lines between two of `---`. 0 when nothing follows it.
    private static func frontMatter(of text: String) -> Int {
        guard text.hasPrefix("---\n") || text.hasPrefix("---\r\n") else { return 0 }
        var end = 0
        for (number, line) in text.utf8.prefix(maxFrontMatter).split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        ).enumerated() {
            end += line.count + 1
            guard number > 0, line.elementsEqual("---".utf8) || line.elementsEqual("---\r".utf8) else { continue }
            return end < text.utf8.count && text.utf8.dropFirst(end).contains { $0 > 0x20 } ? end : 0
        }
        return 0
    }

    /// Where the text begins after a first line that repeats the title, in UTF-8 bytes. Only a beginning as long as a title may be
    /// is read: a line that is longer is no title.
    private static func start(of text: String, after title: String) -> Int {
        let beginning = UTF8Border.part(of: text, 0..<4 * title.utf8.count + 256).text
        let isCut = beginning.utf8.count < text.utf8.count
        var rest = beginning[...].drop(while: \.isWhitespace)
        let line = rest.prefix { !$0.isNewline }
        guard !isCut || line.endIndex < beginning.endIndex else { return 0 }
        let name = line.drop { $0 == "#" }
        let bare = trimmed(name)
        guard !bare.isEmpty, TextFolding.folded(String(bare)) == TextFolding.folded(String(trimmed(title[...]))) else {
            return 0
        }
        rest = rest[line.endIndex...].drop(while: \.isWhitespace)
        // A note that is only its title shows it.
        guard isCut || !rest.isEmpty else { return 0 }
        return beginning.utf8.distance(from: beginning.utf8.startIndex, to: rest.startIndex)
    }

    /// The place from which the most and longest words are within reach.
    private static func best(_ matches: [Match], _ reach: Int) -> Int? {
        var best: (place: Int, worth: Int)?
        for (index, match) in matches.enumerated() {
            var terms: Set<String> = []
            for other in matches[index...] {
                guard other.range.lowerBound < match.range.lowerBound + reach / 2 else { break }
                terms.insert(other.term)
            }
            let worth = terms.reduce(0) { $0 + $1.utf8.count }
            if worth > best?.worth ?? 0 { best = (match.range.lowerBound, worth) }
        }
        return best?.place
    }

    private static func window(
        of text: String, from start: Int, at place: Int, before: Int, characters: Int
    ) -> (text: String, isBegun: Bool, isEnded: Bool) {
        let first = index(max(start, place), in: text)
        let body = index(start, in: text)
        var begin = first
        if before > 0 {
            begin = text.index(first, offsetBy: -before, limitedBy: body) ?? body
            // A cut within a word moves to the next one, unless that is the match.
            if begin > body, let space = text[begin..<first].firstIndex(where: \.isWhitespace) {
                begin = text[space..<first].firstIndex { !$0.isWhitespace } ?? first
            }
        }
        let end = text.index(begin, offsetBy: characters, limitedBy: text.endIndex) ?? text.endIndex
        return (String(text[begin..<end]), begin > body, end == text.endIndex)
    }

    /// The character that holds a byte.
    private static func index(_ offset: Int, in text: String) -> String.Index {
        let utf8 = text.utf8
        let place = utf8.index(utf8.startIndex, offsetBy: offset, limitedBy: utf8.endIndex) ?? utf8.endIndex
        return place == text.endIndex ? place : text.index(before: text.index(after: place))
    }

    /// A text in one line without the marks of Markdown.
    private static func plain(_ text: String) -> String {
        var words: [Substring] = []
        for line in text.split(whereSeparator: \.isNewline) {
            var rest = line.drop(while: \.isWhitespace)
            let marks = rest.prefix { $0 == "#" || $0 == ">" }
            if !marks.isEmpty, rest.dropFirst(marks.count).first?.isWhitespace != false {
                rest = rest.dropFirst(marks.count)
            }
            words += rest.split(whereSeparator: \.isWhitespace)
        }
        var plain = words.joined(separator: " ")
        for mark in ["**", "__", "~~", "`"] { plain = plain.replacing(mark, with: "") }
        return plain
    }

    private static func cut(_ text: String, _ characters: Int, isBegun: Bool, isEnded: Bool) -> String {
        var shown = text.prefix(characters)
        let isWhole = shown.endIndex == text.endIndex
        // A last word that is cut goes, unless it is most of the text.
        if !isWhole, text[shown.endIndex].isWhitespace == false, let space = shown.lastIndex(of: " "),
            shown.distance(from: shown.startIndex, to: space) > characters / 2
        {
            shown = shown[..<space]
        }
        return (isBegun ? "…" : "") + shown + (isWhole && isEnded ? "" : "…")
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
