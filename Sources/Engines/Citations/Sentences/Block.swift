/// Lines of Markdown that sentences do not cross: a paragraph, a list item, a heading, a row of a table.
struct Block: Equatable {
    var isHeading = false
    /// Characters without the mark of a list item, a heading or a quotation.
    var range: Range<Int>

    /// The blocks of a text. Fenced code, rules and rows that only draw a table belong to none.
    ///
    /// - Parameter breaksAtLineEnds: Whether each line is a block, as in an answer that a model writes. In other texts a
    ///   line end within a paragraph is white space.
    static func blocks(of text: ScalarText, breaksAtLineEnds: Bool) -> [Block] {
        var blocks: [Block] = []
        var place = MarkdownPlace()
        var start = 0
        var mayContinue = false
        while start < text.scalars.count {
            let end = text.scalars[start...].firstIndex(of: "\n") ?? text.scalars.count
            let wasCode = place.part == .fence
            for scalar in text.scalars[start..<end] { _ = place.advance(scalar) }
            let isCode = wasCode || place.part == .fence
            if end < text.scalars.count { _ = place.advance("\n") }
            let line = Line(text, start..<end)
            if isCode || line.isEmpty {
                mayContinue = false
            } else if mayContinue, !line.startsBlock, !breaksAtLineEnds, let last = blocks.indices.last {
                blocks[last].range = blocks[last].range.lowerBound..<line.content.upperBound
            } else {
                blocks.append(Block(isHeading: line.isHeading, range: line.content))
                mayContinue = !line.isHeading
            }
            start = end + 1
        }
        return blocks
    }
}

/// What the start of a line says.
private struct Line {
    /// The characters behind the mark, without white space around them.
    var content: Range<Int>
    var isHeading = false
    /// Whether a mark of a list, a heading, a quotation or a table begins the line.
    var startsBlock = false
    /// Whether no letter and no digit is there.
    var isEmpty: Bool

    init(_ text: ScalarText, _ range: Range<Int>) {
        content = text.trimmed(range) ?? range.lowerBound..<range.lowerBound
        isEmpty = !text.scalars[content].contains { $0.isLetter || $0.isNumeric }
        guard !isEmpty else { return }
        while let mark = Self.mark(text, content), mark.end < content.upperBound {
            startsBlock = true
            isHeading = isHeading || mark.isHeading
            guard let rest = text.trimmed(mark.end..<content.upperBound) else { return }
            content = rest
        }
    }

    /// Where the mark at the start of a line ends; nil when there is none.
    private static func mark(_ text: ScalarText, _ line: Range<Int>) -> (end: Int, isHeading: Bool)? {
        let start = line.lowerBound
        guard let first = text[start] else { return nil }
        let isSpaceNext = text[start + 1].map { $0 == " " || $0 == "\t" } ?? false
        switch first {
        case ">", "|": return (start + 1, false)
        case "-", "*", "+", "•", "–": return isSpaceNext ? (start + 1, false) : nil
        case "#":
            let end = text.scalars[line].prefix(7).firstIndex { $0 != "#" } ?? line.upperBound
            return text[end] == " " ? (end, true) : nil
        case "0"..."9":
            let end = text.scalars[line].prefix(4).firstIndex { !("0"..."9").contains($0) } ?? line.upperBound
            guard text[end] == "." || text[end] == ")", text[end + 1] == " " else { return nil }
            return isOrdinal(text, end + 2) ? nil : (end + 1, false)
        default: return nil
        }
    }

    /// Whether what follows `12. ` is a month or a small letter: the number is part of a sentence.
    private static func isOrdinal(_ text: ScalarText, _ start: Int) -> Bool {
        guard let first = text[start] else { return false }
        return first.isSmall || Abbreviations.isMonth(text, at: start)
    }
}
