import Language
import TestSupport
import Testing

@testable import Citations

struct QuantityTests {
    private func quantities(_ text: String, _ language: WrittenLanguage = .english) -> [ComparedQuantity] {
        let scalars = ScalarText(text, maxBytes: 1000)
        var vocabulary = MeaningVocabulary()
        let lexemes = Lexeme.lexemes(of: scalars, in: 0..<scalars.scalars.count)
        let clauses = ClauseText(lexemes, language: language, vocabulary: &vocabulary)
        return clauses.tokens.compactMap(\.quantity)
    }

    @Test(
        arguments: [
            ("1,200", 1200.0), ("1 200", 1200), ("1.5", 1.5), ("twelve", 12), ("sixty-two", 62),
            ("3.2 million", 3_200_000),
            ("$3.5m", 3_500_000), ("２５", 25), ("third", 3), ("two dozen", 24), ("40%", 40), ("fourteen", 14),
        ])
    func `numbers are read`(text: String, value: Double) {
        #expect(quantities(text).map(\.value) == [value])
    }

    @Test func `the comma of a language divides decimals`() {
        #expect(quantities("1.200,50", .german).map(\.value) == [1200.5])
        #expect(quantities("31,8", .german).map(\.value) == [31.8])
        #expect(quantities("dreißig", .german).map(\.value) == [30])
        #expect(quantities("quatre", .french).map(\.value) == [4])
    }

    @Test(
        arguments: [
            ("14 days", "two weeks", true), ("200 ms", "200 seconds", false), ("12%", "12 percent", true),
            ("£350", "350 pounds", true), ("€5", "$5", false), ("7:30 pm", "19:30", true), ("14 h 30", "14:30", true),
            ("5 km", "5000 metres", true), ("12 apples", "12 years", true), ("1911", "1912", false),
            ("sixteen", "sixty", false),
        ])
    func `quantities agree by value and unit`(one: String, other: String, agree: Bool) throws {
        let left = try #require(quantities(one).first)
        let right = try #require(quantities(other).first)
        #expect(left.agrees(with: right) == agree)
        #expect(right.agrees(with: left) == agree)
    }

    @Test func `dates in digits name a month`() {
        for text in ["2024-03-14", "14.3.2024", "3/14/2024", "14/3/2024"] {
            #expect(Set(quantities(text).map(\.value)) == [2024, 14], "\(text)")
        }
    }

    @Test func `random text never traps`() {
        var generator = SeededGenerator(4)
        let pieces = [
            "1", "99", ",", ".", ":", "-", "/", " ", "%", "$", "h", "pm", "second", "million", "ten", "'", "²", "٣",
        ]
        for _ in 0..<3000 {
            let text = (0..<12).compactMap { _ in pieces.randomElement(using: &generator) }.joined()
            for quantity in quantities(text) { #expect(quantity.value.isFinite) }
        }
        #expect(quantities(String(repeating: "9", count: 400)).count <= 1)
    }
}
