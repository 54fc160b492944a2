/// Headings from the outline, or else from the size of the font.
struct Headings {
    /// How much larger than the usual text a heading is.
    private static let minRatio: Float = 1.15
    private static let maxBytes = 200
    private static let maxLines = 3
    private static let maxHeadings = 20_000
    /// Of an outline's titles with lines, in a whole document.
    private static let maxComparisons = 2_000_000

    /// The sizes of headings, largest first, in half points.
    private let sizes: [Int]

    /// Learns the usual size from all pages: that of most bytes.
    init(_ pages: [PageText]) {
        var bytes: [Int: Int] = [:]
        for page in pages {
            for line in page.lines { bytes[Self.step(line.size), default: 0] += line.range.count }
        }
        guard let usual = bytes.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key else {
            sizes = []
            return
        }
        sizes = bytes.keys.filter { Float($0) >= Float(usual) * Self.minRatio }.sorted(by: >)
    }

    private static func step(_ size: Float) -> Int {
        size.isFinite && size > 0 && size < 10_000 ? Int((size * 2).rounded()) : 0
    }

    /// The level of a block by its size, 1 to 6; nil when it is no heading.
    func level(lines: ArraySlice<PageText.Line>, bytes: [UInt8]) -> Int? {
        guard !sizes.isEmpty, lines.count <= Self.maxLines, let first = lines.first, let last = lines.last,
            last.range.upperBound - first.range.lowerBound <= Self.maxBytes, lines.allSatisfy({ $0.cells == 1 }),
            let place = sizes.firstIndex(of: Self.step(first.size))
        else { return nil }
        let text = String(decoding: bytes[first.range.lowerBound..<last.range.upperBound], as: UTF8.self)
        guard text.unicodeScalars.contains(where: \.properties.isAlphabetic) else { return nil }
        // Many sizes share six levels.
        return min(place * 6 / max(sizes.count, 6) + 1, 6)
    }

    /// Puts the outline's entries at their places in the text.
    static func placed(_ entries: [OutlineEntry], in document: Document, lines: [Range<Int>]) -> [DocumentHeading] {
        var comparisonsLeft = maxComparisons
        return entries.prefix(maxHeadings).compactMap { entry in
            guard document.pages.indices.contains(entry.page), lines.indices.contains(entry.page) else { return nil }
            let page = document.pages[entry.page]
            let candidates = document.lines[lines[entry.page]]
            let title = comparisonsLeft > 0 ? folded(entry.title) : []
            comparisonsLeft -= candidates.count
            var best: (line: Int, distance: Double)?
            for (index, line) in zip(candidates.indices, candidates)
            where matches(title, document, line, candidates.endIndex, index) {
                let distance = entry.y.map { abs(Double(line.box.y) - $0) } ?? Double(line.box.y)
                if distance < best?.distance ?? .infinity { best = (index, distance) }
            }
            if let best {
                return DocumentHeading(level: entry.level, title: entry.title, range: candidates[best.line].range)
            }
            // Only the place: the first line below it.
            let next = entry.y.flatMap { y in candidates.first { Double($0.box.y + $0.box.height) > y } }
            let start = next?.range.lowerBound ?? page.range.lowerBound
            return DocumentHeading(level: entry.level, title: entry.title, range: start..<start)
        }
        .sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// The line is the title, or as much of it as fits; or the title with a number or dots around it.
    private static func matches(
        _ title: [UInt8], _ document: Document, _ line: DocumentLine, _ end: Int, _ index: Int
    ) -> Bool {
        guard line.range.count <= maxBytes * 2, !title.isEmpty else { return false }
        let utf8 = document.text.utf8
        let start = utf8.index(utf8.startIndex, offsetBy: line.range.lowerBound)
        let text = folded(document.text[start..<utf8.index(start, offsetBy: line.range.count)])
        guard text.count >= 3 || text == title else { return text == title }
        if text.count <= title.count {
            return title.starts(with: text) && text.count * 3 >= title.count
                || text.count * 4 >= title.count * 3
                    && title.suffix(text.count).elementsEqual(text)
        }
        return text.count <= title.count + 12
            && (text.starts(with: title) || text.suffix(title.count).elementsEqual(title))
    }

    /// Letters and digits only, in lower case.
    private static func folded(_ text: some StringProtocol) -> [UInt8] {
        var folded: [UInt8] = []
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                let byte = UInt8(truncatingIfNeeded: scalar.value)
                switch byte {
                case 0x41...0x5A: folded.append(byte | 0x20)
                case 0x61...0x7A, 0x30...0x39: folded.append(byte)
                default: continue
                }
            } else if let spelling = ReadingCharacters.spelling(ofLigature: scalar) {
                folded.append(contentsOf: spelling.utf8)
            } else if scalar.properties.isAlphabetic {
                folded.append(contentsOf: String(scalar).lowercased().utf8)
            }
        }
        return folded
    }
}
