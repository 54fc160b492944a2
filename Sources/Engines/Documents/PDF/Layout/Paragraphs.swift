/// Finds where paragraphs begin among the lines of a column.
enum Paragraphs {
    /// Marks the lines from a place on, which are one column.
    static func mark(_ lines: inout [PageText.Line], from first: Int, bytes: [UInt8], frame: Frame) {
        guard first < lines.count else { return }
        lines[first].startsBlock = true
        let spans = lines[first...].map { span($0.box, frame) }
        let left = spans.map(\.u0).min() ?? 0
        let right = spans.map(\.u1).max() ?? 0
        let leading = leading(spans)
        var linesInBlock = 1
        var isIndented = false
        for index in 1..<max(spans.count, 1) {
            let (last, next) = (spans[index - 1], spans[index])
            let (lastLine, line) = (lines[first + index - 1], lines[first + index])
            let size = max(line.size, 1)
            let step = next.v1 - last.v1
            let isTable = line.cells > 1 && lastLine.cells > 1
            // Lines of one paragraph are at most three font sizes apart; a larger gap than the usual one separates, too.
            let isFar =
                step < 0 || step > size * 3
                || step > max(leading * 1.3, size * 1.15) && step > size * (isTable ? 2.2 : 1.25)
            let isOtherSize = max(line.size, lastLine.size) > min(line.size, lastLine.size) * 1.15
            let indent = next.u0 - last.u0
            // A first line is indented against the left edge; hanging lines are indented against the first one.
            let isFirstLine =
                indent > size * 0.8 && indent < size * 5 && last.u0 < left + size * 0.5 && linesInBlock > 1
            let isAfterHanging = indent < -size * 0.8 && linesInBlock > 1 && isIndented
            let isAfterShort = last.u1 < right - (right - left) * 0.2 && endsSentence(lastLine, bytes)
            let isItem = startsItem(line, bytes)
            let breaks =
                isFar || isOtherSize || isItem
                || !isTable && (isFirstLine || isAfterHanging || isAfterShort)
            lines[first + index].startsBlock = breaks
            linesInBlock = breaks ? 1 : linesInBlock + 1
            isIndented = !breaks && (linesInBlock == 2 ? indent > size * 0.8 : isIndented)
        }
    }

    private typealias Span = (u0: Float, u1: Float, v1: Float)

    /// The ends of a box along the lines, and its lower edge.
    private static func span(_ box: DocumentBox, _ frame: Frame) -> Span {
        let corners = [
            (box.x, box.y), (box.x + box.width, box.y), (box.x, box.y + box.height),
            (box.x + box.width, box.y + box.height),
        ]
        let us = corners.map { frame.u($0.0, $0.1) }
        let vs = corners.map { frame.v($0.0, $0.1) }
        return (us.min() ?? 0, us.max() ?? 0, vs.max() ?? 0)
    }

    /// The usual distance of lines: the lower quartile, which gaps between paragraphs do not raise.
    private static func leading(_ spans: [Span]) -> Float {
        let steps = zip(spans, spans.dropFirst()).map { $1.v1 - $0.v1 }.filter { $0 > 0 }.sorted()
        return steps.isEmpty ? 0 : steps[steps.count / 3]
    }

    private static func endsSentence(_ line: PageText.Line, _ bytes: [UInt8]) -> Bool {
        guard let last = bytes[line.range].last else { return false }
        return last == UInt8(ascii: ".") || last == UInt8(ascii: "!") || last == UInt8(ascii: "?")
            || last == UInt8(ascii: ":") || last >= 0x80
    }

    /// A bullet and a space.
    static func startsItem(_ line: PageText.Line, _ bytes: [UInt8]) -> Bool {
        let start = bytes[line.range].prefix(4)
        for bullet in ["\u{2022} ", "\u{25AA} ", "\u{25CF} ", "\u{25E6} ", "\u{2023} ", "\u{25A0} ", "\u{B7} "]
        where start.starts(with: bullet.utf8) { return true }
        return false
    }
}
