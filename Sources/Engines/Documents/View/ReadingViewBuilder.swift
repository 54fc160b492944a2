/// Builds the text of a ``ReadingView`` block by block, each scalar once.
struct ReadingViewBuilder {
    private let document: Document
    private var bytes: [UInt8] = []
    private(set) var map: OffsetMap
    private var joint = Joint()
    /// The last two scalars shown, the later one first.
    private var last: Unicode.Scalar?
    private var beforeLast: Unicode.Scalar?
    /// The index of the first page that begins after the last joint between blocks.
    private var nextPage: Int

    /// What was passed since the last shown scalar: white space, dropped scalars, running heads.
    private struct Joint {
        /// Canonical bytes.
        var count = 0
        var spaces = 0
        var lineFeeds = 0
        var otherSpaces = 0
        var hasSoftHyphen = false
        var isBetweenBlocks = false
        /// No heading, code or table is next to it, so that a paragraph may go on behind it.
        var canContinue = true

        var isOneSpace: Bool { spaces == 1 && count == 1 }
        var isTwoLineFeeds: Bool { lineFeeds == 2 && count == 2 }
        var hasSpace: Bool { spaces + lineFeeds + otherSpaces > 0 }
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    init(_ document: Document, from start: Int) {
        self.document = document
        map = OffsetMap(start: start)
        var low = 0
        var high = document.pages.count
        while low < high {
            let middle = (low + high) / 2
            if document.pages[middle].range.lowerBound < start { low = middle + 1 } else { high = middle }
        }
        nextPage = low
    }

    /// Adds what lies between two blocks. Anything but white space is shown as a paragraph.
    mutating func addBetween(_ range: Range<Int>) {
        joint.isBetweenBlocks = true
        guard !range.isEmpty else { return }
        addJoined(range)
        joint.isBetweenBlocks = true
    }

    mutating func add(_ range: Range<Int>, kind: DocumentBlock.Kind) {
        switch kind {
        case .runningHead:
            joint.count += range.count
        case .code, .table:
            joint.canContinue = false
            addKeepingLines(range)
            joint.canContinue = false
        case .paragraph:
            addJoined(range)
        case .heading, .listItem, .quote, .caption, .footnote:
            joint.canContinue = false
            addJoined(range)
            joint.canContinue = kind != .heading
        }
    }

    /// Drops what was passed at the end.
    mutating func finish() {
        map.replace(joint.count, by: 0)
        joint = Joint()
    }

    private mutating func addJoined(_ range: Range<Int>) {
        for scalar in scalars(range) {
            let count = UTF8.width(scalar)
            if scalar == " " {
                joint.spaces += 1
                joint.count += 1
            } else if scalar == "\n" {
                joint.lineFeeds += 1
                joint.count += 1
            } else if ReadingCharacters.isSpace(scalar) {
                joint.otherSpaces += 1
                joint.count += count
            } else if ReadingCharacters.isDropped(scalar) {
                joint.hasSoftHyphen = joint.hasSoftHyphen || scalar.value == 0xAD
                joint.count += count
            } else {
                join(to: scalar)
                show(scalar, count)
            }
        }
    }

    private mutating func addKeepingLines(_ range: Range<Int>) {
        for scalar in scalars(range) {
            let count = UTF8.width(scalar)
            if ReadingCharacters.isDropped(scalar) {
                joint.count += count
                continue
            }
            join(to: scalar)
            if scalar != "\n", scalar != "\t", ReadingCharacters.isSpace(scalar) {
                show(" ", count)
            } else {
                show(scalar, count)
            }
        }
    }

    private func scalars(_ range: Range<Int>) -> Substring.UnicodeScalarView {
        let utf8 = document.text.utf8
        let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        return document.text.unicodeScalars[start..<utf8.index(start, offsetBy: range.count)]
    }

    private mutating func show(_ scalar: Unicode.Scalar, _ count: Int) {
        if let spelling = ReadingCharacters.spelling(ofLigature: scalar) {
            bytes.append(contentsOf: spelling.utf8)
            map.replace(count, by: spelling.utf8.count)
            beforeLast = nil
            last = spelling.unicodeScalars.last
        } else {
            let width = UTF8.width(scalar)
            bytes.append(contentsOf: scalar.utf8)
            if width == count { map.copy(count) } else { map.replace(count, by: width) }
            beforeLast = last
            last = scalar
        }
    }

    /// Shows what belongs between the last scalar and the next one.
    private mutating func join(to next: Unicode.Scalar) {
        guard joint.count > 0 || joint.isBetweenBlocks else { return }
        let joint = joint
        let crossesPage = joint.isBetweenBlocks && passesPageBorder(joint.count)
        self.joint = Joint()
        guard let last else { return map.replace(joint.count, by: 0) }

        if joint.isBetweenBlocks {
            let continues = crossesPage && joint.canContinue && next.properties.isLowercase
                && !ReadingCharacters.endsSentence(last)
            if !continues { return separate(by: "\n\n", joint, isCopy: joint.isTwoLineFeeds) }
        } else if joint.lineFeeds == 0 {
            return separate(by: joint.hasSpace ? " " : "", joint, isCopy: joint.isOneSpace)
        }
        if joint.hasSoftHyphen {
            separate(by: "", joint)
        } else if ReadingCharacters.isHyphen(last), beforeLast?.properties.isAlphabetic == true,
            next.properties.isAlphabetic || next.properties.numericType != nil
        {
            if next.properties.isLowercase { dropLast(last) }
            separate(by: "", joint)
        } else {
            let isUnspaced = ReadingCharacters.isUnspaced(last) && ReadingCharacters.isUnspaced(next)
            separate(by: isUnspaced ? "" : " ", joint)
        }
    }

    private mutating func separate(by separator: String, _ joint: Joint, isCopy: Bool = false) {
        bytes.append(contentsOf: separator.utf8)
        if let space = separator.unicodeScalars.last { last = space }
        if isCopy { map.copy(joint.count) } else { map.replace(joint.count, by: separator.utf8.count) }
    }

    /// Takes the last scalar back, which then belongs to the next piece.
    private mutating func dropLast(_ scalar: Unicode.Scalar) {
        let width = UTF8.width(scalar)
        bytes.removeLast(min(width, bytes.count))
        map.removeCopied(width)
        map.replace(width, by: 0)
        last = beforeLast
        beforeLast = nil
    }

    private mutating func passesPageBorder(_ count: Int) -> Bool {
        let start = map.canonicalEnd
        var isPassed = false
        while nextPage < document.pages.count, document.pages[nextPage].range.lowerBound <= start + count {
            isPassed = isPassed || document.pages[nextPage].range.lowerBound >= start
            nextPage += 1
        }
        return isPassed
    }
}
