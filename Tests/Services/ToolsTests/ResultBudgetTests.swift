import TestSupport
import Testing

@testable import Tools

struct ResultBudgetTests {
    @Test(arguments: [
        ("first line\nsecond line that goes on and on", 30, "first line\nsecond line that"),
        ("one line here\nand the next goes on for long", 18, "one line here"),
        ("It is so. It is not so at all, or is it", 12, "It is so."),
        ("Version 1.5 is what we are running here", 11, "Version 1.5"),
        ("word and word and word and word", 16, "word and word"),
        ("這是第一句。這是第二句還沒完", 24, "這是第一句。"),
        (String(repeating: "ä", count: 40), 21, String(repeating: "ä", count: 10)),
    ])
    func `a text is cut at the best border`(text: String, room: Int, wanted: String) {
        let total = text.utf8.count
        let padded = text + String(repeating: "x", count: 400)
        let reserve = remark(total + 400, of: total + 400).utf8.count
        let outcome = ResultBudget(bytes: room + reserve).cut(padded)
        #expect(outcome.text == wanted + remark(wanted.utf8.count, of: total + 400))
        #expect(outcome.cutBytes == total + 400 - wanted.utf8.count)
    }

    private func remark(_ shown: Int, of total: Int) -> String {
        "\n[Cut: the first \(shown) of \(total) bytes are shown. Ask for less, or for the rest.]"
    }

    @Test func `a text that fits is left alone`() {
        #expect(ResultBudget(bytes: 5).cut("12345") == .init(text: "12345", cutBytes: 0))
        #expect(ResultBudget(bytes: 0).cut("") == .init(text: "", cutBytes: 0))
        #expect(ResultBudget(bytes: -3).cut("a") == .init(text: "", cutBytes: 1))
        #expect(ResultBudget(bytes: 10).cut(String(repeating: "a", count: 11)) == .init(text: "", cutBytes: 11))
    }

    @Test func `tokens become bytes`() {
        #expect(ResultBudget(tokens: 100, bytesPerToken: 3.5).bytes == 350)
        #expect(ResultBudget(tokens: 100, bytesPerToken: 0).bytes == 100)
        #expect(ResultBudget(tokens: 100, bytesPerToken: .nan).bytes == 100)
        #expect(ResultBudget(tokens: -1, bytesPerToken: 4).bytes == 0)
        #expect(ResultBudget(tokens: .max, bytesPerToken: 4).bytes == 1_000_000_000)
    }

    @Test func `any text stays within any budget and keeps its beginning`() {
        var random = SeededGenerator(3)
        let parts = ["word", " ", "\n", ". ", "ä", "😀", "。", "e\u{301}", "\0", "?"]
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...120, using: &random))
                .map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            let budget = ResultBudget(bytes: Int.random(in: 0...300, using: &random))
            let outcome = budget.cut(text)
            #expect(outcome.text.utf8.count <= budget.bytes)
            let kept = text.utf8.count - outcome.cutBytes
            #expect(outcome.text.utf8.prefix(kept).elementsEqual(text.utf8.prefix(kept)))
            #expect(String(validating: Array(text.utf8.prefix(kept)), as: UTF8.self) != nil)
        }
    }
}
