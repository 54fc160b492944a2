import TestSupport
import Testing

@testable import Citations

/// Checking an answer while it is written.
struct GrowingAnswerTests {
    private let check = CitationCheck(passages: [
        "The boat is called Petrel. Marta bought it in 2019 for 12,000 euros. It is moored in Kiel.",
        "Der Motor wurde am 3. Mai repariert. Er leckt nicht mehr.",
    ])

    @Test(.slow) func `parts in their order are the whole check`() {
        var generator = SeededGenerator(6)
        let pieces = [
            "The boat is moored in Kiel", "Marta bought it for 12,000 euros", " Der Motor leckt am 3. Mai", ". ", ".",
            "? ",
            "! ", "[1]", " [2]", " [1", "]", "\n", "\n\n", "- ", "## ", "`", "```\n", "~~~\n", " Dr. ", " e.g. ", "(",
            ")",
            "\"", "[1](x)", "[1]: ", "【1†", "】", "語。", " --- ", "                    ", "* ", "|", "1. ",
        ]
        for _ in 0..<400 {
            let count = Int.random(in: 0...40, using: &generator)
            let scalars = Array(
                (0..<count).compactMap { _ in pieces.randomElement(using: &generator) }.joined().unicodeScalars)
            func start(_ length: Int) -> String {
                var view = String.UnicodeScalarView()
                view.append(contentsOf: scalars.prefix(length))
                return String(view)
            }
            let expected = check.check(start(scalars.count))
            var found: [CheckedSentence] = []
            var (length, next) = (0, 0)
            while length < scalars.count {
                let part = check.check(start(length), from: next, isWhole: false)
                found += part.checked
                #expect(part.next >= next)
                next = part.next
                length += Int.random(in: 1...30, using: &generator)
            }
            found += check.check(start(scalars.count), from: next, isWhole: true).checked
            #expect(found == expected, "\(start(scalars.count))")
        }
    }

    @Test func `a sentence is checked while the next ones are written`() {
        let first = "The boat is moored in Kiel [1]. "
        let more =
            "Marta bought it in 2019 for 12,000 euros, which was much money for a boat of its age and of its size"
        #expect(check.check(first, from: 0, isWhole: false).checked.isEmpty)
        let part = check.check(first + more, from: 0, isWhole: false)
        #expect(part.checked.map(\.verdict) == [.supported])
        #expect(part.next == 1)
        #expect(check.check(first + more, from: 1, isWhole: true).checked.count == 1)
        #expect(check.check(first, from: 9, isWhole: true).checked.isEmpty)
        #expect(check.check(first, from: -1, isWhole: true).checked.count == 1)
    }
}
