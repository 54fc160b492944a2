import Testing
import TestSupport

@testable import Documents

struct ReadingViewTests {
    /// A document of blocks that are separated by empty lines, on pages of one or more blocks.
    static func document(_ pages: [[(DocumentBlock.Kind, String)]]) -> Document {
        var document = Document(format: .pdf, text: "", pages: [], numbering: .physical)
        for (number, page) in pages.enumerated() {
            let start = document.text.utf8.count
            for (kind, text) in page {
                let begin = document.text.utf8.count
                document.text += text
                document.blocks.append(DocumentBlock(kind: kind, range: begin..<document.text.utf8.count))
                document.text += "\n\n"
            }
            document.pages.append(DocumentPage(number: number + 1, range: start..<document.text.utf8.count))
        }
        return document
    }

    @Test(
        "White space, hyphens and ligatures of one paragraph",
        arguments: [
            ("one\ntwo  three", "one two three"),
            ("hyphen-\nated", "hyphenated"),
            ("Anglo-\nSaxon", "Anglo-Saxon"),
            ("1990-\n1999", "1990- 1999"),
            ("a dash -\nand more", "a dash - and more"),
            ("soft\u{AD}ly and soft\u{AD}\nly", "softly and softly"),
            ("di\u{FB03}cult \u{FB01}sh", "difficult fish"),
            ("no\u{A0}break\u{200A}hair", "no break hair"),
            ("word\u{2060}joiner", "wordjoiner"),
            ("\u{6F22}\u{5B57}\n\u{4EEE}\u{540D}", "\u{6F22}\u{5B57}\u{4EEE}\u{540D}"),
            ("  spaces around \n", "spaces around"),
            ("", ""),
        ])
    func paragraph(text: String, expected: String) {
        #expect(ReadingView(Self.document([[(.paragraph, text)]])).text == expected)
    }

    @Test("Running heads are left out, and a paragraph goes on behind them")
    func runningHeads() {
        let document = Self.document([
            [(.runningHead, "A BOOK"), (.paragraph, "The end of the para-"), (.runningHead, "12")],
            [(.runningHead, "13"), (.paragraph, "graph is here.")],
            [(.paragraph, "next one")],
        ])
        let view = ReadingView(document)
        #expect(view.text == "The end of the paragraph is here.\n\nnext one")
        let found = view.canonicalRange(of: 15..<24)
        #expect(Self.slice(document.text, found).hasPrefix("paragraph".prefix(4)))
        #expect(Self.slice(document.text, found).hasSuffix("graph"))
    }

    @Test("Blocks are separated by an empty line; code keeps its lines; a heading ends a paragraph")
    func blocks() {
        let document = Self.document([
            [(.heading, "A long\nheading")], [(.paragraph, "lower case\nfollows"), (.code, "if a {\n    b\u{A0}c\n}")],
        ])
        #expect(ReadingView(document).text == "A long heading\n\nlower case follows\n\nif a {\n    b c\n}")
    }

    @Test("A range within the text")
    func range() {
        let document = Self.document([[(.paragraph, "one two"), (.paragraph, "three\nfour")]])
        let view = ReadingView(document, range: 4..<15)
        #expect(view.text == "two\n\nthree")
        #expect(view.canonicalRange(of: 5..<10) == 9..<14)
        #expect(view.viewRange(of: 0..<6) == 0..<2)
    }

    @Test("Random texts: ranges there and back contain each other, and both maps are monotone")
    func properties() {
        var random = SeededGenerator(7)
        let alphabet = [
            "a", "B", "-", "\u{AD}", " ", "\n", "\u{A0}", "\u{FB01}", "\u{2060}", "\u{E9}", "\u{6F22}", ".",
            "\u{1F600}",
        ]
        let kinds: [DocumentBlock.Kind] = [.paragraph, .paragraph, .runningHead, .code, .heading, .listItem]
        for _ in 0..<300 {
            let document = Self.document(
                (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    (0..<Int.random(in: 0...4, using: &random)).map { _ in
                        let count = Int.random(in: 0...12, using: &random)
                        let text = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? "" }.joined()
                        return (kinds.randomElement(using: &random) ?? .paragraph, text)
                    }
                })
            let borders = Self.scalarBorders(document.text)
            let low = borders.randomElement(using: &random) ?? 0
            let high = borders.randomElement(using: &random) ?? 0
            let view = ReadingView(document, range: min(low, high)..<max(low, high))
            check(view, in: document)
        }
    }

    private func check(_ view: ReadingView, in document: Document) {
        let shown = Self.scalarBorders(view.text)
        var lastStart = 0
        for (index, start) in shown.enumerated() {
            var lastEnd = 0
            for end in shown[index...] {
                let range = view.canonicalRange(of: start..<end)
                #expect(range.lowerBound >= lastStart && range.upperBound >= lastEnd)
                #expect(view.range.contains(range.lowerBound) || range.lowerBound == view.range.upperBound)
                #expect(range.upperBound <= view.range.upperBound)
                if start < end {
                    let back = view.viewRange(of: range)
                    #expect(back.lowerBound <= start && back.upperBound >= end)
                    #expect(Self.slice(document.text, range).utf8.count == range.count)
                }
                lastEnd = range.upperBound
                if end == start { lastStart = range.lowerBound }
            }
        }
        let letters = view.text.unicodeScalars.filter { $0 == "B" || $0.value == 0x1F600 }.count
        let kept = document.blocks.filter { $0.kind != .runningHead }
            .map { Self.slice(document.text, $0.range.clamped(to: view.range)) }.joined()
        #expect(letters == kept.unicodeScalars.filter { $0 == "B" || $0.value == 0x1F600 }.count)
    }

    static func scalarBorders(_ text: String) -> [Int] {
        var offset = 0
        return [0]
            + text.unicodeScalars.map { scalar in
                offset += UTF8.width(scalar)
                return offset
            }
    }

    static func slice(_ text: String, _ range: Range<Int>) -> String {
        String(decoding: Array(text.utf8)[range], as: UTF8.self)
    }
}
