import TestSupport
import Testing

@testable import Documents

struct PDFHostileTests {
    @Test(
        "Content that asks for too much ends",
        arguments: [
            String(repeating: "q ", count: 200_000), String(repeating: "[", count: 200_000),
            String(repeating: "<< /A ", count: 100_000), String(repeating: "/Span BMC ", count: 100_000),
            "BT /F1 1e300 Tf 1e300 0 0 1e300 1e300 1e300 Tm (huge) Tj ET",
            "1e12 0 0 1e12 0 0 cm 1e12 0 0 1e12 0 0 cm BT /F1 12 Tf (far) Tj ET",
            "BT /F1 12 Tf 99999999999999999999 Tr -99999999999 Ts (x) Tj ET",
            "BI /W 10 ID no end", "(unended string \\", "<48 65", "BT /F1 12 Tf (a) ' (b) \" T* TD Td Tm Tj TJ",
        ])
    func content(content: String) throws {
        let document = try PDFReader.read(bytes: PDFFixture.pages(content))
        #expect(document.pages.count == 1)
    }

    @Test("Forms that double at each level are cut, and the page is named", .slow)
    func doublingForms() throws {
        var fixture = PDFFixture()
        for level in 0..<11 {
            let next = 40 + level + 1
            let uses = String(repeating: "/N Do ", count: level < 10 ? 40 : 0)
            let stream = Array((uses + "BT /F1 12 Tf 9 9 Td (x) Tj ET").utf8)
            fixture.set(
                40 + level,
                """
                << /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Length \(stream.count)
                /Resources << /Font << /F1 3 0 R >> /XObject << /N \(next) 0 R >> >> >>
                stream
                \(String(decoding: stream, as: UTF8.self))
                endstream
                """)
        }
        fixture.addPage("/N Do", resources: "/XObject << /N 40 0 R >>")
        let document = try PDFReader.read(bytes: fixture.bytes())
        #expect(document.notices.contains { $0.code == .failedPages && $0.pages == [1] })
    }

    @Test("A stream that unpacks to more than the limit is cut")
    func bomb() throws {
        var fixture = PDFFixture()
        // Each repeated byte of a run of 128 costs two bytes.
        let packed = (0..<50_000).flatMap { _ in [UInt8(129), UInt8(ascii: " ")] }
        let stream = fixture.addStream(packed, "/Filter [/RL]")
        fixture.set(50, "<< /Type /Page /MediaBox [0 0 9 9] /Contents \(stream) 0 R >>")
        fixture.set(2, "<< /Type /Pages /Kids [50 0 R] >>")
        var limits = DocumentLimits()
        limits.unpackedBytes = 1_000_000
        let document = try PDFReader.read(bytes: fixture.bytes(), limits: limits)
        #expect(document.notices.map(\.code) == [.cut])
    }

    @Test("Cycles in all trees end")
    func cycles() throws {
        var fixture = PDFFixture()
        fixture.addPage("", extra: "/Annots [60 0 R 60 0 R]")
        fixture.set(60, "<< /Subtype /Widget /Rect [0 0 1 1] /AP << /N 60 0 R >> >>")
        fixture.set(61, "<< /Kids [61 0 R] /Nums [0 61 0 R] /Names [(a) 61 0 R] /First 62 0 R /D 61 0 R >>")
        fixture.set(62, "<< /Title (t) /Next 62 0 R /First 62 0 R /Dest (a) >>")
        fixture.catalog =
            "/PageLabels 61 0 R /Outlines 61 0 R /Names << /Dests 61 0 R >> /Dests 61 0 R /OCProperties 61 0 R"
        #expect(try PDFReader.read(bytes: fixture.bytes()).pages.count == 1)
    }

    @Test("Small files with random damage give a document or an error", arguments: 0..<8)
    func randomDamage(seed: Int) {
        var fixture = PDFFixture()
        let map = fixture.addStream(
            Array("1 beginbfchar <41> <0416> endbfchar 1 beginbfrange <0001> <0005> <0041> endbfrange".utf8))
        let font = fixture.add(
            "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode \(map) 0 R /DescendantFonts [<< /Subtype /CIDFontType2 /DW 500 /W [1 [600 600] 3 5 1000] >>] >>"
        )
        let form = fixture.addStream(
            Array("BT /F1 12 Tf 0 0 Td (inner) Tj ET".utf8),
            "/Subtype /Form /BBox [0 0 200 20] /Matrix [1 0 0 1 72 600] /Resources << /Font << /F1 3 0 R >> >>")
        fixture.addPage(
            """
            q 1 0 0 1 10 10 cm BT /F1 12 Tf 14 TL 72 700 Td (Some text) Tj T* [(more) -300 (text)] TJ /F2 10 Tf <00010002> Tj ET
            /Fm Do 0 0 100 100 re W n 1 g 0 0 50 50 re f Q /Span << /ActualText (x) >> BDC BT /F1 9 Tf (y) Tj ET EMC
            """, fonts: "/F2 \(font) 0 R", resources: "/XObject << /Fm \(form) 0 R >>",
            extra: "/Rotate 90 /UserUnit 1.5")
        fixture.catalog = "/PageLabels << /Nums [0 << /S /r >>] >> /Lang (en)"
        let bytes = fixture.bytes()
        var random = SeededBytes(UInt64(seed))
        for _ in 0..<60 {
            guard let document = try? PDFReader.read(bytes: random.damaged(bytes)) else { continue }
            #expect(document.pages.last?.range.upperBound == document.text.utf8.count)
        }
    }
}
