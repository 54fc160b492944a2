import TestSupport
import Testing

@testable import Citations

/// The title and the day of a note are evidence for a sentence.
struct HeadingTests {
    private let check = CitationCheck(
        passages: [
            "Otto Weiss repaired the harbour gauge with a spoon.",
            "The regatta at Sandgate begins on 20 August in the afternoon.",
            "Bread of rye needs 80% hydration.",
        ],
        headings: [
            PassageHeading(title: "Gauge", date: "2026-08-16"),
            PassageHeading(title: "Sandgate regatta", date: "2026-08-10"),
            PassageHeading(title: "Baking", date: "2026-07-01"),
        ])

    private static let says = "Otto Weiss repaired the harbour gauge with a spoon [1]."

    @Test(arguments: [
        "On 16 August 2026 ", "On 16 August 2026, ", "On August 16, 2026, ", "On August 16th, 2026, ",
        "On the 16th of August 2026, ",
        "On 16 August, ", "On Aug 16, 2026, ", "On Aug. 16, 2026, ", "On 16 Aug 2026 ", "On Sunday, 16 August 2026, ",
        "On 2026-08-16, ",
        "On 2026-08-16 ", "On 16.08.2026 ", "On 16.8.2026, ", "On 16/08/2026, ", "On 8/16/2026, ", "On 08/16/2026, ",
        "In August 2026, ",
        "Your note of 2026-08-16 says that ", "Your note of 16 August 2026 says: ",
        "According to your note from August 16, 2026, ",
        "In your note dated 16 August 2026, you wrote that ", "The note of 16.08.2026 says that ", "2026-08-16: ",
        "**2026-08-16**: ",
        "**2026-08-16:** ", "- **2026-08-16** ", "**Gauge (2026-08-16):** ", "- **Gauge** (16 August 2026): ",
        "**16 August 2026** – ",
        "Your note \"Gauge\" says that ", "In the note \"Gauge\" of 16 August 2026, ",
        "Your note titled “Gauge” says that ",
        "In your diary entry of Sunday, 16 August 2026, you noted that ", "(2026-08-16) ", "[2026-08-16] ",
    ])
    func `a sentence may tell the day and the title of its note`(beginning: String) {
        let checked = check.check(beginning + Self.says)
        #expect(checked.map(\.verdict) == [.supported], "\(checked.map(\.differences))")
    }

    @Test(arguments: [
        "Otto Weiss repaired the harbour gauge with a spoon on 16 August 2026 [1].",
        "Otto Weiss repaired the harbour gauge with a spoon (2026-08-16) [1].",
        "Otto Weiss repaired the harbour gauge on 16.8.2026 with a spoon [1].",
        "Your note of 2026-08-16 is titled \"Gauge\" [1].",
        "On 16 August 2026 Otto Weiss repaired the harbour gauge with a spoon (see note 1).",
    ])
    func `in the middle and at the end`(sentence: String) {
        #expect(check.check(sentence).map(\.verdict) == [.supported])
    }

    @Test(arguments: [
        "Am 16. August 2026 ", "Am 16.8.2026 ", "Am 16.08.2026 ", "Am 16. Aug. 2026 ",
        "Am Sonntag, dem 16. August 2026, ",
        "Laut deiner Notiz vom 16. August 2026 ", "In deiner Notiz vom 16.08.2026 steht, dass ", "Im August 2026 ",
        "**16.08.2026:** ",
    ])
    func `German forms`(beginning: String) {
        let german = CitationCheck(
            passages: ["Der Pegel im Hafen wurde von Otto Weiss mit einem Löffel repariert."],
            headings: [PassageHeading(title: "Pegel", date: "2026-08-16T10:00:00Z")])
        let sentence = beginning + "wurde der Pegel im Hafen von Otto Weiss mit einem Löffel repariert [1]."
        #expect(german.check(sentence).map(\.verdict) == [.supported])
    }

    @Test(arguments: [
        "On 17 August 2026, Otto Weiss repaired the harbour gauge with a spoon [1].",
        "On 16 August 2025, Otto Weiss repaired the harbour gauge with a spoon [1].",
        "Your note of 2026-08-17 says that Otto Weiss repaired the harbour gauge with a spoon [1].",
        "On 16.9.2026 Otto Weiss repaired the harbour gauge with a spoon [1].",
        "On 16 August 2026, Otto Weiss repaired the harbour gauge with a hammer [1].",
        "The regatta at Sandgate begins on 10 August in the afternoon [2].",
        "On 1 July 2026, Otto Weiss repaired the harbour gauge with a spoon [1].",
    ])
    func `another day, or other words, are no support`(sentence: String) {
        #expect(
            check.check(sentence).allSatisfy { $0.verdict != .supported }, "\(check.check(sentence).map(\.verdict))")
    }

    @Test func `without a citation the passage of that day supports the sentence`() {
        let uncited = check.check("On 16 August 2026, Otto Weiss repaired the harbour gauge with a spoon.")
        #expect(uncited.map(\.verdict) == [.uncited(support: 1)])
        let wrong = check.check("On 16 August 2026, Otto Weiss repaired the harbour gauge with a spoon [3].")
        #expect(wrong.map(\.verdict) == [.misattributed(to: 1)])
    }

    @Test func `a second citation that says nothing of it is no support`() {
        let checked = check.check("Otto Weiss repaired the harbour gauge with a spoon [1][2].")
        #expect(checked.map(\.verdict) == [.supported])
        #expect(checked.first?.citations.map(\.verdict) == [.supported, .unsupported])
        for text in ["[1][3]", "[1, 3]", "[1-3]", "[3][1]", "[1][9]"] {
            let all = check.check("Otto Weiss repaired the harbour gauge with a spoon \(text).").flatMap { sentence in
                sentence.citations.map { citation in
                    citation.verdict != .supported || sentence.evidence.contains { $0.passage == citation.number }
                }
            }
            #expect(!all.isEmpty && all.allSatisfy { $0 }, "\(text)")
        }
    }

    @Test(arguments: [
        "Dentist moved to Friday.", "Dentist is tomorrow.", "Dentist was yesterday.", "Dentist moved to next week.",
        "Zahnarzt (dentist) ist morgen.", "Zahnarzt (dentist) ist nächste Woche.", "Dentist moved to 18.8.2026.",
    ])
    func `the day of a note is no day of what it says of another day`(passage: String) {
        let check = CitationCheck(passages: [passage], headings: [PassageHeading(title: "Teeth", date: "2026-08-16")])
        let checked = check.check("The dentist is on 16 August 2026 [1].")
        #expect(checked.count == 1 && checked.allSatisfy { $0.verdict != .supported }, "\(checked.map(\.verdict))")
    }

    @Test(arguments: [
        "Today Otto Weiss repaired the harbour gauge with a spoon.",
        "The next boat waits. Otto Weiss repaired the harbour gauge with a spoon.",
    ])
    func `words that name no other day leave it`(passage: String) {
        let check = CitationCheck(passages: [passage], headings: [PassageHeading(title: "Gauge", date: "2026-08-16")])
        let checked = check.check("Otto Weiss repaired the harbour gauge with a spoon on 16 August 2026 [1].")
        #expect(checked.map(\.verdict) == [.supported])
    }

    @Test(.slow) func `many weekdays in a row are read one by one`() {
        // 16 August 2026 is a Sunday.
        let sundays = String(repeating: "so ", count: 40_000)
        let checked = check.check("Otto Weiss repaired it \(sundays) [1].")
        #expect(!checked.isEmpty)
        #expect(check.check("On Sunday Sunday, 16 August 2026, " + Self.says).map(\.verdict) == [.supported])
    }

    @Test func `a sentence is lexed without the characters of its markers`() {
        let text = ScalarText("a [1] b [2][3] c", maxBytes: 100)
        let lexemes = HeadingReader.lexemes(of: text, in: 0..<text.scalars.count, markers: [2..<5, 8..<11, 11..<14])
        #expect(lexemes.map(\.folded) == ["a", "b", "c"])
    }
}
