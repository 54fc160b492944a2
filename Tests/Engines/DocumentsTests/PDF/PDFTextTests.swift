import Testing

@testable import Documents

struct PDFTextTests {
    private func text(_ content: String) throws -> String {
        try PDFReader.read(bytes: PDFFixture.pages(content)).text
    }

    @Test(
        "The operators that show text",
        arguments: [
            ("BT /F1 12 Tf 72 700 Td (Hello) Tj ET", "Hello\n\n"),
            ("BT /F1 12 Tf 72 700 Td [(He) 20 (llo) -400 (you)] TJ ET", "Hello you\n\n"),
            (
                "BT /F1 12 Tf 14 TL 72 700 Td (one) Tj T* (two) Tj (three) ' 0 0 (four) \" ET",
                "one\ntwo\nthree\nfour\n\n"
            ),
            ("BT /F1 12 Tf 72 700 TD (a) Tj 0 -14 TD (b) Tj T* (c) Tj ET", "a\nb\nc\n\n"),
            ("BT /F1 12 Tf 1 0 0 1 72 700 Tm (A) Tj 12 0 Td (V) Tj ET", "A V\n\n"),
            ("BT /F1 12 Tf 72 700 Td 5 Tc (ab) Tj ET", "a b\n\n"),
            ("BT /F1 12 Tf 50 Tz 72 700 Td (narrow) Tj ET", "narrow\n\n"),
            ("BT /F1 12 Tf 72 700 Td (x) Tj /F1 7 Tf 5 Ts (2) Tj ET", "x2\n\n"),
            ("BT /F1 12 Tf 72 700 Td [(one) 0 Tc -300 (two)] TJ ET", "one two\n\n"),
            ("q 2 0 0 2 0 0 cm BT /F1 6 Tf 36 350 Td (big) Tj ET Q", "big\n\n"),
            ("BT /F1 12 Tf 72 700 Td (bold) Tj ET BT /F1 12 Tf 72.2 700 Td (bold) Tj ET", "bold\n\n"),
            ("BT /F1 12 Tf 72 700 Td /Span << /ActualText (real) >> BDC (fake) Tj EMC ( end) Tj ET", "real end\n\n"),
            ("BI /W 1 /H 1 /BPC 8 /CS /G ID \u{1} EI BT /F1 12 Tf 72 700 Td (after) Tj ET", "after\n\n"),
            ("BT /F1 12 Tf 72 700 Td (e) Tj 0 0 Td (\\264) Tj ET", "\u{E9}\n\n"),
            ("BT /Missing 12 Tf (x) Tj ET Q Q Q ) ] >> 5 5 5", ""),
        ])
    func operators(content: String, expected: String) throws {
        #expect(try text(content) == expected)
    }

    @Test("Differences, a map to Unicode, and unknown glyphs")
    func encodings() throws {
        var fixture = PDFFixture()
        let map = fixture.addStream(Array("1 beginbfchar <41> <0416> endbfchar".utf8))
        let named = fixture.add(
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [65 /eacute /uni4E2D /foo99x] >> >>"
        )
        let mapped = fixture.add(
            "<< /Type /Font /Subtype /TrueType /BaseFont /X /ToUnicode \(map) 0 R /Encoding /WinAnsiEncoding >>")
        fixture.addPage(
            "BT /F2 12 Tf 72 700 Td (AB) Tj 0 -14 Td /F3 12 Tf (AB) Tj 0 -14 Td /F2 12 Tf (C) Tj ET",
            fonts: "/F2 \(named) 0 R /F3 \(mapped) 0 R")
        let document = try PDFReader.read(bytes: fixture.bytes())
        #expect(document.text == "\u{E9}\u{4E2D}\n\u{416}B\n\u{FFFD}\n\n")
        #expect(document.notices.map(\.code) == [.unreliablePages])
    }

    @Test("Composite fonts: Identity-H with a map and widths, and UCS-2")
    func composite() throws {
        var fixture = PDFFixture()
        let map = fixture.addStream(Array("1 beginbfrange <0001> <0005> <0041> endbfrange".utf8))
        let descendant = fixture.add(
            "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /DW 500 /W [1 [600 600] 3 5 1000] /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>"
        )
        let identity = fixture.add(
            "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode \(map) 0 R /DescendantFonts [\(descendant) 0 R] >>"
        )
        let unicode = fixture.add(
            "<< /Type /Font /Subtype /Type0 /BaseFont /Y /Encoding /UniJIS-UCS2-H /DescendantFonts [\(descendant) 0 R] >>"
        )
        fixture.addPage(
            "BT /F2 10 Tf 72 700 Td <000100020003> Tj 20 0 Td <0001> Tj 100 0 Td /F3 10 Tf <65E5672C> Tj ET",
            fonts: "/F2 \(identity) 0 R /F3 \(unicode) 0 R")
        // ABC is 22 points wide: the A at 20 touches it.
        #expect(try PDFReader.read(bytes: fixture.bytes()).text == "ABCA \u{65E5}\u{672C}\n\n")
    }

    @Test("Forms within forms, in their own place, and a form that contains itself")
    func forms() throws {
        var fixture = PDFFixture()
        let form = fixture.addStream(
            Array("BT /F1 12 Tf 0 0 Td (inner) Tj ET /Self Do".utf8),
            "/Type /XObject /Subtype /Form /BBox [0 -5 200 20] /Matrix [1 0 0 1 72 600] /Resources << /Font << /F1 3 0 R >> /XObject << /Self 4 0 R >> >>"
        )
        fixture.addPage(
            "BT /F1 12 Tf 72 700 Td (outer) Tj ET /Fm Do BT /F1 12 Tf 72 500 Td (last) Tj ET",
            resources: "/XObject << /Fm \(form) 0 R >>")
        let document = try PDFReader.read(bytes: fixture.bytes())
        #expect(document.text.hasPrefix("outer\n\ninner"))
        #expect(document.text.hasSuffix("last\n\n"))
    }

    @Test("Text with ligatures and composed letters is NFC")
    func canonical() throws {
        let document = try PDFReader.read(
            bytes: PDFFixture.pages("BT /F1 12 Tf 72 700 Td (caf\\351 \\223quoted\\224) Tj ET"))
        #expect(document.text == "caf\u{E9} \u{201C}quoted\u{201D}\n\n")
        #expect(document.pages.map(\.range) == [0..<document.text.utf8.count])
    }
}
