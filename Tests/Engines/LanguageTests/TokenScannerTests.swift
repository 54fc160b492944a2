import Language
import Testing

/// One scanner cuts sentences and amounts.
@Suite struct TokensOfTexts {
    private func tokens(_ text: String) -> [String] {
        var scanner = TokenScanner(text[...], .amounts)
        var found: [String] = []
        while let token = scanner.next() { found.append((token.isAttached ? "+" : "") + text[token.range]) }
        return found
    }

    @Test(arguments: [
        ("ran 5km", ["ran", "5", "+km"]), ("-5 x-5", ["-5", "x", "+-", "+5"]), ("3:30 km/h", ["3:30", "km/h"]),
        ("5-", ["5", "+-"]), (" don't ", ["don't"]), ("1,5. 2", ["1,5", "+.", "2"]), ("½٣", ["½", "+٣"]), ("", []),
    ])
    func `amounts are cut into numbers, words and marks`(text: String, expected: [String]) {
        #expect(tokens(text) == expected)
    }

    @Test func `a sentence has words with their marks`() {
        let words = TextWord.words(of: "Don’t, on the 5th-rate 14.3.2026: Über’s 10k!", limit: 20)
        #expect(words.map(\.text) == ["don't", "on", "the", "5th-rate", "14.3.2026", "über's", "10k"])
        #expect(words.map(\.followsMark) == [false, true, false, false, false, true, false])
        #expect(words.map(\.isCapital) == [true, false, false, false, false, true, false])
        #expect(TextWord.words(of: "a b c", limit: 2).count == 2)
        #expect(TextWord.words(of: "1/2 3.4", limit: 9, joiners: ".").map(\.text) == ["1", "2", "3.4"])
    }
}
