/// Finds the borders of sentences and paragraphs in a few hundred bytes of a book's text around a passage. By punctuation alone:
/// a border that is missed or too many only makes a result a sentence longer or shorter.
package enum NearSentences {
    /// Where the first sentence begins whose start is within the bytes; nil when none does.
    package static func firstStart(in text: [UInt8]) -> Int? {
        var place = 0
        while let end = nextEnd(in: text, from: place) {
            var start = end
            while start < text.count, isSpace(text[start]) { start += 1 }
            if start < text.count { return start }
            place = end
        }
        return nil
    }

    /// Where the last sentence ends whose end is within the bytes; nil when none does.
    package static func lastEnd(in text: [UInt8]) -> Int? {
        var last: Int?
        var place = 0
        while let end = nextEnd(in: text, from: place) {
            last = end
            place = end
        }
        return last
    }

    /// Whether there is an empty line, which separates paragraphs.
    package static func hasParagraphBorder(_ text: [UInt8]) -> Bool {
        var isAfterLine = false
        for byte in text {
            if byte == 0x0A {
                if isAfterLine { return true }
                isAfterLine = true
            } else if !isSpace(byte) {
                isAfterLine = false
            }
        }
        return false
    }

    /// The end of the next sentence behind its closing marks. White space must follow, except after full-width punctuation.
    private static func nextEnd(in text: [UInt8], from start: Int) -> Int? {
        var place = start
        while place < text.count {
            // Full-width punctuation begins with one of these bytes.
            let mayBeWide = text[place] == 0xE3 || text[place] == 0xEF
            let isWide = mayBeWide && wideEnds.contains { text[place...].starts(with: $0) }
            guard isWide || text[place] == 0x2E || text[place] == 0x21 || text[place] == 0x3F else {
                place += 1
                continue
            }
            place += isWide ? 3 : 1
            while let mark = closing.first(where: { text[place...].starts(with: $0) }) { place += mark.count }
            if isWide || (place < text.count && isSpace(text[place])) { return place }
        }
        return nil
    }

    private static let wideEnds = ["。", "！", "？"].map { Array($0.utf8) }
    private static let closing = ["\"", "'", ")", "]", "”", "’", "»", "」"].map { Array($0.utf8) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
