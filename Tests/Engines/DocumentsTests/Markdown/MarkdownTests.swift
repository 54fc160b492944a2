import TestSupport
import Testing

@testable import Documents

@Suite struct MarkdownFiles {
    func read(_ text: String) throws -> Document {
        let document = try DocumentReader.read(Array(text.utf8), name: "a.md")
        expectPromises(document, "\(text.prefix(40))")
        return document
    }

    @Test func blocks() throws {
        let document = try read(
            """
            # The *Title*

            A [link](http://x.y "t") with `code`,
            a line\\
            break and ~~old~~ **new** text ![image](a.png).[^1]

            - one
            - two

              more of two
            1. three
               - [x] four

            > quoted
            > text

            ```swift
            let a = 1

            let b = 2
            ```

            | a | b |
            |---|---|
            | 1 | *2* |

            [^1]: The note.
            """)
        #expect(
            document.blockTexts == [
                "The Title", "A link with code, a line\nbreak and old new text .", "one", "two", "more of two",
                "three",
                "four", "quoted text", "let a = 1\n\nlet b = 2", "a\tb\n1\t2", "The note.",
            ])
        #expect(
            document.kinds == [
                .heading, .paragraph, .listItem, .listItem, .listItem, .listItem, .listItem, .quote, .code, .table,
                .footnote,
            ])
        #expect(document.title == "The Title")
        #expect(document.text.contains("one\ntwo\nmore"))
    }

    @Test func headingsArePages() throws {
        let document = try read("# Book\n\nPreface.\n\n## One\n\nText.\n\n## Two\n\n### Sub\n\nText.")
        #expect(document.numbering == .headings)
        #expect(document.pages.map { document.text($0.range).prefix(4) } == ["Book", "One\n", "Two\n"])
        #expect(document.headings.map(\.level) == [1, 2, 2, 3])
        let long = try read("# A\n\n" + String(repeating: "Some words here. ", count: 400) + "\n\n# B\n\nText.")
        #expect(long.numbering == .estimated)
        #expect(long.text(try #require(long.pages.last).range) == "B\n\nText.")
    }

    @Test func blocksOfHTML() throws {
        let document = try read(
            "<!-- no -->\n\n<h1 align=center>Logo</h1>\n\n<p>A <b>b</b>\n\n<div>\n\n*text*\n\n</div>")
        #expect(document.blockTexts == ["Logo", "A b", "text"])
        #expect(document.title == "Logo")
    }

    @Test func frontMatter() throws {
        let yaml = try read("---\ntitle: \"A: B\"\nauthors:\n  - Jane\n  - name: Joe\nlang: de_at\n---\nText.")
        #expect((yaml.title, yaml.language) == ("A: B", "de-AT"))
        #expect(yaml.authors == ["Jane", "Joe"])
        #expect(yaml.text == "Text.")
        let toml = try read("+++\ntitle = 'T'\nauthor = [\"J\", \"K\"]\n+++\nText.")
        #expect(toml.title == "T")
        #expect(toml.authors == ["J", "K"])
        #expect(try read("---\n\nno front matter\n\n---\n").text.contains("no front matter"))
    }

    @Test func hostileText() throws {
        var random = SeededGenerator(4)
        let pieces = [
            "*", "_", "[", "](", ")", "`", "> ", "- ", "\n", "# ", "|", "|-|\n", "[^1]", "[^1]: ", "<b>", "é", "\0",
            "\\", "    ", "~~", "1. ", "---\n",
        ]
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 1...200, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            guard let document = try? DocumentReader.read(Array(text.utf8), name: "a.md") else { continue }
            expectPromises(document, "\(text)")
        }
        _ = try? DocumentReader.read(Array((String(repeating: ">", count: 20_000) + "a").utf8), name: "a.md")
        _ = try? DocumentReader.read(Array((String(repeating: "[", count: 50_000) + "a").utf8), name: "a.md")
    }
}
