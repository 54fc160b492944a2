import Testing

@testable import Citations

struct MarkerTests {
    private func numbers(_ answer: String) -> [[Int]] { CitationFilter.markers(in: answer).map(\.numbers) }

    @Test(
        arguments: [
            ("Yes [1].", [[1]]), ("Yes [1, 3].", [[1, 3]]), ("Yes [1-3].", [[1, 2, 3]]), ("Yes [2–4].", [[2, 3, 4]]),
            ("Yes [1][2].", [[1], [2]]), ("Yes 【1】.", [[1]]), ("Yes ［１，２］.", [[1, 2]]), ("Yes [１２].", [[12]]),
            ("Yes 【1†source】.", [[1]]), ("Yes 【12†L3-L9】.", [[12]]), ("Yes [^1].", [[1]]), ("Yes [ 1 ].", [[1]]),
            ("Yes [1,1].", [[1]]), ("[[1]]", [[1]]), ("[1] and [x] and [2]", [[1], [2]]), ("Ja[3]。", [[3]]),
            ("[1;2]", [[1, 2]]), ("[0]", [[0]]), ("a [b [4] c] d", [[4]]),
        ])
    func `markers in all their forms are found`(answer: String, expected: [[Int]]) {
        #expect(numbers(answer) == expected)
    }

    @Test(
        arguments: [
            "[x]", "[]", "[1", "1]", "[1-]", "[-1]", "[3-1]", "[1-99]", "[2024]", "[1.2]", "[1 2]", "[1](https://a.b)",
            "[text](url)", "[1]: https://a.b", "[^1]: A note.", "\n> [2]: x", #"\[1]"#, #"\[1\]"#, "`[1]`",
            "``a ` [1]``",
            "```\n[1]\n```", "~~~\n[1]\n~~~", "```swift\nlet a = b[1]\n", "   ```\n[1]\n   ```", "> ```\n> [1]\n> ```",
            "````\n```\n[1]\n````", "[a](b[1]c)", "【1]", "[1】", "[1\n]", "```[1]```",
        ])
    func `other brackets are none`(answer: String) {
        #expect(numbers(answer) == [])
    }

    @Test(
        arguments: [
            ("`x` [1]", [[1]]), ("a ` b [1]\nc [2]", [[1], [2]]), ("```\nx\n```\n[1]", [[1]]), ("[t](u) [1]", [[1]]),
            ("~~gone~~ [1]", [[1]]), ("```a``` [1]", [[1]]), ("````\n```\n````\n[1]", [[1]]), ("[1] (see)", [[1]]),
            ("a [1]: b", [[1]]), ("`a[1]` and b[2]", [[2]]), ("``` \n[1]\n``` x\n```\n[2]", [[2]]),
        ])
    func `markers beside code and links are found`(answer: String, expected: [[Int]]) {
        #expect(numbers(answer) == expected)
    }

    @Test func `ranges are bytes of the answer`() {
        let answer = "Größe 【2】 und [1]"
        let texts = CitationFilter.markers(in: answer).map {
            String(decoding: Array(answer.utf8)[$0.range], as: UTF8.self)
        }
        #expect(texts == ["【2】", "[1]"])
    }

    @Test func `numbers and markers are bounded`() {
        let list = (1...21).map { "\($0)" }.joined(separator: ",")
        #expect(numbers("[\(list)]") == [])
        #expect(numbers("[1-20]").first?.count == 20)
        #expect(numbers(String(repeating: "[1]", count: 5000)).count == CitationFilter.maxMarkers)
    }
}
