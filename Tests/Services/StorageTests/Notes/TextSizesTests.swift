import TestSupport
import Testing

@testable import Storage

/// What is counted byte by byte is what the characters give.
@Suite struct TextSizesCounting {
    private func oracle(_ text: String) -> (words: Int, characters: Int) {
        (text.split(whereSeparator: \.isWhitespace).count, text.count)
    }

    @Test func `words and characters equal those of the slow way`() {
        var random = SeededGenerator(8)
        let fixed = [
            "", " ", "a", "a b", "\r\n", "\r\r\n\n", "a\r\nb", "\n\ra", "a\u{b}b\u{c}c\u{1c}d", "a\u{0}b", "ä b",
            "a\u{301} b",
            " \u{301}", "a\u{a0}b", "e\u{301}\r\n\u{2028}f", "👩‍👩‍👧 x", "\u{85}a",
        ]
        let letters = [
            "a", "b", " ", "\t", "\n", "\r", "\u{b}", "\u{c}", "\u{1f}", "\u{7f}", "ä", "\u{301}", "\u{2009}",
        ]
        let made = (0..<2000).map { number in
            let kinds = number % 2 == 0 ? 10 : letters.count
            return (0..<Int.random(in: 0...20, using: &random)).map { _ in
                letters[Int.random(in: 0..<kinds, using: &random)]
            }.joined()
        }
        for text in fixed + made {
            let (sizes, expected) = (TextSizes(text), oracle(text))
            #expect(
                sizes.words == expected.words && sizes.characters == expected.characters, "\(text.debugDescription)")
        }
    }
}
