import TestSupport
import Testing

@testable import Citations

struct CitationCheckTests {
    private let passages = [
        "The boat is called Petrel. Marta bought it in 2019 for 12,000 euros. It is moored in Kiel.",
        "The engine was repaired on 3 May. It does not leak any more.",
    ]

    private func check(_ answer: String) -> [CheckedSentence] { CitationCheck(passages: passages).check(answer) }

    @Test(
        arguments: [
            ("Marta bought the boat in 2019 for 12,000 euros [1].", CitationVerdict.supported),
            ("Marta bought the boat in 2019 for 21,000 euros [1].", .altered),
            ("The engine was repaired on 3 May [1].", .misattributed(to: 2)),
            ("The engine was repaired on 3 June [2].", .altered),
            ("The engine leaks [2].", .altered),
            ("The sails are red and need washing [1].", .unsupported),
            ("The boat is moored in Kiel [7].", .invented),
            ("The boat is moored in Kiel.", .uncited(support: 1)),
            ("I like cheese.", .uncited(support: nil)),
            ("[9]", .invented),
        ])
    func `each class is told`(answer: String, verdict: CitationVerdict) {
        #expect(check(answer).first?.verdict ?? .invented == verdict, "\(check(answer))")
    }

    /// The passages of a conversation have numbers of their own, in any order.
    @Test(
        arguments: [
            ("Marta bought the boat in 2019 for 12,000 euros [9].", CitationVerdict.supported),
            ("Marta bought the boat in 2019 for 21,000 euros [9].", .altered),
            ("The engine was repaired on 3 May [9].", .misattributed(to: 4)),
            ("The engine was repaired on 3 May [4].", .supported),
            ("The boat is moored in Kiel [1].", .invented), ("The boat is moored in Kiel.", .uncited(support: 9)),
        ])
    func `passages are cited by their numbers`(answer: String, verdict: CitationVerdict) throws {
        let check = CitationCheck(passages: passages, numbers: [9, 4])
        let checked = try #require(check.check(answer).first)
        #expect(checked.verdict == verdict)
        let named = checked.evidence.map(\.passage) + checked.differences.compactMap { $0.found?.passage }
        #expect(named.allSatisfy { [4, 9].contains($0) })
        // As with numbers from 1.
        let usual = answer.replacing("[9]", with: "[1]").replacing("[4]", with: "[2]")
        let plain = self.check(usual).first
        if verdict != .invented { #expect(plain?.score == checked.score) }
    }

    @Test func `the marked span has borders of sentences`() throws {
        let checked = try #require(check("Marta bought the boat in 2019 for 12,000 euros [1].").first)
        let evidence = try #require(checked.evidence.first)
        let span = String(decoding: Array(passages[0].utf8)[evidence.range], as: UTF8.self)
        #expect(evidence.passage == 1)
        #expect(span.hasSuffix("Marta bought it in 2019 for 12,000 euros."))
        #expect(checked.score > 0.8 && checked.score <= 1)
    }

    @Test func `a difference says what and where`() throws {
        let answer = "Marta bought the boat in 2019 for 21,000 euros [1]."
        let difference = try #require(check(answer).first?.differences.first)
        #expect(difference.kind == .number)
        let range = try #require(difference.claimed)
        #expect(String(decoding: Array(answer.utf8)[range], as: UTF8.self) == "21,000 euros")
        let found = try #require(difference.found)
        #expect(found.passage == 1)
        #expect(String(decoding: Array(passages[0].utf8)[found.range], as: UTF8.self) == "12,000 euros")
    }

    @Test func `each citation of a sentence has its worth`() throws {
        let checked = try #require(check("The boat is moored in Kiel [1][9].").first)
        #expect(checked.citations.map(\.number) == [1, 9])
        #expect(checked.citations.map(\.verdict) == [.supported, .invented])
        #expect(checked.citations.map(\.marker) == [27..<30, 30..<33])
    }

    @Test func `headings claim nothing and every sentence is checked`() {
        let answer = "## The boat\n\nIt is moored in Kiel [1]. The engine was repaired on 3 May [2]."
        #expect(check(answer).map(\.verdict) == [.supported, .supported])
        #expect(CitationCheck(passages: []).check("A claim [1].").map(\.verdict) == [.invented])
        #expect(check("").isEmpty)
    }

    @Test func `quoted words must stand in the passage`() {
        let check = CitationCheck(passages: ["\"I shall not sell the orchard,\" she said."])
        #expect(check.check("She says “I shall not sell the orchard” [1].").first?.verdict == .supported)
        let other = check.check("She says \"I shall not keep the orchard\" [1].").first
        #expect(other?.verdict != .supported)
        #expect(other?.differences.contains { $0.kind == .quotation } == true)
    }

    @Test func `a cosine moves the border of support`() throws {
        let check = CitationCheck(passages: ["The committee meets on Tuesday in the old hall near the river."])
        let answer = "The committee gathers on Tuesday in the old hall beside the river [1]."
        let scores = try [Float(0), 0.5, 1].map { cosine in
            try #require(check.check(answer) { _, _ in cosine }.first).verdict == .supported ? 1 : 0
        }
        #expect(scores == scores.sorted())
        var asked: [Int] = []
        _ = check.check(answer) { sentence, passage in
            #expect(sentence == answer)
            asked.append(passage)
            return nil
        }
        #expect(asked == [1])
    }

    @Test(.slow) func `hostile texts end and trap nowhere`() {
        var generator = SeededGenerator(5)
        let pieces = [
            "not ", "Kiel ", "12 ", "\"", ", ", "or ", ". ", "[1]", "\n", "May ", "語", "the ", "Petrel ", "no ",
            "more ",
            "from ", "to ", "?", "(", "a-in ", "'t ", "%", "\u{301}", "\u{0}",
        ]
        for _ in 0..<300 {
            let texts = (0..<3).map { _ in
                (0..<40).compactMap { _ in pieces.randomElement(using: &generator) }.joined()
            }
            let checked = CitationCheck(passages: Array(texts.prefix(2))).check(texts[2])
            for sentence in checked {
                #expect(sentence.sentence.range.upperBound <= texts[2].utf8.count)
                for evidence in sentence.evidence {
                    #expect(evidence.range.upperBound <= texts[evidence.passage - 1].utf8.count)
                }
            }
        }
    }

    @Test(.slow) func `work is bounded`() {
        let passages = Array(repeating: String(repeating: "A b c 1 Kiel. ", count: 8000), count: 70)
        let answer = String(repeating: "A b c Kiel 2 [1]. ", count: 700)
        #expect(CitationCheck(passages: Array(passages.prefix(3))).check(answer).count == CitationLimits.maxSentences)
    }
}
