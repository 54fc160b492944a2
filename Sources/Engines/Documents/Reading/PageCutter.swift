/// Cuts a text without pages into pages of about ``target`` characters.
///
/// A page ends at the end of a block near the target, else at the end of a sentence, else at a space, else where the
/// target is. No page ends with a heading. Linear in the length of the text.
struct PageCutter {
    /// Characters (Unicode scalars) of a page, as many as a printed page of a novel has.
    static let target = 1800
    static let least = 1080
    static let most = 2340

    let utf8: [UInt8]
    let blocks: [DocumentBlock]
    /// The first block that begins behind the last place that was looked at.
    private var nextBlock = 0

    init(utf8: [UInt8], blocks: [DocumentBlock]) {
        self.utf8 = utf8
        self.blocks = blocks
    }

    /// The starts of the second and further pages of a range. Ask for ranges in order.
    mutating func cuts(in range: Range<Int>) -> [Int] {
        var cuts: [Int] = []
        var start = range.lowerBound
        while let cut = cut(from: start, to: range.upperBound) {
            cuts.append(cut)
            start = cut
        }
        return cuts
    }

    /// The kinds of places where a page may end, the best first.
    private enum Place: Int { case block, sentence, space, anywhere }

    /// The end of the page that begins at a place; nil when it reaches to the end.
    private mutating func cut(from start: Int, to end: Int) -> Int? {
        var best: (place: Int, kind: Place, distance: Int)?
        func consider(_ place: Int, _ kind: Place, _ count: Int) {
            let distance = abs(count - Self.target)
            if let best, (best.kind.rawValue, best.distance) <= (kind.rawValue, distance) { return }
            best = (place, kind, distance)
        }
        while nextBlock < blocks.count, blocks[nextBlock].range.lowerBound <= start { nextBlock += 1 }
        var (place, count, block) = (start, 0, nextBlock)
        while place < end {
            if utf8[place] & 0xC0 != 0x80 {
                if count >= Self.least {
                    if isSentenceStart(place) { consider(place, .sentence, count) }
                    if place > 0, Self.isSpace(utf8[place - 1]) { consider(place, .space, count) }
                    if count == Self.target { consider(place, .anywhere, count) }
                }
                count += 1
            }
            if block < blocks.count, blocks[block].range.lowerBound == place {
                if count > Self.least, block > 0, blocks[block - 1].kind != .heading { consider(place, .block, count) }
                block += 1
            }
            if count > Self.most { break }
            place += 1
        }
        guard count > Self.most, let best else { return nil }
        return best.place
    }

    /// Whether a sentence ends before a place: a mark, closing quotes or brackets, and white space unless the mark is a
    /// wide one.
    private func isSentenceStart(_ place: Int) -> Bool {
        // Most places are inside a word.
        guard place > 0, Self.isSpace(utf8[place - 1]) || utf8[place - 1] >= 0x80 else { return false }
        var end = place
        while end > 0, place - end < 4, Self.isSpace(utf8[end - 1]) { end -= 1 }
        let isSpaced = end < place
        for _ in 0..<3 {
            guard let length = Self.closers.first(where: { ends($0, at: end) })?.count else { break }
            end -= length
        }
        if Self.wideMarks.contains(where: { ends($0, at: end) }) { return true }
        return isSpaced && Self.marks.contains { ends($0, at: end) }
    }

    private func ends(_ text: [UInt8], at end: Int) -> Bool {
        guard end >= text.count else { return false }
        return utf8[(end - text.count)..<end].elementsEqual(text)
    }

    private static let marks = [".", "!", "?", "…"].map { Array($0.utf8) }
    private static let wideMarks = ["。", "！", "？"].map { Array($0.utf8) }
    private static let closers = ["\"", "'", ")", "]", "”", "’", "»", "」", "』"].map { Array($0.utf8) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 }
}
