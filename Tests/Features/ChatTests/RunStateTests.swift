import GatewayAPI
import Testing
import Tools

@testable import Chat

/// What a run keeps from step to step.
@Suite struct RunStates {
    private func passage(_ note: Int64, _ range: Range<Int> = 0..<4, text: String = "text") -> ChatPassage {
        ChatPassage(number: 0, note: note, title: "t", date: "2026-01-01", text: text, range: range, source: "")
    }

    private func page(of book: Int64) -> ChatPassage {
        ChatPassage(
            number: 0, book: book, page: 1, label: nil, lastPage: 1, title: "t", text: "text", range: 0..<4,
            offsets: nil, source: "")
    }

    private func message(_ id: Int64, _ content: String) -> Message {
        Message(id: id, sessionID: "s", role: "user", content: content, createdAt: nil)
    }

    // MARK: The prompt

    @Test func `private messages and summaries are withheld and counted once`() {
        var prompt = RunPrompt()
        prompt.history = [message(1, "a"), message(2, "b"), message(3, "c")]
        prompt.summary = HistorySummary(text: "s", covers: 1, notes: nil)
        let found = PrivateMessages(messages: [1, 3], beyondNotes: [], notes: [])
        prompt.withhold(found, summaryMayLeave: true)
        #expect(prompt.history.map(\.content) == [PrivateMessages.placeholder, "b", PrivateMessages.placeholder])
        #expect(prompt.withheld == [ChatLeftOut(part: "history", count: 2)])
        #expect(prompt.summary != nil)
        for _ in 0..<2 { prompt.withhold(found, summaryMayLeave: false) }
        #expect(prompt.withheld == [ChatLeftOut(part: "history", count: 2), ChatLeftOut(part: "summary", count: 1)])
        #expect(prompt.summary == nil)
    }

    // MARK: The model's text

    @Test func `the text of a new turn is set apart, once it comes`() {
        var output = ModelOutput(after: "")
        output.begin(toolNames: [], hasText: false)
        #expect(output.push("One.") == "One.")
        output.begin(toolNames: [], hasText: true)
        #expect(output.push("") == "")
        #expect(output.push("Two") == "\n\nTwo")
        #expect(output.push(".") + output.finishTurn() + output.finish() == ".")
    }

    @Test func `what may become a citation is held back to the end of the text`() {
        var output = ModelOutput(after: "Before. ")
        output.begin(toolNames: [], hasText: true)
        #expect(output.push("So [") == "\n\nSo ")
        #expect(output.finishTurn() == "")
        #expect(output.finish() == "[")
    }

    // MARK: The record

    @Test func `passages of tools get the next numbers, and known ones keep theirs`() {
        var record = ChatRecord()
        let first = record.number([passage(7), passage(8), passage(7)], of: "search_notes", beside: RunPrompt())
        #expect(first.map(\.isNew) == [true, true, false])
        #expect(first.map(\.passage.number) == [1, 2, 1])
        let again = record.number(
            [passage(8), passage(8, 4..<8), page(of: 8)], of: "search_books", beside: RunPrompt())
        #expect(again.map(\.isNew) == [false, true, true])
        #expect(record.passages.map(\.number) == [1, 2, 3, 4])
        #expect(record.passages.map(\.source) == ["search_notes", "search_notes", "search_books", "search_books"])
    }

    @Test func `passages beyond the limit are left out with all that follow`() {
        var record = ChatRecord()
        let many = (0...Int64(ChatLimits.allPassages)).map { passage($0) }
        #expect(
            record.number(many + [passage(0)], of: "search_notes", beside: RunPrompt()).count == ChatLimits.allPassages)
        #expect(record.number([passage(0)], of: "search_notes", beside: RunPrompt()).map(\.isNew) == [false])
        #expect(record.passages.count == ChatLimits.allPassages)
    }

    @Test func `a call has one entry, and a private note is named once`() {
        var record = ChatRecord()
        record.note(ChatToolUse(id: "a", name: "t", arguments: nil, state: .running))
        record.note(ChatToolUse(id: "b", name: "t", arguments: nil, state: .running))
        record.note(ChatToolUse(id: "a", name: "t", arguments: nil, state: .done))
        #expect(record.tools.map(\.id) == ["a", "b"] && record.tools.map(\.state) == [.done, .running])
        record.withhold([3, 1])
        record.withhold([1, 2])
        #expect(record.withheld == [3, 1, 2])
    }

    @Test func `tokens add up, and no count is negative or endless`() {
        var record = ChatRecord()
        _ = record.add((prompt: 10, completion: 5))
        let sum = record.add((prompt: -3, completion: .max))
        #expect(sum == record.usage && sum.promptTokens == 10 && sum.completionTokens == 5 + 1 << 40)
    }

    @Test func `verdicts are told once, with support withdrawn`() async {
        var record = ChatRecord()
        _ = record.number(
            [passage(7, text: "The old mill was built in 1822 beside the river.")], of: "search_notes",
            beside: RunPrompt())
        let answer = "The old mill was built in 1822 beside the river [1]."
        let check = await AnswerCheck.advanced(nil, of: record.passages, to: answer, isWhole: true)
        let news = record.take(check, withdrawing: [])
        #expect(news.citations.map(\.verdict) == [.supported] && news.sentences.count == 1)
        let none = record.take(check, withdrawing: [])
        #expect(none.citations.isEmpty && none.sentences.isEmpty)
        let later = record.take(check, withdrawing: [record.sentences[0].range])
        #expect(later.citations.map(\.verdict) == [.unsupported] && later.sentences.map(\.verdict) == [.unsupported])
        #expect(record.citations == later.citations)
    }

    @Test func `a text is checked when it has grown or ended, and anew for other passages`() async {
        var verdicts = RunVerdicts()
        #expect(verdicts.isDue(bytes: 0, isWhole: false) && !verdicts.isDue(bytes: 0, isWhole: false))
        #expect(verdicts.isDue(bytes: 0, isWhole: true) && verdicts.isDue(bytes: 4, isWhole: true))
        verdicts.check = await AnswerCheck.advanced(nil, of: [passage(7)], to: "Text.", isWhole: true)
        #expect(verdicts.check(of: [passage(7)]) != nil && verdicts.check(of: [passage(8)]) == nil)
    }
}
