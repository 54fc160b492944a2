import Testing

@testable import Documents

struct PDFLayoutTests {
    private static let prose = [
        "The quick brown fox jumps over", "the lazy dog and runs into the", "forest where it meets the owl",
        "that has lived there for years", "and knows all of its secrets", "but tells them only to a friend",
    ]

    private func read(_ lines: [(Double, Double, String)], size: Double = 10, extra: String = "") throws -> Document {
        try PDFReader.read(bytes: PDFFixture.pages(PDFFixture.text(lines, size: size), extra: extra))
    }

    @Test("Two columns below a title are read one after the other")
    func columns() throws {
        var lines: [(Double, Double, String)] = [(150, 740, "A title that goes over both of the columns of the page")]
        for (index, line) in Self.prose.enumerated() {
            lines.append((72, 700 - Double(index) * 12, line))
            lines.append((320, 703 - Double(index) * 12, line.uppercased()))
        }
        let text = try read(lines).text
        let expected = Self.prose + Self.prose.map { $0.uppercased() }
        #expect(text.split(separator: "\n").dropFirst().map(String.init) == expected)
        #expect(text.hasPrefix("A title"))
    }

    @Test("A table is read row by row")
    func table() throws {
        var lines: [(Double, Double, String)] = []
        for row in 0..<6 {
            lines.append((72, 700 - Double(row) * 14, "Net revenue of segment \(row)"))
            lines.append((320, 700 - Double(row) * 14, "1,\(row)00"))
            lines.append((420, 700 - Double(row) * 14, "2,\(row)00"))
        }
        let document = try read(lines)
        #expect(document.text.hasPrefix("Net revenue of segment 0 1,000 2,000\nNet revenue of segment 1 1,100 2,100\n"))
        #expect(document.blocks.map(\.kind) == [.table])
    }

    @Test("Paragraphs by space and by indent, and list items")
    func paragraphs() throws {
        let document = try read([
            (72, 700, "First paragraph with a line that is long"), (72, 688, "and its second line that is long, too"),
            (90, 676, "An indented paragraph begins here now"), (72, 664, "and goes on at the left edge as usual"),
            (72, 630, "A paragraph after a gap of some points"), (72, 618, "\\225 an item of a list"),
        ])
        let starts = document.blocks.map { ReadingViewTests.slice(document.text, $0.range).prefix(6) }
        #expect(starts == ["First ", "An ind", "A para", "\u{2022} an i"])
        #expect(document.blocks.last?.kind == .listItem)
    }

    @Test("Boxes of lines are in points from the top left corner", arguments: [0, 90, 180, 270])
    func boxes(rotation: Int) throws {
        let document = try read(
            [(100, 700, "Line")], extra: "/Rotate \(rotation) /CropBox [50 92 562 742] /UserUnit 2")
        let line = try #require(document.lines.first)
        let page = try #require(document.pages.first)
        #expect(page.width == (rotation % 180 == 0 ? 1024 : 1300) && page.height == (rotation % 180 == 0 ? 1300 : 1024))
        // 50 points from the left and 42 from the top of the crop box, twice as large.
        let (x, y) = [0: (100, 84), 90: (1216, 100), 180: (924, 1216), 270: (84, 924)][rotation] ?? (0, 0)
        let box = line.box
        #expect(abs(Double(box.x) - Double(x)) < 50 && abs(Double(box.y) - Double(y)) < 50)
        #expect((box.width > box.height) == (rotation % 180 == 0))
        #expect(line.range == 0..<4)
    }

    @Test("Rotated text is read in its own direction")
    func rotatedText() throws {
        let content = """
            BT /F1 10 Tf 0 1 -1 0 100 100 Tm (upwards) Tj ET BT /F1 10 Tf 0 1 -1 0 112 100 Tm (second) Tj ET
            BT /F1 10 Tf 1 0 0 1 200 700 Tm (level text that is longer) Tj ET
            """
        let document = try PDFReader.read(bytes: PDFFixture.pages(content))
        #expect(document.text == "level text that is longer\n\nupwards\nsecond\n\n")
    }

    @Test("Hebrew is read from the right, its numbers from the left")
    func rightToLeft() {
        let pool = TextPool()
        let visual = "12 \u{5D2}\u{5D1}\u{5D0}".unicodeScalars.map(\.value)
        let logical = Bidirectional.logical(visual, pool: pool).compactMap { Unicode.Scalar($0).map(String.init) }
            .joined()
        #expect(logical == "\u{5D0}\u{5D1}\u{5D2} 12")
    }

    @Test("Headings by size, running heads, printed page numbers, and the text of all")
    func book() throws {
        var fixture = PDFFixture()
        for page in 0..<8 {
            var content = PDFFixture.text([(72, 760, "The Book of Tests"), (300, 30, "\(page + 17)")], size: 9)
            if page % 4 == 0 { content += PDFFixture.text([(72, 720, "Chapter \(page / 4 + 1)")], size: 18) }
            for index in 0..<6 {
                let line = Self.prose[(index + page) % 6]
                content += PDFFixture.text([(72, 680 - Double(index) * 12, line)], size: 10)
            }
            fixture.addPage(content)
        }
        let document = try PDFReader.read(bytes: fixture.bytes())
        #expect(document.headings.map(\.title) == ["Chapter 1", "Chapter 2"])
        #expect(document.blocks.filter { $0.kind == .runningHead }.count == 16)
        #expect(document.numbering == .runningHeads)
        #expect(document.pages.map(\.label) == (17...24).map(String.init))
        #expect(!ReadingView(document).text.contains("The Book of Tests"))
        #expect(document.text.contains("The Book of Tests"))
        check(document)
    }

    /// The promises of the model.
    private func check(_ document: Document) {
        var place = 0
        for page in document.pages {
            #expect(page.range.lowerBound == place)
            place = page.range.upperBound
        }
        #expect(place == document.text.utf8.count)
        for ranges in [document.blocks.map(\.range), document.lines.map(\.range)] {
            for (first, second) in zip(ranges, ranges.dropFirst()) { #expect(first.upperBound < second.lowerBound) }
        }
        for (first, second) in zip(document.blocks, document.blocks.dropFirst()) {
            let between = ReadingViewTests.slice(document.text, first.range.upperBound..<second.range.lowerBound)
            #expect(between == "\n\n")
        }
    }
}
