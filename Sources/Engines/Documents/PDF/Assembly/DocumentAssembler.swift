/// Joins the texts of pages to a document: running heads, headings, blocks, labels.
struct DocumentAssembler {
    let limits: DocumentLimits
    private(set) var document = Document(format: .pdf, text: "", pages: [], numbering: .physical)
    /// The text was longer than the limit.
    private(set) var isCut = false
    /// By page, the indices of its lines in the document.
    private var lines: [Range<Int>] = []
    private var bytes: [UInt8] = []

    init(limits: DocumentLimits) {
        self.limits = limits
    }

    /// Adds all pages and empties them, so that their memory is free for the document's.
    mutating func add(_ pages: inout [PageText], labels: [String]?, outline: [OutlineEntry]) {
        let heads = RunningHeads.find(pages)
        let headings = outline.isEmpty ? Headings(pages) : nil
        bytes.reserveCapacity(min(pages.reduce(0) { $0 + $1.bytes.count + 16 }, limits.textBytes))
        document.pages.reserveCapacity(pages.count)
        document.lines.reserveCapacity(pages.reduce(0) { $0 + $1.lines.count })
        let isRoman = zip(pages, heads.lines).map { page, lines in
            lines.allSatisfy { line in !page.bytes[page.lines[line].range].contains { (0x30...0x39).contains($0) } }
        }
        for number in pages.indices {
            let page = pages[number]
            pages[number] = PageText()
            let start = bytes.count
            let firstLine = document.lines.count
            if start + page.bytes.count <= limits.textBytes {
                add(page, heads: Set(heads.lines[number]), headings: headings)
            } else {
                isCut = true
            }
            lines.append(firstLine..<document.lines.count)
            document.pages.append(
                DocumentPage(number: number + 1, range: start..<bytes.count, width: page.width, height: page.height))
        }
        document.text = String(decoding: bytes, as: UTF8.self)
        bytes = []
        number(labels, heads.numbers, isRoman)
        if !outline.isEmpty { place(outline) }
    }

    private mutating func add(_ page: PageText, heads: Set<Int>, headings: Headings?) {
        var first = 0
        while first < page.lines.count {
            var end = first + 1
            let isHead = heads.contains(first)
            while end < page.lines.count, !page.lines[end].startsBlock || (isHead && heads.contains(end)),
                heads.contains(end) == isHead
            {
                end += 1
            }
            add(page, first..<end, isHead: isHead, headings: headings)
            first = end
        }
    }

    private mutating func add(_ page: PageText, _ block: Range<Int>, isHead: Bool, headings: Headings?) {
        let start = bytes.count
        for line in page.lines[block] {
            let lineStart = bytes.count
            bytes.append(contentsOf: page.bytes[line.range])
            document.lines.append(DocumentLine(range: lineStart..<bytes.count, box: line.box))
            bytes.append(0x0A)
        }
        let range = start..<bytes.count - 1
        bytes.append(0x0A)
        var kind = DocumentBlock.Kind.paragraph
        let lines = page.lines[block]
        if isHead {
            kind = .runningHead
        } else if let level = headings?.level(lines: lines, bytes: page.bytes) {
            kind = .heading
            let title = String(decoding: bytes[range], as: UTF8.self).split(separator: "\n").joined(separator: " ")
            document.headings.append(DocumentHeading(level: level, title: title, range: range))
        } else if lines.count > 1, lines.filter({ $0.cells > 1 }).count * 2 >= lines.count {
            kind = .table
        } else if let first = lines.first, Paragraphs.startsItem(first, page.bytes) {
            kind = .listItem
        }
        document.blocks.append(DocumentBlock(kind: kind, range: range))
    }

    private mutating func number(_ labels: [String]?, _ numbers: [[Int]], _ isRoman: [Bool]) {
        if let labels, labels.contains(where: { !$0.isEmpty }) {
            document.numbering = .labels
            for (index, label) in labels.enumerated() where index < document.pages.count {
                document.pages[index].label = label.isEmpty ? nil : label
            }
            return
        }
        guard let printed = PrintedNumbers.labels(numbers, isRoman: isRoman) else { return }
        document.numbering = .runningHeads
        for (index, label) in printed.enumerated() { document.pages[index].label = label }
    }

    /// Sets the headings of the outline, and the kind of the blocks that begin with one.
    private mutating func place(_ outline: [OutlineEntry]) {
        document.headings = Headings.placed(outline, in: document, lines: lines)
        var block = 0
        for heading in document.headings where !heading.range.isEmpty {
            while block < document.blocks.count, document.blocks[block].range.upperBound <= heading.range.lowerBound {
                block += 1
            }
            guard block < document.blocks.count else { return }
            let found = document.blocks[block]
            let isShort = found.range.count <= heading.title.utf8.count * 2 + 8
            if found.range.lowerBound == heading.range.lowerBound, isShort, found.kind != .runningHead {
                document.blocks[block].kind = .heading
            }
        }
    }
}
