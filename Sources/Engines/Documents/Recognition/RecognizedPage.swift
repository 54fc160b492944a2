/// The text that a program for text recognition found on the image of a page.
package struct RecognizedPage: Sendable, Hashable {
    /// A line of words with its place on the image.
    package struct Line: Sendable, Hashable {
        package var text: String
        /// In pixels of the image, from its top left corner.
        package var box: DocumentBox
        /// Whether the line begins a paragraph.
        package var startsBlock: Bool

        package init(text: String, box: DocumentBox, startsBlock: Bool) {
            self.text = text
            self.box = box
            self.startsBlock = startsBlock
        }
    }

    /// The size of the image in pixels; 0 when unknown.
    package var width: Float = 0
    package var height: Float = 0
    package var lines: [Line] = []

    /// Lines of one page at most.
    static let maxLines = 2_000
    /// Bytes of one line at most; longer ones are cut.
    static let maxLineBytes = 4_000
    /// Words with less confidence, in percent, are dust on the paper as a rule.
    static let leastConfidence: Float = 30

    package init() {}

    /// Reads the table of words that `tesseract … tsv` prints: level, page, block, paragraph, line, word, left, top, width,
    /// height, confidence, text. Rows that are none are left out.
    package init(table: [UInt8]) {
        var key: [Int] = []
        var words: [String] = []
        var box: DocumentBox?
        var startsBlock = false
        func finish(_ page: inout RecognizedPage) {
            if let box, !words.isEmpty, page.lines.count < Self.maxLines {
                let text = Self.cut(words.joined(separator: " "))
                page.lines.append(Line(text: text, box: box, startsBlock: startsBlock))
            }
            (words, box) = ([], nil)
        }
        var page = RecognizedPage()
        for row in table.split(separator: 0x0A) {
            let fields = row.split(separator: 0x09, maxSplits: 11, omittingEmptySubsequences: false)
            guard fields.count >= 11, let level = Self.number(fields[0]) else { continue }
            let place = fields[6...9].compactMap { Self.number($0).map(Float.init) }
            guard place.count == 4 else { continue }
            if level == 1 { (page.width, page.height) = (place[2], place[3]) }
            guard level == 5, fields.count == 12, let confidence = Self.decimal(fields[10]),
                confidence >= Self.leastConfidence
            else { continue }
            let word = Self.word(fields[11])
            let next = fields[2...4].compactMap(Self.number)
            guard !word.isEmpty, next.count == 3 else { continue }
            if next != key {
                finish(&page)
                startsBlock = key.isEmpty || next[0] != key[0] || next[1] != key[1]
                key = next
            }
            words.append(word)
            let own = DocumentBox(x: place[0], y: place[1], width: place[2], height: place[3])
            box = box?.union(own) ?? own
        }
        finish(&page)
        self = page
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        Int(String(decoding: bytes.prefix(12), as: UTF8.self))
    }

    private static func decimal(_ bytes: ArraySlice<UInt8>) -> Float? {
        Float(String(decoding: bytes.prefix(16), as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// A word without white space and control characters.
    private static func word(_ bytes: ArraySlice<UInt8>) -> String {
        let scalars = String(decoding: bytes.prefix(maxLineBytes), as: UTF8.self).unicodeScalars.filter {
            !$0.properties.isWhitespace && $0.properties.generalCategory != .control && $0 != "\u{FFFD}"
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > maxLineBytes else { return text }
        return String(decoding: text.utf8.prefix(maxLineBytes), as: UTF8.self).filter { $0 != "\u{FFFD}" }
    }
}

extension DocumentBox {
    /// The smallest box around two.
    fileprivate func union(_ other: DocumentBox) -> DocumentBox {
        let (left, top) = (min(x, other.x), min(y, other.y))
        let right = max(x + width, other.x + other.width)
        let bottom = max(y + height, other.y + other.height)
        return DocumentBox(x: left, y: top, width: right - left, height: bottom - top)
    }
}
