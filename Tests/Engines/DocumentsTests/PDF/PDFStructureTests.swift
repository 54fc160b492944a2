import TestSupport
import Testing

@testable import Documents

struct PDFStructureTests {
    @Test(
        "Page labels in all styles",
        arguments: [
            (4, "D", "4"), (4, "R", "IV"), (1999, "r", "mcmxcix"), (27, "A", "AA"), (3, "a", "c"), (9, nil, ""),
            (0, "r", "0"), (5000, "R", "5000"),
        ] as [(Int, String?, String)])
    func labelText(number: Int, style: String?, expected: String) {
        #expect(PageLabels.text(number, style: style) == expected)
    }

    @Test("Roman numerals there and back")
    func roman() {
        for number in 1..<5000 { #expect(Roman.number(Roman.text(number)) == number) }
        for text in ["", "IIII", "ivX", "abc", "MMMMMMMMMM"] { #expect(Roman.number(text) == nil) }
    }

    @Test("Labels of a file: ranges, prefixes, a tree")
    func labels() throws {
        var fixture = PDFFixture()
        for _ in 0..<6 { fixture.addPage("") }
        fixture.catalog =
            "/PageLabels << /Kids [<< /Nums [0 << /S /r /St 3 >>] >> << /Nums [2 << /S /D >> 4 << /P (A-) /S /D /St 8 >>] >>] >>"
        let document = try PDFReader.read(bytes: fixture.bytes())
        #expect(document.pages.map(\.label) == ["iii", "iv", "1", "2", "A-8", "A-9"])
        #expect(document.numbering == .labels)
        #expect(document.text.isEmpty)
    }

    @Test("The outline gives headings at the place of their titles")
    func outline() throws {
        var fixture = PDFFixture()
        fixture.addPage(PDFFixture.text([(72, 700, "Contents"), (72, 650, "1 Begin")]))
        let second = fixture.addPage(PDFFixture.text([(72, 700, "1 Begin"), (72, 640, "Some text of the chapter")]))
        fixture.set(20, "<< /Type /Outlines /First 21 0 R /Last 22 0 R >>")
        fixture.set(21, "<< /Title (Begin) /Dest [\(second) 0 R /XYZ 72 715 0] /Next 22 0 R /First 23 0 R >>")
        fixture.set(22, "<< /Title <FEFF00C4> /A << /S /GoTo /D (named) >> /Next 21 0 R >>")
        fixture.set(23, "<< /Title (Missing) /Dest [1 /Fit] >>")
        fixture.catalog =
            "/Outlines 20 0 R /Names << /Dests << /Names [(named) << /D [\(second) 0 R /FitH 650] >>] >> >>"
        let document = try PDFReader.read(bytes: fixture.bytes())
        #expect(document.headings.map(\.title) == ["Begin", "Missing", "\u{C4}"])
        #expect(document.headings.map(\.level) == [1, 2, 1])
        let first = try #require(document.headings.first)
        #expect(ReadingViewTests.slice(document.text, first.range) == "1 Begin")
        #expect(document.pages[1].range.contains(first.range.lowerBound))
        #expect(document.headings[1].range.isEmpty)
    }

    @Test("Title, authors and language")
    func metadata() throws {
        var fixture = PDFFixture()
        fixture.addPage("")
        let xmp = """
            <x:xmpmeta><dc:title><rdf:Alt><rdf:li xml:lang="x-default">XMP &amp; title</rdf:li></rdf:Alt></dc:title>
            <dc:creator><rdf:Seq><rdf:li>Ann</rdf:li><rdf:li>Bob</rdf:li></rdf:Seq></dc:creator></x:xmpmeta>
            """
        let stream = fixture.addStream(Array(xmp.utf8), "/Type /Metadata /Subtype /XML")
        fixture.catalog = "/Metadata \(stream) 0 R /Lang (de_DE)"
        var document = try PDFReader.read(bytes: fixture.bytes())
        #expect(document.title == "XMP & title" && document.authors == ["Ann", "Bob"] && document.language == "de-DE")
        fixture.trailer = "/Info << /Title (\\(Info\\) title) >>"
        document = try PDFReader.read(bytes: fixture.bytes())
        #expect(document.title == "(Info) title")
    }

    @Test("A page tree with cycles, missing pages and inherited boxes")
    func pageTree() throws {
        var fixture = PDFFixture()
        let page = fixture.addPage(PDFFixture.text([(10, 10, "x")]))
        fixture.set(30, "<< /Type /Pages /Parent 2 0 R /Kids [2 0 R 30 0 R 31 0 R 99 0 R] >>")
        fixture.set(31, "<< /Type /Page /Parent 30 0 R >>")
        fixture.set(2, "<< /Type /Pages /MediaBox [0 0 100 50] /Kids [30 0 R \(page) 0 R null 7] >>")
        let document = try PDFReader.read(bytes: fixture.bytes())
        #expect(document.pages.map(\.width) == [100, 612])
        #expect(document.text == "x\n\n")
    }

    @Test("12,000 pages, and a limit of pages", .slow)
    func manyPages() throws {
        var fixture = PDFFixture()
        fixture.set(4, "<< /Type /Page /MediaBox [0 0 10 10] >>")
        for number in 5..<12_004 { fixture.set(number, "<< /Type /Page /MediaBox [0 0 10 10] >>") }
        let kids = (4..<12_004).map { "\($0) 0 R" }.joined(separator: " ")
        fixture.set(2, "<< /Type /Pages /Kids [\(kids)] >>")
        #expect(try PDFReader.read(bytes: fixture.bytes()).pages.count == 12_000)
        var limits = DocumentLimits()
        limits.pages = 10
        let document = try PDFReader.read(bytes: fixture.bytes(), limits: limits)
        #expect(document.pages.count == 10 && document.notices.map(\.code) == [.cut])
    }

    @Test("A file without its table is repaired, and what is none is an error")
    func repair() throws {
        let bytes = PDFFixture.pages(PDFFixture.text([(72, 700, "saved")]))
        let damaged = String(decoding: bytes, as: UTF8.self).replacing("startxref", with: "startxxxx").utf8
        let document = try PDFReader.read(bytes: Array(damaged))
        #expect(document.text == "saved\n\n" && document.notices.map(\.code) == [.repaired])
        for bytes in [[], Array("not a PDF".utf8), Array("%PDF-1.4\n".utf8)] {
            #expect(throws: DocumentError.self) { try PDFReader.read(bytes: bytes) }
        }
        #expect(throws: DocumentError.self) { try PDFReader.read(path: "/nowhere/at/all.pdf") }
    }

    @Test("The cover is the JPEG that covers page 1")
    func cover() throws {
        var fixture = PDFFixture()
        let image = fixture.addStream(
            [0xFF, 0xD8, 0xFF, 0xD9], "/Type /XObject /Subtype /Image /Width 1 /Height 1 /Filter /DCTDecode")
        fixture.addPage("q 612 0 0 792 0 0 cm /Im Do Q", resources: "/XObject << /Im \(image) 0 R >>")
        fixture.addPage("q 100 0 0 100 0 0 cm /Im Do Q", resources: "/XObject << /Im \(image) 0 R >>")
        let document = try PDFReader.read(bytes: fixture.bytes())
        #expect(document.cover == [0xFF, 0xD8, 0xFF, 0xD9])
        #expect(
            document.notices == [
                DocumentNotice(
                    .scannedPages, "1 page has only images; text recognition is needed to read them.", pages: [1])
            ])
    }
}
