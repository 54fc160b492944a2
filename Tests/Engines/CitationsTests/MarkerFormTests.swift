import Testing

@testable import Citations

/// The forms in which models write citations, and text that is none.
struct MarkerFormTests {
    private static let sentence = "Otto Weiss repaired the harbour gauge with a spoon"

    @Test(arguments: [
        ("[Note 1]", [1]), ("[note 1]", [1]), ("[NOTE 1]", [1]), ("[Passage 1]", [1]), ("[Source 1]", [1]),
        ("[Source: 1]", [1]),
        ("[source:1]", [1]), ("[cite: 1]", [1]), ("[cite:1]", [1]), ("[citation 1]", [1]), ("[citation:1]", [1]),
        ("[Ref 1]", [1]), ("[ref. 1]", [1]),
        ("[Doc 1]", [1]), ("[Document 1]", [1]), ("[note1]", [1]), ("[Note #1]", [1]), ("[#1]", [1]), ("[Note-1]", [1]),
        ("[Note_1]", [1]), ("[1 and 2]", [1, 2]),
        ("[1 & 2]", [1, 2]), ("[1 und 2]", [1, 2]), ("[1, 2 and 3]", [1, 2, 3]), ("[Notes 1 and 2]", [1, 2]),
        ("[Notes 1, 2]", [1, 2]),
        ("[Note 1, Note 2]", [1, 2]), ("[Note 1; Note 2]", [1, 2]), ("[Notes 1-3]", [1, 2, 3]),
        ("[1 to 3]", [1, 2, 3]),
        ("[1–3]", [1, 2, 3]), ("[see note 1]", [1]), ("[see Notes 1 and 2]", [1, 2]), ("[cf. note 1]", [1]),
        ("[from note 1]", [1]),
        ("[Notiz 1]", [1]), ("[Quelle 1]", [1]), ("[siehe Notiz 1]", [1]), ("[vgl. Notiz 1]", [1]),
        ("[Note 1: Gauge]", [1]),
        ("[1: Gauge]", [1]), ("[1](#1)", [1]), ("[1](#note-1)", [1]), ("[1](1)", [1]), ("[1](note1)", [1]),
        ("[Note 1](#1)", [1]),
        ("(see note 1)", [1]), ("(Note 1)", [1]), ("(note 1)", [1]), ("(notes 1 and 2)", [1, 2]),
        ("(Notes 1, 2)", [1, 2]),
        ("(source 1)", [1]), ("(Source: Note 1)", [1]), ("(cf. note 1)", [1]), ("(siehe Notiz 1)", [1]),
        ("(vgl. Quelle 1)", [1]),
        ("（Note 1）", [1]), ("(1)", [1]), ("(1, 2)", [1, 2]), ("[^1]", [1]), ("[^1^]", [1]), ("【1】", [1]),
        ("【Note 1】", [1]), ("【1†source】", [1]),
        ("［1］", [1]), ("〔1〕", [1]), ("[1, 2]", [1, 2]), ("[1-3]", [1, 2, 3]), ("[1;2]", [1, 2]), ("[1/2]", [1, 2]),
        ("[*1*]", [1]), ("[**1**]", [1]),
        ("[1][2]", [1, 2]), ("[1] [2]", [1, 2]), ("**[1]**", [1]), ("[[1]]", [1]), ("[ 1 ]", [1]), ("[1.]", [1]),
        ("[Passages 1 and 3]", [1, 3]), ("[No. 1]", [1]),
    ])
    func `a form is read, in any cut`(form: String, numbers: [Int]) {
        let answer = "\(Self.sentence) \(form)."
        #expect(CitationFilter.markers(in: answer).flatMap(\.numbers) == numbers)
        let sentences = Sentence.sentences(ofAnswer: answer)
        #expect(sentences.count == 1 && sentences.first?.markers.flatMap(\.numbers) == numbers)
        // In pieces the same text and the same markers come out, and a piece of a marker is never shown alone.
        let bytes = Array(answer.utf8)
        for size in [1, 2, 3, 7] {
            var filter = CitationFilter()
            var (text, markers) = ("", [CitationMarker]())
            for start in stride(from: 0, to: bytes.count, by: size) {
                let output = filter.push(bytes[start..<min(bytes.count, start + size)])
                text += output.text
                markers += output.markers
            }
            let output = filter.finish()
            #expect(text + output.text == answer && (markers + output.markers).flatMap(\.numbers) == numbers)
        }
        // As worth as the same sentence with a plain marker.
        let check = CitationCheck(passages: ["\(Self.sentence).", "\(Self.sentence).", "\(Self.sentence)."])
        #expect(check.check(answer).map(\.verdict) == [.supported])
    }

    @Test(arguments: [
        "(2019)", "(see page 3)", "(3 of 5)", "(5 km)", "(note to self)", "(see below)", "(12:30)", "[12:30]", "[x]",
        "[Note]", "[note 2019]",
        "(note 3 of 5)", "[to do 1]", "[1](https://example.com)", "[text](#1)", "[1]: https://a.b", "[1.2]", "(1.5)",
        "(-1)", "(1/2)",
        "[Chapter 1]", "[Room 1]", "(room 1)", "(August 16)", "[and 1 more]", "(1) first", "f(1)", "x (1) y",
        "[2026-08-16]", "[2^10]", "[1^2]", "[2 ^10]", "[2^ 10]",
    ])
    func `other text is none`(text: String) {
        let answer = text.hasPrefix("[1]:") ? text : "So it is \(text)"
        let markers = CitationFilter.markers(in: text.hasPrefix("f(") ? text : answer)
        #expect(markers.map(\.numbers) == [], "\(markers)")
    }

    @Test func `a bare number in parentheses that no passage has counts something`() {
        let check = CitationCheck(passages: ["Only one seal was left on the beach."])
        #expect(check.check("Only one seal was left on the beach (7).").first?.citations == [])
        #expect(check.check("Only one seal was left on the beach [7].").map(\.verdict) == [.invented])
        #expect(CitationFilter.markers(in: "(1) The tide.\n(2) The moon.").isEmpty)
    }
}
