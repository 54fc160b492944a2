import Language
import Testing

@testable import Questions

/// The filter of names passes over no name that the slow comparison finds.
@Suite struct NamesOfQuestions {
    private static let letters: [Character] =
        Array("abcABC12'’-./ #_é") + ["e\u{301}", "ß", "🌊", "1\u{FE0F}\u{20E3}", "İ"]

    @Test func `a name that stands in a question is never passed over`() {
        var state: UInt64 = 7
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        func text(_ length: Int) -> String {
            String((0..<length).map { _ in Self.letters[random(Self.letters.count)] })
        }
        var (found, passed) = (0, 0)
        for _ in 0..<4000 {
            let question = TextWord.words(of: text(24)[...], limit: 200)
            let name = text(1 + random(6))
            let parts = TextWord.words(of: name[...], limit: 20).map(\.text)
            let stands = !parts.isEmpty && question.indices.contains { question.has(parts, at: $0) }
            let may = WordStarts(question).mayHave(name)
            #expect(may || !stands, "\(name) in \(question.map(\.text))")
            if stands { found += 1 }
            if !may { passed += 1 }
        }
        #expect(found > 200 && passed > 500)
    }
}
