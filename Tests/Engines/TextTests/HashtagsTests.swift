import TestSupport
import Testing

@testable import Text

/// Work by bytes finds what work by characters found.
@Suite struct BytesForCharacters {
    /// Hashtags as they were found character by character.
    static func slowly(_ text: String, maxCount: Int, maxBytes: Int) -> [String] {
        var tags: [String] = []
        var seen: Set<String> = []
        for word in text.split(whereSeparator: \.isWhitespace) where word.first == "#" {
            let tag = word.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == "/" }
            let name = String(tag)
            guard tag.contains(where: \.isLetter), name.utf8.count <= maxBytes, tags.count < maxCount,
                seen.insert(name).inserted
            else { continue }
            tags.append(name)
        }
        return tags
    }

    private static let alphabet: [Unicode.Scalar] = [
        "#", "#", "#", " ", " ", "\n", "\r", "\t", "a", "b", "Z", "1", "-", "_", "/", ".", "é", "ß", "日", "本", "ก", "้",
        "\u{301}", "\u{200D}", "👩", "🏽", "\u{A0}", "\u{3000}", "\u{AD}", "ё", "م", "\u{650}", "ｆ", "’", "\u{FE0F}",
        "\u{85}",
    ]

    private static func text(_ random: inout some RandomNumberGenerator, _ length: Int) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<length { scalars.append(alphabet.randomElement(using: &random) ?? "a") }
        return String(scalars)
    }

    @Test func `hashtags are those of the slow form, on random text`() {
        var random = SeededGenerator(1)
        for _ in 0..<4000 {
            let text = Self.text(&random, Int.random(in: 0...40, using: &random))
            for (count, bytes) in [(50, 200), (2, 200), (50, 4)] {
                let found = Hashtags.find(in: text, maxCount: count, maxBytes: bytes)
                #expect(found == Self.slowly(text, maxCount: count, maxBytes: bytes), "\(text.debugDescription)")
            }
        }
    }

    @Test func `a mark behind the longest tag ends it`() {
        // The hyphen and its mark are one character, which no tag has.
        #expect(Hashtags.find(in: "#tide-\u{301}", maxBytes: 4) == ["tide"])
        #expect(
            Hashtags.find(in: "#tide-", maxBytes: 4).isEmpty && Hashtags.find(in: "#tides\u{301}", maxBytes: 4).isEmpty)
    }

    @Test func `blank text has only white space`() {
        var random = SeededGenerator(2)
        for _ in 0..<4000 {
            let text = Self.text(&random, Int.random(in: 0...4, using: &random))
            #expect(
                text.isBlank == text.unicodeScalars.allSatisfy(\.properties.isWhitespace), "\(text.debugDescription)")
        }
        #expect("".isBlank && " \t\r\n\u{3000}".isBlank && !" a".isBlank && !"\u{AD}".isBlank)
    }

    @Test func `pieces of a text are its characters`() {
        var random = SeededGenerator(3)
        for _ in 0..<4000 {
            let text = Self.text(&random, Int.random(in: 1...80, using: &random))
            let bytes = Array(text.utf8)
            var (place, ends) = (0, [Int]())
            while place < bytes.count {
                place = TextPieces.end(from: place, in: bytes)
                ends.append(place)
            }
            var (offset, wanted) = (0, [Int]())
            for character in text {
                offset += character.utf8.count
                wanted.append(offset)
            }
            #expect(ends == wanted, "\(text.debugDescription)")
        }
        // One character of many bytes.
        let long = Array(("e" + String(repeating: "\u{301}", count: 5000) + "x").utf8)
        #expect(TextPieces.end(from: 0, in: long) == long.count - 1)
    }
}
