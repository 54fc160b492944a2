import TestSupport
import Testing

@testable import Citations

struct SentenceTests {
    private func texts(_ answer: String) -> [String] {
        Sentence.sentences(ofAnswer: answer).map { String(decoding: Array(answer.utf8)[$0.range], as: UTF8.self) }
    }

    @Test(
        arguments: [
            ("One. Two.", ["One.", "Two."]),
            ("Dr. Hensel sees him at 9.40. Bring the card.", ["Dr. Hensel sees him at 9.40.", "Bring the card."]),
            ("J. R. Smith wrote it. It sold.", ["J. R. Smith wrote it.", "It sold."]),
            ("It costs 3.50 euros", ["It costs 3.50 euros"]),
            ("Er kam am 12. Januar an. Dann ging er.", ["Er kam am 12. Januar an.", "Dann ging er."]),
            ("Das gilt z. B. hier. Ende.", ["Das gilt z. B. hier.", "Ende."]),
            ("\"Which one?\" she asked. He left.", ["\"Which one?\" she asked.", "He left."]),
            ("She said \"No.\" Then she left.", ["She said \"No.\"", "Then she left."]),
            ("Wait … no. Yes!", ["Wait … no.", "Yes!"]),
            ("# Title\nText here.", ["Title", "Text here."]),
            ("- One item\n- Another item.\n2. Third", ["One item", "Another item.", "Third"]),
            ("船は港にある。鍵は箱の中だ。", ["船は港にある。", "鍵は箱の中だ。"]),
            ("One [1]. Two [2].", ["One [1].", "Two [2]."]),
            ("One. [1] Two.[2] Three.", ["One. [1]", "Two.[2]", "Three."]),
            ("Code:\n```\nlet a = 1. b = 2.\n```\nDone.", ["Code:", "Done."]),
            ("| a | b |\n|---|---|\n| one | two |", ["a | b |", "one | two |"]),
            ("We left at 5 p.m. Then it rained.", ["We left at 5 p.m.", "Then it rained."]),
            ("Version 4.2 is out. See e.g. Berlin.", ["Version 4.2 is out.", "See e.g. Berlin."]),
            ("", []), ("...\n***", []),
        ])
    func `sentences end where they should`(answer: String, expected: [String]) {
        #expect(texts(answer) == expected)
    }

    @Test func `a marker belongs to the sentence that it follows`() {
        let answer = "[1] says so. It rained [2]. It was cold. [3][4] Next line\n[5]\n\nLast [6]"
        let sentences = Sentence.sentences(ofAnswer: answer)
        #expect(sentences.map { $0.markers.flatMap(\.numbers) } == [[1], [2], [3, 4], [5], [6]])
        #expect(Sentence.sentences(ofAnswer: "## Head [1]").map(\.isHeading) == [true])
    }

    @Test func `lines of other texts belong together`() {
        let text = ScalarText("A long sentence\nthat goes on. Next\n\nparagraph", maxBytes: 1000)
        let sentences = SentenceSplitter(text).sentences(breaksAtLineEnds: false)
        #expect(sentences.map(\.range) == [0..<29, 30..<34, 36..<45])
    }

    @Test func `sentences of random text follow one another and keep every marker`() {
        var generator = SeededGenerator(3)
        let pieces = ["A", " b", ". ", "! ", "\n", "[1]", "- ", "# ", "。", "\"", "12", " Dr.", "`", "🙂", "...", "  "]
        for _ in 0..<2000 {
            let count = Int.random(in: 0...25, using: &generator)
            let text = (0..<count).compactMap { _ in pieces.randomElement(using: &generator) }.joined()
            let sentences = Sentence.sentences(ofAnswer: text)
            var end = 0
            for sentence in sentences {
                #expect(sentence.range.lowerBound >= end && !sentence.range.isEmpty)
                end = sentence.range.upperBound
            }
            let markers = CitationFilter.markers(in: text)
            if !sentences.isEmpty { #expect(sentences.flatMap(\.markers).count <= markers.count) }
        }
    }
}
