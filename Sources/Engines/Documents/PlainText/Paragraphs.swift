/// Paragraphs of plain text.
enum Paragraphs {
    /// A line that is longer than this was not wrapped by hand, so it is a paragraph of its own.
    static let longLine = 200
    /// A longer paragraph is looked at again: it may have indented first lines instead of empty lines.
    static let longParagraph = 4000

    /// The paragraphs, without white space at their ends.
    static func ranges(in utf8: [UInt8]) -> [Range<Int>] {
        var (result, lines, start): ([Range<Int>], [Range<Int>], Int) = ([], [], 0)
        while start <= utf8.count {
            let end = utf8[start...].firstIndex(of: 0x0A) ?? utf8.count
            if let line = trimmed(start..<end, in: utf8) {
                lines.append(line)
            } else {
                result += paragraphs(lines, in: utf8)
                lines = []
            }
            start = end + 1
        }
        return result + paragraphs(lines, in: utf8)
    }

    /// The paragraphs of lines without an empty one between them.
    private static func paragraphs(_ lines: [Range<Int>], in utf8: [UInt8]) -> [Range<Int>] {
        guard let first = lines.first, let last = lines.last else { return [] }
        let whole = first.lowerBound..<last.upperBound
        if lines.contains(where: { $0.count > longLine }) { return lines }
        guard whole.count > longParagraph else { return [whole] }
        var result: [Range<Int>] = []
        for line in lines {
            let isIndented =
                line.lowerBound > 1 && isSpace(utf8[line.lowerBound - 1]) && isSpace(utf8[line.lowerBound - 2])
            if let last = result.last, !isIndented {
                result[result.count - 1] = last.lowerBound..<line.upperBound
            } else {
                result.append(line)
            }
        }
        return result
    }

    private static func trimmed(_ range: Range<Int>, in utf8: [UInt8]) -> Range<Int>? {
        guard let first = utf8[range].firstIndex(where: { !isSpace($0) }),
            let last = utf8[range].lastIndex(where: { !isSpace($0) })
        else { return nil }
        return first..<last + 1
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
