import TestSupport
import Testing

@testable import Documents

@Suite struct EPUBFiles {
    static let container = """
        <container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
        <rootfile full-path="O%20B/p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
        """

    static func package(_ metadata: String = "", _ manifest: String = "", _ spine: String = "<itemref idref='a'/>")
        -> String
    {
        """
        <package xmlns="http://www.idpf.org/2007/opf" unique-identifier="u"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
        <dc:title>T</dc:title><dc:identifier>x</dc:identifier><dc:identifier id="u">urn:1</dc:identifier>\(metadata)</metadata>
        <manifest><item id="a" href="t%C3%A4xt.xhtml" media-type="application/xhtml+xml"/>\(manifest)</manifest>
        <spine toc="n">\(spine)</spine></package>
        """
    }

    static func page(_ body: String) -> String {
        """
        <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://example.org/x.dtd">
        <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>x</title></head>
        <body>\(body)</body></html>
        """
    }

    static func book(
        _ body: String, metadata: String = "", manifest: String = "", spine: String = "<itemref idref='a'/>",
        _ more: [(String, String)] = []
    ) -> [UInt8] {
        ZipWriter.archive(
            [
                ("mimetype", "application/epub+zip"), ("META-INF/container.xml", container),
                ("O B/p.opf", package(metadata, manifest, spine)), ("O B/täxt.xhtml", page(body)),
            ] + more)
    }

    func read(_ bytes: [UInt8]) throws -> Document {
        let document = try DocumentReader.read(bytes)
        expectPromises(document, "book")
        return document
    }

    @Test(arguments: [
        ("<svg xmlns='http://www.w3.org/2000/svg'/>", true), ("\u{FEFF}<?xml version='1.0'?>\n<!-- a --><svg>", true),
        ("<!DOCTYPE svg>\n<svg:svg/>", true), ("<svgs/>", false), ("<html><svg/></html>", false), ("<!-- <svg>", false),
        ("", false),
    ])
    func `a drawing is a cover, other markup is none`(_ text: String, _ isCover: Bool) throws {
        let item = #"<item id="c" href="c.svg" media-type="image/svg+xml" properties="cover-image"/>"#
        let book = Self.book("<p>text</p>", manifest: item, [("O B/c.svg", text)])
        #expect(try DocumentReader.read(book).cover == (isCover ? Array(text.utf8) : nil))
        #expect(CoverPicture.mediaType(of: Array(text.utf8)) == (isCover ? "image/svg+xml" : nil))
    }

    @Test(.slow, arguments: [300, 12_000]) func `a chapter that is nested deeply keeps all its text`(depth: Int) throws
    {
        for (html, count) in HTMLFiles.nested(depth) {
            let document = try read(Self.book(html))
            #expect(document.text.contains("Paragraph \(count)"), "\(html.prefix(60))")
            #expect(document.text.contains("Paragraph 1"))
            #expect(!document.notices.contains { $0.code == .cut }, "\(document.notices)")
        }
    }

    @Test(arguments: [
        ("CR%21X.xhtml", "CR%21X.xhtml"), ("Text\\c1.xhtml", "Text/c1.xhtml"), ("Text/c1.xhtml", "Text\\c1.xhtml"),
        ("Text\\c1.xhtml", "Text\\c1.xhtml"), ("Chapter.XHTML", "chapter.xhtml"),
        ("caf\u{E9}.xhtml", "cafe\u{301}.xhtml"),
        ("cafe%CC%81.xhtml", "caf\u{E9}.xhtml"), ("a%20b.xhtml", "a b.xhtml"), ("a b.xhtml", "a%20b.xhtml"),
        ("./Text/./c1.xhtml", "Text/c1.xhtml"), ("%zz.xhtml", "%zz.xhtml"), ("100%25.xhtml", "100%25.xhtml"),
    ])
    func `a chapter whose name is spelled otherwise is found`(link: String, name: String) throws {
        let document = try read(
            Self.book(
                "<p>First</p>", manifest: "<item id='b' href='\(link)' media-type='application/xhtml+xml'/>",
                spine: "<itemref idref='a'/><itemref idref='b'/>", [("O B/\(name)", Self.page("<p>Second</p>"))]))
        #expect(document.blockTexts == ["First", "Second"])
        #expect(document.notices.isEmpty, "\(document.notices)")
    }

    @Test func `an exact name counts before one that is spelled otherwise`() throws {
        let document = try read(
            Self.book(
                "<p>First</p>", manifest: "<item id='b' href='B.xhtml' media-type='application/xhtml+xml'/>",
                spine: "<itemref idref='b'/>",
                [("O B/b.xhtml", Self.page("<p>small</p>")), ("O B/B.xhtml", Self.page("<p>large</p>"))]))
        #expect(document.blockTexts == ["large"])
    }

    @Test(arguments: ["", "<itemref idref='nobody'/>", "<itemref/>"])
    func `a book without an order of reading is read in the order of its list`(spine: String) throws {
        let document = try read(
            Self.book(
                "<p>First</p>",
                manifest: """
                    <item id='nav' href='nav.xhtml' media-type='application/xhtml+xml' properties='nav'/>
                    <item id='b' href='b.xhtml' media-type='application/xhtml+xml'/><item id='c' href='c.css' media-type='text/css'/>
                    """, spine: spine,
                [("O B/b.xhtml", Self.page("<p>Second</p>")), ("O B/nav.xhtml", Self.page("<p>Contents</p>"))]))
        #expect(document.blockTexts == ["First", "Second"])
        #expect(document.notices.contains { $0.code == .repaired && $0.message.contains("order of reading") })
    }

    @Test func `an entry of the spine that no file has is said`() throws {
        let document = try read(Self.book("<p>First</p>", spine: "<itemref idref='A'/><itemref idref='lost'/>"))
        #expect(document.blockTexts == ["First"])
        #expect(document.notices.contains { $0.code == .failedPages && $0.message.contains("lost") })
    }

    @Test func blocks() throws {
        let document = try read(
            Self.book(
                """
                <h1>One&nbsp;<br/>and all</h1><p>A <b>bo</b>ld\u{AD}er word<script>x()</script>.</p> loose
                <p hidden="">gone</p><p style="x:y; Display : none">gone</p>
                <p><ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>です</p><img alt="A picture" src="x"/><p><img alt="O"/>nce</p>
                <ul><li>one</li><li>two<p>more</p></li></ul><blockquote><p>said</p></blockquote><pre>a
                  b</pre><table><caption>Cap</caption><tr><th>a</th><td><p>b</p></td></tr><tr><td>c</td><td>d<br/>e</td></tr></table>
                <aside epub:type="footnote"><p>Note.</p></aside><figure><img alt="x"/><figcaption>Fig</figcaption></figure>
                <table><tr><td><table><tr><td>inner</td></tr></table></td><td><p>outer</p></td></tr></table>
                """))
        #expect(
            document.blockTexts == [
                "One\u{A0}\nand all", "A bolder word.", "loose", "漢字です", "Once", "one", "two", "more", "said", "a\n  b",
                "Cap\na\tb\nc\td e", "Note.", "Fig", "inner", "outer",
            ])
        #expect(
            document.kinds == [
                .heading, .paragraph, .paragraph, .paragraph, .paragraph, .listItem, .listItem, .listItem, .quote,
                .code,
                .table, .footnote, .caption, .table, .paragraph,
            ])
        #expect((document.title, document.identifier) == ("T", "urn:1"))
    }

    @Test func pageMarks() throws {
        let document = try read(
            Self.book(
                """
                <p>Before.</p><p><span epub:type="pagebreak" title="xi"/>One, <span role="doc-pagebreak" aria-label="Page 12."/>two</p>
                <div epub:type="pagebreak">13</div><p>Three.</p><p>Four <span epub:type="pagebreak" id="x">14</span></p><p>End.</p>
                """))
        #expect(document.numbering == .labels)
        #expect(document.pages.map(\.label) == [nil, "xi", "12", "13", "14"])
        #expect(document.pages.map { document.text($0.range).prefix(4) } == ["Befo", "One,", "two\n", "Thre", "End."])
    }

    static let ncx = """
        <ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>
        <navPoint><navLabel><text>Part</text></navLabel><content src="t%C3%A4xt.xhtml"/>
        <navPoint><navLabel><text>Two: b</text></navLabel><content src="täxt.xhtml#two"/></navPoint></navPoint></navMap>
        <pageList><pageTarget value="9"><navLabel><text>Page 9</text></navLabel><content src="täxt.xhtml#p"/></pageTarget></pageList></ncx>
        """

    @Test func contentsAndPagesOfVersion2() throws {
        let document = try read(
            Self.book(
                "<h1>Part</h1><p>x</p><h2 id='two'>Two</h2><h3>b</h3><p>y <a id='p'/>z</p><h2>Own</h2>",
                manifest: "<item id='n' href='n.ncx' media-type='application/x-dtbncx+xml'/>", [("O B/n.ncx", Self.ncx)]
            ))
        #expect(document.headings.map { "\($0.level) \($0.title)" } == ["1 Part", "2 Two: b", "3 b", "3 Own"])
        #expect(document.pages.map(\.label) == [nil, "9"])
    }

    @Test func theOrderOfReading() throws {
        let manifest = (1...3).map { "<item id='i\($0)' href='\($0).xhtml' media-type='application/xhtml+xml'/>" }
            .joined()
        let document = try read(
            Self.book(
                "<p>a</p>",
                metadata:
                    "<dc:creator id='c'>Jane</dc:creator><meta refines='#c' property='role'>aut</meta><dc:creator id='d'>Ed</dc:creator><meta refines='#d' property='role'>edt</meta><dc:language>de-at</dc:language>",
                manifest: manifest,
                spine:
                    "<itemref idref='i1' linear='no'/><itemref idref='i3'/><itemref idref='a'/><itemref idref='i2'/>",
                (1...3).map { ("O B/\($0).xhtml", Self.page("<p>\($0)</p>")) }))
        #expect(document.blockTexts == ["3", "a", "2", "1"])
        #expect((document.authors, document.language) == (["Jane"], "de-AT"))
    }

    @Test func notWellFormed() throws {
        let document = try read(Self.book("<p>One &foo; <b>two</p><p>three &nbsp;four"))
        #expect(document.blocks.count == 2)
        #expect(document.notices.map(\.code) == [.repaired])
    }

    @Test func protection() throws {
        func encryption(_ algorithm: String, _ file: String) -> (String, String) {
            (
                "META-INF/encryption.xml",
                """
                <encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">
                <e:EncryptedData><e:EncryptionMethod Algorithm="\(algorithm)"/><e:CipherData><e:CipherReference URI="\(file)"/></e:CipherData></e:EncryptedData></encryption>
                """
            )
        }
        let aes = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
        let text = "O%20B/t%C3%A4xt.xhtml"
        let error = #expect(throws: DocumentError.self) { try read(Self.book("<p>x</p>", [encryption(aes, text)])) }
        #expect(error?.code == .protected)
        #expect(try read(Self.book("<p>x</p>", [encryption(aes, "font.otf")])).text == "x")
        #expect(try read(Self.book("<p>x</p>", [encryption("http://ns.adobe.com/pdf/enc#RC", text)])).text == "x")
        #expect(try read(Self.book("<p>x</p>", [("META-INF/rights.xml", "")])).text == "x")
        let sealed = #expect(throws: DocumentError.self) {
            try read(
                Self.book(
                    "", manifest: "<item id='z' href='z.xhtml' media-type='application/xhtml+xml'/>",
                    spine: "<itemref idref='z'/>",
                    [("META-INF/sinf.xml", ""), ("O B/z.xhtml", String(repeating: "\u{1}\u{2}", count: 100))]))
        }
        #expect(sealed?.code == .protected)
    }

    @Test func externalEntitiesAreNotRead() throws {
        let page =
            "<!DOCTYPE html [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><html xmlns='http://www.w3.org/1999/xhtml'><body><p>a&x;b</p></body></html>"
        let document = try read(
            Self.book(
                "", manifest: "<item id='z' href='z.xhtml' media-type='application/xhtml+xml'/>",
                spine: "<itemref idref='z'/>", [("O B/z.xhtml", page)]))
        #expect(document.text == "ab")
    }

    @Test func bombs() throws {
        var limits = DocumentLimits()
        limits.unpackedBytes = 5000
        let large = Self.book(String(repeating: "<p>x</p>", count: 1000))
        let error = #expect(throws: DocumentError.self) { try DocumentReader.read(large, limits: limits) }
        #expect(error?.code == .tooLarge)
        let laughs =
            "<!DOCTYPE html [<!ENTITY a0 'ha'>"
            + (1...20).map { "<!ENTITY a\($0) '" + String(repeating: "&a\($0 - 1);", count: 10) + "'>" }.joined()
            + "]><html xmlns='http://www.w3.org/1999/xhtml'><body><p title='&a20;'>x&a20;</p></body></html>"
        let bomb = Self.book(
            "", manifest: "<item id='z' href='z.xhtml' media-type='application/xhtml+xml'/>",
            spine: "<itemref idref='z'/>", [("O B/z.xhtml", laughs)])
        if let document = try? DocumentReader.read(bomb) { #expect(document.text.utf8.count < 100_000) }
        let deep = Self.book(
            String(repeating: "<div>", count: 10_000) + "x" + String(repeating: "</div>", count: 10_000))
        _ = try? DocumentReader.read(deep)
    }

    /// Flipped bytes give a document that keeps its promises or an error, never a trap.
    @Test(.slow) func damagedFiles() {
        var random = SeededGenerator(5)
        let whole = Self.book(
            "<h1 id='two'>A</h1><p>x<span epub:type='pagebreak' id='p'/>y</p><table><tr><td>1</td></tr></table>",
            manifest: "<item id='n' href='n.ncx' media-type='application/x-dtbncx+xml'/>", [("O B/n.ncx", Self.ncx)])
        for _ in 0..<1000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if Int.random(in: 0..<10, using: &random) == 0 {
                bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            }
            if let document = try? DocumentReader.read(bytes, name: "a.epub") { expectPromises(document, "damaged") }
        }
    }

    @Test(
        arguments: [
            ("b.xhtml", "O/a.opf", "O/b.xhtml"), ("../b%20c.xhtml#x", "O/P/a.opf", "O/b c.xhtml#x"), ("#x", "a", "a#x"),
            ("../../../etc/x", "O/a", "etc/x"), ("/b", "O/a", "b"), ("http://x/y", "O/a", nil), ("%zz%4", "a", "%zz%4"),
            ("a.xhtml?q#f%C3%A4", "b", "a.xhtml#fä"),
        ] as [(String, String, String?)])
    func paths(_ link: String, _ base: String, _ expected: String?) {
        #expect(ArchivePath(link, from: base)?.target == expected)
    }

    @Test(arguments: [
        ("epubcfi(/6/4[ct]!/4/2[d10e42]/12/1:1552[Bryan,%20and])", EPUBFragment?.some(.init(1, [4, 2, 12, 1], 1552))),
        ("epubcfi(/6/4!/4)", .init(1, [4], 0)), ("epubcfi(/6/4)", nil), ("epubcfi(/6/0!/4)", nil), ("x", nil),
        ("epubcfi(/6/4!/4,/2,/4)", nil), ("epubcfi(/6/999999999999999999999!/4)", nil),
    ])
    func fragments(_ text: String, _ expected: EPUBFragment?) { #expect(EPUBFragment(text) == expected) }
}

extension EPUBFragment {
    init(_ spineIndex: Int, _ steps: [Int], _ offset: Int) {
        self.init(spineIndex: spineIndex, steps: steps, offset: offset)
    }
}
