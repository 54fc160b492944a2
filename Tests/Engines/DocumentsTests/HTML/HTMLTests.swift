import TestSupport
import Testing

@testable import Documents

@Suite struct HTMLFiles {
    static let sentence = "The tide comes in twice a day, and nobody has ever seen it hurry. "
    static let paragraphs = (1...5).map { "<p>\($0) \(String(repeating: sentence, count: 4))</p>" }.joined()

    func read(_ html: String, _ content: HTMLContent = .whole) throws -> Document {
        let document = try DocumentReader.read(Array(html.utf8), name: "a.html", content: content)
        expectPromises(document, "\(html.prefix(60))")
        return document
    }

    @Test func wholeAndArticle() throws {
        let page = """
            <html lang=en><title>T - Site</title><meta property=og:site_name content=Site><body><nav><a href=/>Home</a> Menu of the page</nav>
            <div class=wrap><div class="post-content"><h1>T</h1>\(Self.paragraphs)<div class="shareButtons">Share this text with all</div></div>
            <div id=comments><p>\(Self.sentence) I comment.</p></div></div><footer>Imprint</footer></body></html>
            """
        let whole = try read(page)
        for part in ["Menu", "Share this", "I comment", "Imprint"] { #expect(whole.text.contains(part)) }
        let article = try read(page, .article)
        #expect(article.blocks.count == 6)
        #expect(article.headings.map(\.title) == ["T"])
        #expect((article.title, article.language) == ("T", "en"))
    }

    @Test func `links are those of the whole page as it writes them, each once`() throws {
        let page = """
            <head><base href="/b/"></head><nav><a href=" /home ">Home</a> <a name=x>No link</a> <a href="">Nothing</a></nav>
            <article><h1>T</h1>\(Self.paragraphs)<p><a href="#note">Note</a> <a href="../c?d&amp;e">C</a> <a href="/home">Again</a>
            <map><area href="javascript:x()"></map> <a href="/\(String(repeating: "x", count: 3000))">Long</a></p></article>
            """
        let document = try read(page, .articleAndLinks)
        #expect(document.links == DocumentLinks(base: "/b/", targets: ["/home", "../c?d&e", "javascript:x()"]))
        #expect(try read(page, .article).links == nil)
        var same = document
        same.links = nil
        #expect(try read(page, .article) == same)
        let many = (0..<3000).map { "<a href=/\($0)>x</a>" }.joined()
        #expect(try read(many, .articleAndLinks).links?.targets.count == DocumentLinks.maxTargets)
    }

    /// Pages that are nested more deeply than a parser's usual limit of 256, with the number of their paragraphs.
    static func nested(_ depth: Int) -> [(String, Int)] {
        func inside(_ open: String, _ close: String) -> String {
            String(repeating: open, count: depth) + "Paragraph 1" + String(repeating: close, count: depth)
                + "<p>Paragraph 2</p>"
        }
        return [
            ((1...depth).map { "<p><font color=red>Paragraph \($0)" }.joined(), depth),
            (inside("<div>", "</div>"), 2), (inside("<ul><li>", "</li></ul>"), 2),
            (inside("<blockquote>", "</blockquote>"), 2), (inside("<table><tr><td>", "</td></tr></table>"), 2),
            (inside("<span>", "</span>"), 2), (inside("<section><b><i>", "</i></b></section>"), 2),
            ((1...depth).map { "<div>Paragraph \($0)" }.joined(), depth),
            ((1...depth).map { "<blockquote>Paragraph \($0)<br>" }.joined(), depth),
        ]
    }

    @Test(.slow, arguments: [300, 700, 12_000]) func `a page that is nested deeply keeps all its text`(depth: Int)
        throws
    {
        for (html, count) in Self.nested(depth) {
            let document = try read("<html><head><title>T</title></head><body>\(html)</body></html>")
            let words = document.text.split { $0 == "\n" || $0 == " " || $0 == "\t" }
            #expect(words.count { $0 == "Paragraph" } == count, "\(html.prefix(60)): \(words.count)")
            #expect(document.text.contains("Paragraph \(count)"))
            #expect(document.notices.isEmpty, "\(html.prefix(60))")
        }
    }

    @Test func metadata() throws {
        let document = try read(
            """
            <html xml:lang="de-AT"><head><script type="application/ld+json">{"@graph":[{"@type":"WebPage"},{"@type":["NewsArticle"],
            "headline":"Head &amp; line","author":[{"name":"Jane"},{"name":"Joe"}],"datePublished":"2024-05-06T07:08:09Z"}]}</script>
            <script type="application/ld+json">{"@type": [[[</script><title>x</title></head><body><p>Text.</body>
            """)
        #expect(document.authors == ["Jane", "Joe"])
        #expect((document.published, document.language) == ("2024-05-06T07:08:09Z", "de-AT"))
    }

    @Test(arguments: [
        ("<meta charset=\"iso-8859-1\">", "windows-1252"),
        ("<!-- <meta charset=koi8-r> --><META http-equiv=x content='text/html; charset=windows-1251'>", "windows-1251"),
        ("<?xml version='1.0' encoding='shift_jis'?>", "windows-31j"), ("<p>", "windows-1252"),
    ])
    func charsets(_ start: String, _ charset: String) {
        let bytes = Array(start.utf8) + [0xE9, 0xE8]
        let declared = HTMLCharset.declared(bytes).flatMap(CharsetLabel.charset(of:))
        if start != "<p>" { #expect(declared == charset) } else { #expect(declared == nil) }
    }

    @Test(arguments: [
        ("<body><form><input type=password name=p> Password</form>", "sign in"),
        ("<title>Just a moment...</title><p>Checking", "browser"),
        ("<noscript>Please enable JavaScript</noscript><div id=app>Loading</div>", "JavaScript"),
        ("<body></body>", "no text"),
        ("<!-- nothing -->", "no text"),
    ])
    func walls(_ html: String, _ reason: String) {
        let error = #expect(throws: DocumentError.self) { try DocumentReader.read(Array(html.utf8), name: "a.html") }
        #expect(error?.code == .empty)
        #expect(error?.message.contains(reason) == true)
    }

    @Test func paragraphsByLineBreaks() throws {
        #expect(try read("<p>One<br>line<br><br>Two<br> <br>Three</p>").blockTexts == ["One\nline", "Two", "Three"])
    }

    @Test(.slow) func hostilePages() {
        var random = SeededGenerator(7)
        let pieces = [
            "<div>", "</div>", "<p>", "<table>", "<tr><td>", "</table>", "<h1>", "<hgroup>", "</hgroup>", "<li>",
            "text, and more. ", "<a href=x>", "</a>", "<br>", "<img alt=O>", "é", "&nbsp;", "&#0;", "&#xD800;", "\0",
            "<pre>", "<q>", "<span role=doc-pagebreak aria-label=3></span>", "<script>", "</script>", "<!--", "-->",
            "<ruby>", "<svg>", "<math>", " id=a class=main>", "<article>", Self.sentence,
        ]
        for _ in 0..<600 {
            let html = (0..<Int.random(in: 1...120, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            for content in [HTMLContent.whole, .article] {
                guard let document = try? DocumentReader.read(Array(html.utf8), name: "a.html", content: content) else {
                    continue
                }
                expectPromises(document, "random")
            }
        }
        for deep in ["<div>", "<b>", "<table><tr><td>", "<ul><li>", "<a href=x>", "<font>"] {
            _ = try? DocumentReader.read(
                Array((String(repeating: deep, count: 20_000) + "x").utf8), name: "a.html", content: .article)
        }
    }
}
