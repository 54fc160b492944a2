import GatewayAPI
import Testing

@testable import CLI

@Suite struct ChatParts {
    @Test(
        arguments: [
            ("It is [1].", [1], []), ("[2][1] and [2] again", [2, 1], []), ("[1, 3] [2-3]", [1, 3, 2], []),
            ("[4] and [0] and [17]", [], [4, 0, 17]), ("[1–2]", [1, 2], []), ("[ 3 ]", [3], []),
            ("[1](https://x) [note] [] [a1] [1.5] [3-1] [1-99] [12345]", [], []), ("[[1]] [2", [1], []),
            ("nothing", [], []),
        ] as [(String, [Int], [Int])])
    func `citations are found, and invented ones told apart`(answer: String, cited: [Int], invented: [Int]) {
        let citations = Citations(in: answer, noteCount: 3)
        #expect(citations.cited == cited)
        #expect(citations.invented == invented)
    }

    @Test func `without notes every number is invented`() {
        #expect(Citations(in: "[1]", noteCount: 0) == Citations(in: "[1]", noteCount: -1))
        #expect(Citations(in: "[1]", noteCount: 0).invented == [1])
    }

    @Test func `history keeps the latest messages that fit, from a question on`() {
        let long = String(repeating: "abcd", count: 10)
        let messages = (0..<6).map { ChatMessage(role: $0 % 2 == 0 ? "user" : "assistant", content: "\($0)" + long) }
        let each = HistoryBudget.tokens(messages[0].content) + HistoryBudget.messageOverhead
        func kept(_ tokens: Int) -> [String] {
            HistoryBudget.latest(messages, maxTokens: tokens).map { String($0.content.prefix(1)) }
        }
        #expect(kept(each * 6) == ["0", "1", "2", "3", "4", "5"])
        #expect(kept(each * 6 - 1) == ["2", "3", "4", "5"])
        #expect(kept(each * 2) == ["4", "5"])
        #expect(kept(each) == [])
        #expect(kept(0) == [])
    }

    @Test func `a text is cut to its tokens`() {
        #expect(
            HistoryBudget.tokens("abcdefgh") == 2 && HistoryBudget.tokens("潮") == 1 && HistoryBudget.tokens("") == 0)
        #expect(HistoryBudget.cut("abcdefgh", maxTokens: 2) == "abcdefgh")
        let cut = HistoryBudget.cut(String(repeating: "潮 ", count: 1000), maxTokens: 50)
        #expect(cut.hasSuffix("…") && HistoryBudget.tokens(cut) <= 51 && HistoryBudget.tokens(cut) > 40)
    }

    @Test func `the list of sources names cited notes and marks invented numbers`() {
        let text = ChatPrinter.sources(
            [.init(number: 2, id: 7, title: "Tide\u{1B}[2J", date: "2026-03-14")], invented: [9])
        #expect(text == "[2] Tide[2J  2026-03-14 · note 7\n[9] is invented: there is no such note")
    }

    @Test func `a terminal gets no control characters`() {
        #expect(SafeText.clean("a\u{1B}[31m\tb\n\u{7}\u{9B}ü\r\u{7F}") == "a[31m\tb\nü")
        #expect(SafeText.clean("a\u{202E}b\u{2066}c\u{200F}\u{2028}d\u{85}e👩\u{200D}🔬") == "abc d e👩\u{200D}🔬")
        let title = "x\u{1B}]52;c;eA==\u{7}\n[2] forged"
        #expect(("“\(title)”" as SafeText).raw == "“x]52;c;eA==\n[2] forged”")
        #expect(SafeText(oneLine: title).raw == "x]52;c;eA== [2] forged")
        #expect(("\(SafeText(stringLiteral: "\u{1B}[1m"))\(["\u{1B}"])" as SafeText).raw == "\u{1B}[1m[\"\\u{1B}\"]")
    }
}
