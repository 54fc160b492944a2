import Foundation
import TestSupport
import Testing

@testable import Text

@Suite struct Chunking {
    static let sentence = "The tide comes in twice a day, and nobody has ever seen it hurry. "
    static let paragraphs = (0..<200).map { "Paragraph \($0). " + String(repeating: sentence, count: 2 + $0 % 5) }

    /// Texts in which cutting could go wrong, by name.
    static let hard: [(name: String, text: String)] = [
        ("paragraphs", paragraphs.joined(separator: "\n\n")),
        ("Windows lines", paragraphs.joined(separator: "\r\n\r\n")),
        ("one paragraph", String(repeating: sentence, count: 900)),
        ("one giant word", String(repeating: "x", count: 100_000)),
        ("words", String(repeating: "word ", count: 5000)),
        ("long words", (1...60).map { String(repeating: "w", count: $0 * 37) }.joined(separator: " ")),
        ("Chinese", String(repeating: "潮起潮落，日复一日。没有人见过它匆忙！", count: 300)),
        ("Chinese without marks", String(repeating: "潮", count: 5000)),
        ("families", String(repeating: "👩‍👩‍👧‍👦", count: 1200)),
        ("flags", String(repeating: "🇩🇪🇯🇵", count: 1200)),
        ("combining marks", String(repeating: "e\u{301}\u{323} ", count: 3000)),
        ("marks upon spaces", String(repeating: "a \u{301}", count: 3000)),
        ("Korean letters", String(repeating: "\u{1112}\u{1161}\u{11AB}", count: 3000)),
        ("Devanagari", String(repeating: "क्षेत्र ", count: 1000)),
        ("line ends", String(repeating: "\r\n", count: 5000)),
        ("white space", String(repeating: " \t\u{3000}\n", count: 2000)),
        ("islands", String(repeating: "a" + String(repeating: " ", count: 2500), count: 20)),
        ("an island far out", String(repeating: "\n", count: 50_000) + "land" + String(repeating: " ", count: 9000)),
        ("a shore", String(repeating: "wave ", count: 240) + String(repeating: "\n", count: 3000) + "sea"),
        ("NUL", String(repeating: "a\0b", count: 3000)),
    ]

    /// Pieces of every kind in an order that the seed decides.
    static func mixed(_ seed: UInt64) -> String {
        let pieces = [
            "word ", "Ende. ", "潮", "。", "」", "\n", "\r\n", "\n\n", "\n## Heading\n", "   ", "👩‍👩‍👧‍👦", "e\u{301}", "\u{301}",
            "\u{200D}",
            "🇩🇪", "#", "?", "! ", "\t", String(repeating: "y", count: 333), String(repeating: "z", count: 900),
            String(repeating: " ", count: 700), "\u{0}", "(so) ", "1. item\n",
        ]
        var state = seed
        var text = ""
        let length = 1500 + Int(seed % 7) * 3000
        while text.utf8.count < length {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            text += pieces[Int(state >> 33) % pieces.count]
        }
        return text
    }

    func check(_ content: String, longestGrapheme: Int = 1, _ name: Comment) {
        let passages = Chunker.passages(title: "Title", content: content)
        #expect(passages == Chunker.passages(title: "Title", content: content), name)
        #expect((1...Chunker.maxPassages).contains(passages.count), name)
        let bytes = Array(content.utf8)
        var borders: Set<Int> = [0]
        var blank: [Range<Int>: Bool] = [:]
        var offset = 0
        for character in content {
            let next = offset + character.utf8.count
            blank[offset..<next] = character.unicodeScalars.allSatisfy(\.properties.isWhitespace)
            offset = next
            borders.insert(offset)
        }
        for passage in passages {
            let range = passage.range
            #expect(borders.contains(range.lowerBound) && borders.contains(range.upperBound), name)
            #expect(range.count <= max(Chunker.maxBytes, longestGrapheme), name)
            #expect(passage.text == "Title\n" + String(decoding: bytes[range], as: UTF8.self), name)
        }
        for (former, next) in zip(passages, passages.dropFirst()) {
            #expect(former.range.lowerBound < next.range.lowerBound, name)
            #expect(former.range.upperBound < next.range.upperBound, name)
            #expect(former.range.upperBound - next.range.lowerBound <= Chunker.maxOverlapBytes, name)
        }
        guard passages.count < Chunker.maxPassages else { return }
        var covered = [Bool](repeating: false, count: bytes.count)
        for passage in passages { for place in passage.range { covered[place] = true } }
        #expect(blank.allSatisfy { $0.value || covered[$0.key.lowerBound] }, name)
    }

    @Test(.slow, arguments: hard.indices) func `hard texts are covered, and no grapheme is cut`(number: Int) {
        check(Self.hard[number].text, "\(Self.hard[number].name)")
    }

    @Test(.slow, arguments: 1...60) func `mixed texts are covered, and no grapheme is cut`(seed: UInt64) {
        check(Self.mixed(seed), "seed \(seed)")
    }

    @Test func `a note that is short enough is one passage, byte for byte`() {
        for content in ["", " ", "\n\n", "text ", String(repeating: "é", count: 900)] {
            let passages = Chunker.passages(title: "T", content: content)
            #expect(passages == [.init(range: 0..<content.utf8.count, text: "T\n" + content)])
        }
        let long = String(repeating: "t", count: 5000)
        #expect(Chunker.passages(title: long, content: "c").map(\.text) == [long + "\nc"])
        #expect(Chunker.passages(title: "", content: "c").map(\.text) == ["c"])
    }

    @Test func `a long note of white space is one empty passage`() {
        let blank = String(repeating: " \n", count: 5000)
        #expect(Chunker.passages(title: "T", content: blank) == [.init(range: 0..<0, text: "T\n")])
    }

    @Test func `headings and blank lines are preferred, then lines, sentences and words`() {
        let words = String(repeating: "word ", count: 140)
        func firstPassage(_ parts: String...) -> String {
            Chunker.passages(title: "", content: parts.joined() + String(repeating: "tail ", count: 400))[0].text
        }
        func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }
        let line = words + "\nLine. "
        #expect(firstPassage(words, "\n## Part\n", words, "\nLine. ") == trimmed(words))
        #expect(firstPassage(line, words, "\n\nNew. ") == trimmed(line + words))
        #expect(firstPassage(words, "\n#tag Line. ", words) == trimmed(words))
        #expect(firstPassage(words, "End. ", words) == words + "End.")
        #expect(firstPassage(words, "He said \"end.\" ", words) == words + "He said \"end.\"")
        #expect(firstPassage(words, words).utf8.count == Chunker.targetBytes - 1)
        #expect(firstPassage(words, "3.14 a.b ", words).utf8.count > words.utf8.count + 100)
    }

    @Test func `a sentence without spaces ends behind what closes it`() {
        let clause = String(repeating: "潮", count: 250)
        let passages = Chunker.passages(title: "", content: "「" + clause + "！？」" + String(repeating: clause, count: 8))
        #expect(passages[0].text == "「" + clause + "！？」")
    }

    @Test func `passages share about 150 bytes, from a sentence or a word on`() {
        let passages = Chunker.passages(title: "", content: String(repeating: Self.sentence, count: 100))
        for (former, next) in zip(passages, passages.dropFirst()) {
            #expect((75...225).contains(former.range.upperBound - next.range.lowerBound))
            #expect(next.text.hasPrefix("The tide"))
        }
        for passage in Chunker.passages(title: "", content: String(repeating: "word ", count: 2000)) {
            #expect(passage.text.hasPrefix("word ") && passage.text.hasSuffix(" word"))
        }
    }

    @Test func `a grapheme longer than a passage stays whole`() {
        let giant = "e" + String(repeating: "\u{301}", count: 2000)
        let text =
            String(repeating: "word ", count: 500) + giant + giant + " end. " + String(repeating: "x", count: 3000)
        check(text, longestGrapheme: 4500, "giant graphemes")
        for words in [1, 100, 300, 500] {
            let ending = String(repeating: "word ", count: words) + giant
            check(ending, longestGrapheme: 4500, "a giant grapheme after \(words) words")
        }
    }

    @Test(.slow, .timeLimit(.minutes(2))) func `text after 512 passages is left out, and finding that out is quick`() {
        let text = String(repeating: Self.sentence, count: 60_000)
        let passages = Chunker.passages(title: "T", content: text)
        #expect(passages.count == Chunker.maxPassages)
        #expect((500_000..<600_000).contains(passages.last?.range.upperBound ?? 0))
    }

    @Test func `an endless title is shortened before the passages of a long note`() {
        let title = String(repeating: "👩‍👩‍👧‍👦", count: 1000)
        let passages = Chunker.passages(title: title, content: String(repeating: "word ", count: 1000))
        let expected = String(repeating: "👩‍👩‍👧‍👦", count: Chunker.maxTitleBytes / 25)
        for passage in passages { #expect(passage.text.hasPrefix(expected + "\nword")) }
    }

    @Test func `the passages of a version never change`() {
        #expect(Chunker.version == 1)
        let ranges = Chunker.passages(title: "", content: Self.paragraphs.prefix(12).joined(separator: "\n\n")).map(
            \.range)
        #expect(ranges == [0..<1392, 1261..<2376, 2245..<3149])
    }
}
