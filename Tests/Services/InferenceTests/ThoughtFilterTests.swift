import Testing

@testable import Inference

struct ThoughtFilterTests {
    /// The text and the thinking of an answer, cut into pieces of so many characters.
    private func apart(_ answer: String, pieces: Int) -> (text: String, thoughts: String) {
        var filter = ThoughtFilter()
        var found: [ThoughtFilter.Piece] = []
        var rest = Substring(answer)
        while !rest.isEmpty {
            found += filter.push(String(rest.prefix(pieces)))
            rest = rest.dropFirst(pieces)
        }
        found += filter.finish()
        var (text, thoughts) = ("", "")
        for piece in found {
            switch piece {
            case .text(let part): text += part
            case .thought(let part): thoughts += part
            }
        }
        return (text, thoughts)
    }

    @Test(arguments: [
        ("<think>inner thoughts</think>Otto repaired it [1].", "Otto repaired it [1]."),
        ("<think>\nlong\n\nthoughts\n</think>\n\nOtto repaired it [1].", "Otto repaired it [1]."),
        ("  \n<think>a</think> Otto", "  \nOtto"), ("<THINK>a</Think>Otto", "Otto"),
        ("<thinking>a</thinking>Otto", "Otto"),
        ("<thought>a</thought>Otto", "Otto"), ("<reasoning>a</reasoning>Otto", "Otto"),
        ("[THINK]a[/THINK]Otto", "Otto"),
        ("◁think▷a◁/think▷Otto", "Otto"), ("<seed:think>a</seed:think>Otto", "Otto"),
        ("<|begin_of_thought|>a<|end_of_thought|>Otto", "Otto"),
        ("<think>a<think>b</think>c</think>Otto", "Otto"), ("<think></think>Otto", "Otto"), ("<think>a", ""),
        ("<think>a</thi", ""),
        ("Otto <think>hm</think>repaired it.", "Otto repaired it."), ("Otto.\n<think>is that so", "Otto.\n"),
        ("a</think>Otto", "aOtto"), ("<think>a</think>Otto <think>b</think>and Ada", "Otto and Ada"),
    ])
    func `thinking does not stay in the answer, however it is cut`(answer: String, expected: String) {
        for pieces in [1, 2, 3, 5, 7, 1000] {
            #expect(apart(answer, pieces: pieces).text == expected, "\(pieces)")
        }
    }

    @Test(arguments: [
        "Otto repaired it [1].", "The tag `<think>` opens thinking, `</think>` ends it.",
        "```\n<think>x</think>\n```\nSo.",
        "It begins with \"<think>\" and goes on.", "a < b and <b>bold</b>", "Write <think> to open it.", "[1] and [2]",
        "<", "x [thin",
        "a (<think>) b",
    ])
    func `text that mentions the marks stays`(answer: String) {
        for pieces in [1, 2, 4, 1000] { #expect(apart(answer, pieces: pieces).text == answer, "\(pieces)") }
    }

    @Test func `the thoughts come out apart`() {
        #expect(apart("<think>inner</think>Otto", pieces: 2).thoughts.contains("inner"))
        let long = "Otto <think>" + String(repeating: "word ", count: 20_000)
        #expect(apart(long, pieces: 1000).text == long)
    }

    @Test func `thinking that nobody ends within a line is held for 4 KiB`() {
        var filter = ThoughtFilter()
        let long = "Otto <think>" + String(repeating: "word ", count: 1000)
        var text = ""
        for case .text(let part) in filter.push(long) { text += part }
        #expect(text.count > 4096 && long.hasPrefix(text))
    }

    @Test func `a long text comes out as one piece`() {
        var filter = ThoughtFilter()
        let text = String(repeating: "Otto. ", count: 40_000)
        #expect(filter.push(text) == [.text(text)])
        let thoughts = "<think>" + text
        #expect(filter.push("\n" + thoughts) == [.text("\n"), .thought(text)])
    }
}
