import TestSupport
import Testing

@testable import Documents

@Suite struct DOCXFiles {
    static let namespaces = """
        xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"
        """
    static let styles = """
        <w:styles \(namespaces)><w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="de-DE"/></w:rPr></w:rPrDefault></w:docDefaults>
        <w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style>
        <w:style w:styleId="Eigen"><w:name w:val="Eigen"/><w:basedOn w:val="berschrift2"/></w:style>
        <w:style w:styleId="Umriss"><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
        <w:style w:styleId="A"><w:basedOn w:val="B"/></w:style><w:style w:styleId="B"><w:basedOn w:val="A"/></w:style>
        <w:style w:styleId="Titel"><w:name w:val="Title"/></w:style></w:styles>
        """

    static func file(_ body: String, _ more: [(String, String)] = []) -> [UInt8] {
        let types = ["styles", "footnotes", "endnotes"].map {
            "<Relationship Id='\($0)' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/\($0)' Target='\($0).xml'/>"
        }.joined()
        return ZipWriter.archive(
            [
                ("[Content_Types].xml", "<Types/>"),
                ("word/document.xml", "<w:document \(namespaces)><w:body>\(body)</w:body></w:document>"),
                (
                    "word/_rels/document.xml.rels",
                    "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>\(types)</Relationships>"
                ),
                ("word/styles.xml", styles),
            ] + more)
    }

    static func paragraph(_ text: String, style: String = "A", properties: String = "") -> String {
        "<w:p><w:pPr><w:pStyle w:val='\(style)'/>\(properties)</w:pPr><w:r><w:t>\(text)</w:t></w:r></w:p>"
    }

    func read(_ bytes: [UInt8]) throws -> Document {
        let document = try DocumentReader.read(bytes)
        expectPromises(document, "docx")
        return document
    }

    @Test func `a document that is nested deeply keeps its text, and a broken one says how much is missing`() throws {
        let open = String(repeating: "<w:sdt><w:sdtContent>", count: 1000)
        let close = String(repeating: "</w:sdtContent></w:sdt>", count: 1000)
        let deep = try read(Self.file(open + Self.paragraph("inside") + close + Self.paragraph("behind")))
        #expect(deep.blockTexts == ["inside", "behind"] && deep.notices.isEmpty)

        let many = (1...200).map { Self.paragraph("Paragraph number \($0)") }
        let broken = try read(
            Self.file(many[..<100].joined() + "<w:p <w:broken" + many[100...].joined()))
        #expect(broken.text.contains("Paragraph number 1"))
        if !broken.text.contains("Paragraph number 200") {
            #expect(
                broken.notices.contains { $0.code == .cut && $0.message.contains("% of its text") }, "\(broken.notices)"
            )
        }
    }

    @Test func headingsByStyle() throws {
        let document = try read(
            Self.file(
                Self.paragraph("T", style: "Titel") + Self.paragraph("One", style: "berschrift2") + Self.paragraph("x")
                    + Self.paragraph("Two", style: "Eigen") + Self.paragraph("x")
                    + Self.paragraph("Three", style: "Umriss")
                    + Self.paragraph("Four", properties: "<w:outlineLvl w:val='8'/>")
                    + Self.paragraph("Body", style: "Umriss", properties: "<w:outlineLvl w:val='9'/>")
                    + Self.paragraph("Five", style: "Heading3")))
        #expect(
            document.headings.map { "\($0.level) \($0.title)" } == [
                "1 T", "2 One", "2 Two", "1 Three", "6 Four", "3 Five",
            ])
        #expect((document.title, document.language) == ("T", "de-DE"))
    }

    @Test func runs() throws {
        let document = try read(
            Self.file(
                """
                <w:p><w:r><w:t xml:space="preserve">a </w:t></w:r><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>
                <w:r><w:noBreakHyphen/><w:tab/><w:softHyphen/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>
                <w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>!</w:t></w:r></w:p>
                <w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>no</w:t></w:r>
                <w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>7</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>
                <w:fldSimple w:instr="DATE"><w:r><w:t> May</w:t></w:r></w:fldSimple></w:p>
                <w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></mc:Choice>
                <mc:Fallback><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></mc:Fallback></mc:AlternateContent><w:t>around</w:t></w:r></w:p>
                """))
        #expect(document.blockTexts == ["a new\u{2011}\tb\nc!", "7 May", "box", "around"])
        #expect(document.notices.map(\.code) == [.hiddenText])
    }

    @Test func tablesListsAndNotes() throws {
        let note =
            "<w:footnotes \(Self.namespaces)><w:footnote w:id='0' w:type='separator'><w:p/></w:footnote><w:footnote w:id='2'>\(Self.paragraph("Foot."))</w:footnote></w:footnotes>"
        let document = try read(
            Self.file(
                "<w:p><w:r><w:t>x</w:t><w:endnoteReference w:id='1'/><w:footnoteReference w:id='2'/></w:r></w:p>"
                    + Self.paragraph("item", properties: "<w:numPr><w:numId w:val='3'/></w:numPr>")
                    + "<w:tbl><w:tr><w:tc>\(Self.paragraph("a"))\(Self.paragraph("b"))</w:tc><w:tc>\(Self.paragraph("c"))</w:tc></w:tr><w:tr><w:tc>\(Self.paragraph("d"))</w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>"
                    + "<w:tbl><w:tr><w:tc>\(Self.paragraph("outer"))<w:tbl><w:tr><w:tc>\(Self.paragraph("inner"))</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>",
                [
                    ("word/footnotes.xml", note),
                    (
                        "word/endnotes.xml",
                        "<w:endnotes \(Self.namespaces)><w:endnote w:id='1'>\(Self.paragraph("End."))</w:endnote></w:endnotes>"
                    ),
                ]))
        #expect(document.blockTexts == ["x", "Foot.", "item", "a b\tc\nd", "outer", "inner", "End."])
        #expect(document.kinds == [.paragraph, .footnote, .listItem, .table, .paragraph, .table, .footnote])
    }

    @Test func pageBreaks() throws {
        let hard = "<w:p><w:r><w:br w:type='page'/></w:r></w:p>"
        let rendered = "<w:p><w:r><w:lastRenderedPageBreak/><w:t>"
        let document = try read(
            Self.file(
                Self.paragraph("One.") + hard + rendered + "Two.</w:t></w:r></w:p>"
                    + "<w:p><w:r><w:t>Two </w:t><w:lastRenderedPageBreak/><w:t>three.</w:t></w:r></w:p>"
                    + Self.paragraph("x", properties: "<w:sectPr/>")
                    + Self.paragraph("Four.", properties: "<w:sectPr><w:type w:val='nextPage'/></w:sectPr>")
                    + Self.paragraph("Still four.") + hard + hard + Self.paragraph("Six.")
                    + "<w:sectPr><w:type w:val='continuous'/></w:sectPr>"))
        #expect(document.numbering == .breaks)
        #expect(
            document.pages.map { document.text($0.range).split(separator: "\n").first ?? "" } == [
                "One.", "Two.", "three.", "Four.", "", "Six.",
            ])
        let chapters = try read(
            Self.file(
                (0..<3).map { Self.paragraph(String(repeating: "Word \($0). ", count: 1000)) }.joined(separator: hard)))
        #expect(chapters.numbering == .estimated)
        #expect(chapters.pages.contains { chapters.text($0.range).hasPrefix("Word 1.") })
    }

    @Test func damagedFiles() {
        var random = SeededGenerator(6)
        let whole = Self.file(
            "<w:p><w:r><w:t>x</w:t><w:lastRenderedPageBreak/><w:footnoteReference w:id='2'/></w:r></w:p><w:tbl><w:tr><w:tc>\(Self.paragraph("a"))</w:tc></w:tr></w:tbl>",
            [
                (
                    "word/footnotes.xml",
                    "<w:footnotes \(Self.namespaces)><w:footnote w:id='2'><w:p><w:r><w:t>n</w:t><w:footnoteReference w:id='2'/></w:r></w:p></w:footnote></w:footnotes>"
                )
            ])
        for _ in 0..<800 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if let document = try? DocumentReader.read(bytes, name: "a.docx") { expectPromises(document, "damaged") }
        }
    }
}
