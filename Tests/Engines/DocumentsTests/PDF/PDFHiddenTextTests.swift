import Testing

@testable import Documents

struct PDFHiddenTextTests {
    private static let seen = "BT /F1 12 Tf 0 g 72 700 Td (seen) Tj ET\n"

    @Test(
        "Text that a reader does not see is left out and reported",
        arguments: [
            "BT /F1 12 Tf 1 g 72 600 Td (hidden) Tj ET", "BT /F1 12 Tf 1 1 1 rg 72 600 Td (hidden) Tj ET",
            "BT /F1 12 Tf 0 0 0 0 k 72 600 Td (hidden) Tj ET", "BT /F1 0.5 Tf 72 600 Td (hidden) Tj ET",
            "BT /F1 12 Tf 3 Tr 72 600 Td (hidden) Tj ET", "BT /F1 12 Tf -500 600 Td (hidden) Tj ET",
            "BT /F1 12 Tf 72 2000 Td (hidden) Tj ET", "q 0 0 50 50 re W n BT /F1 12 Tf 72 600 Td (hidden) Tj ET Q",
            "/DeviceRGB cs 1 1 1 sc BT /F1 12 Tf 72 600 Td (hidden) Tj ET",
            "0 g 0 590 612 30 re f 1 g 0 590 612 30 re f BT /F1 12 Tf 72 600 Td (hidden) Tj ET",
            "/Clear gs BT /F1 12 Tf 72 600 Td (hidden) Tj ET",
        ])
    func hidden(content: String) throws {
        var fixture = PDFFixture()
        fixture.addPage(Self.seen + content, resources: "/ExtGState << /Clear << /ca 0 >> >>")
        let document = try PDFReader.read(bytes: fixture.bytes())
        #expect(document.text == "seen\n\n")
        #expect(document.notices.map(\.code) == [.hiddenText])
        #expect(document.notices.map(\.pages) == [[1]])
    }

    @Test(
        "White text on a dark ground, and text over an outline, are seen",
        arguments: [
            "0 g 0 590 612 30 re f 1 g BT /F1 12 Tf 72 600 Td (shown) Tj ET",
            "1 g BT /F1 12 Tf 1 Tr 72 600 Td (shown) Tj ET",
            "/DeviceGray cs 0 sc BT /F1 12 Tf 72 600 Td (shown) Tj ET",
            "q 0 590 612 30 re W n BT /F1 12 Tf 72 600 Td (shown) Tj ET Q",
        ])
    func shown(content: String) throws {
        let document = try PDFReader.read(bytes: PDFFixture.pages(Self.seen + content))
        #expect(document.text == "seen\n\nshown\n\n")
        #expect(document.notices.isEmpty)
    }

    @Test("The text layer of a scan is its text")
    func scan() throws {
        var fixture = PDFFixture()
        let image = fixture.addStream([0], "/Type /XObject /Subtype /Image /Width 1 /Height 1")
        fixture.addPage(
            "q 612 0 0 792 0 0 cm /Im Do Q BT /F1 12 Tf 3 Tr 72 600 Td (recognised) Tj ET",
            resources: "/XObject << /Im \(image) 0 R >>")
        let document = try PDFReader.read(bytes: fixture.bytes())
        #expect(document.text == "recognised\n\n" && document.notices.isEmpty)
    }

    @Test("Layers that are off are left out")
    func layers() throws {
        var fixture = PDFFixture()
        let layer = fixture.add("<< /Type /OCG /Name (Off) >>")
        fixture.catalog = "/OCProperties << /OCGs [\(layer) 0 R] /D << /OFF [\(layer) 0 R] >> >>"
        fixture.addPage(
            Self.seen + "/OC /L BDC BT /F1 12 Tf 72 600 Td (hidden) Tj ET EMC",
            resources: "/Properties << /L \(layer) 0 R >>")
        #expect(try PDFReader.read(bytes: fixture.bytes()).text == "seen\n\n")
    }
}
