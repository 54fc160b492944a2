import Foundation
import TestSupport
import Testing

@testable import Evaluation

/// Files of questions, their judged answers, and gates.
struct ChatEvaluationTests {
    private func questions(_ text: String) throws -> [ChatQuestion] {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "q.jsonl")
        try Data(text.utf8).write(to: file)
        return try ChatQuestion.load(file)
    }

    @Test func `a file of questions is read`() throws {
        let read = try questions(
            """
            {"question": "a?", "words": ["x", " "], "notes": [12, "spring tide"]}

            {"id": "q7", "question": "b?", "unanswerable": true}
            """)
        #expect(read.map(\.id) == ["1", "q7"] && read.map(\.isUnanswerable) == [false, true])
        #expect(read[0].words == ["x"] && read[0].notes == [.id(12), .title("spring tide")])
    }

    @Test(arguments: [
        ("", "no questions"), ("{}", "`question` is missing"), ("x", "not a JSON object"),
        (#"{"question": 1}"#, "`question`"),
        (#"{"question": " "}"#, "empty"), (#"{"id":1,"question":"a"}"# + "\n" + #"{"id":"1","question":"b"}"#, "twice"),
        (#"{"question":"a","unanswerable":true,"words":["x"]}"#, "neither"),
        (#"{"question":"a","words":"x"}"#, "`words`"),
    ])
    func `a wrong file is refused with its line`(text: String, reason: String) {
        #expect(message { _ = try questions(text) }.contains(reason))
    }

    private func answer(
        _ id: String, _ text: String, words: [String] = [], notes: [ChatQuestion.ExpectedNote] = [],
        unanswerable: Bool = false, refusal: Bool = false, done: Bool = true, model: String = "llama3.2"
    ) -> ChatEvaluation.Answer {
        var question = ChatQuestion(id: id, question: "\(id)?")
        (question.words, question.notes, question.isUnanswerable) = (words, notes, unanswerable)
        var sample = AnswerSample(subject: id, model: model, run: 1)
        (sample.isDone, sample.isRefusal, sample.passages) = (done, refusal, 2)
        (sample.firstTokenMilliseconds, sample.totalMilliseconds) = (100, 400)
        if !refusal { (sample.claims, sample.supported, sample.citations) = (2, 1, 2) }
        return ChatEvaluation.Answer(
            question, text: text, found: [(1, "Spring Tide"), (2, "bread")], cited: [1], sample: sample)
    }

    private var report: ChatEvaluation {
        ChatEvaluation(
            name: "q.jsonl", questions: 6, planned: 6,
            answers: [
                answer(
                    "a", "After FULL moon [1].", words: ["full moon"], notes: [.title("spring tide"), .id(2), .id(9)]),
                answer("b", "Wet.", words: ["80%"]), answer("c", "The notes do not say.", refusal: true),
                answer("d", "Size 43.", unanswerable: true),
                answer("e", "The notes do not say.", unanswerable: true, refusal: true), answer("f", "", done: false),
            ])
    }

    @Test func `answers are judged, and figures leave out what was not asked for`() throws {
        #expect(
            report.answers.map(\.outcome) == [.answered, .incomplete, .wronglyRefused, .madeUp, .refused, .failed])
        let figures = try #require(report.models.first).figures
        #expect(figures[.words] == 0.5 && figures[.refused] == 0.5 && figures[.support] == 0.5)
        #expect(figures[.wronglyRefused] == 1.0 / 3 && figures[.notes] == 2.0 / 3 && figures[.citedNotes] == 1.0 / 3)
        #expect(figures[.failed] == 1.0 / 6 && figures[.firstToken95] == 100 && figures[.invented] == 0)
        let plain = ChatEvaluation(name: "q", questions: 1, planned: 1, answers: [answer("a", "x")])
        #expect(plain.models[0].figures[.refused] == nil && plain.models[0].figures[.notes] == nil)
    }

    @Test func `a report reads back, and its table and page name what is wrong`() throws {
        #expect(try ChatEvaluation(json: report.json()) == report)
        let json = String(decoding: try report.json(), as: UTF8.self)
        #expect(json.contains("\"first_token_p95\" : 100") && json.contains("\"outcome\" : \"made_up\""))
        let text = report.text()
        #expect(text.hasPrefix("q.jsonl: 6 questions, 1 model\nmodel"))
        #expect(text.contains("llama3.2  b  lacks “80%”") && text.contains("d  answered although the notes do not say"))
        let page = report.html()
        #expect(page.contains("lacks “80%”") && page.matches(of: /<svg/).count == 2)
        var partial = report
        partial.planned = 9
        #expect(partial.isPartial && partial.text().contains("partial: 6 of 9"))
    }

    @Test func `gates name a figure, and a model whose name has dots`() throws {
        #expect(try ChatGate(parsing: "support>=0.5").failures(in: report).isEmpty)
        #expect(try ChatGate(parsing: "llama3.2.first_token_p95<=100").failures(in: report).isEmpty)
        #expect(
            try ChatGate(parsing: "llama3.2.words > 0.5").failures(in: report) == [
                "llama3.2.words>0.5: llama3.2 has words 0.500000"
            ])
        #expect(try ChatGate(parsing: "x.words>0").failures(in: report) == ["x.words>0.0: the report has no model `x`"])
        let empty = ChatEvaluation(name: "q", questions: 1, planned: 1, answers: [answer("a", "x")])
        #expect(try ChatGate(parsing: "refused>=0").failures(in: empty).count == 1)
        for wrong in ["support", "support=1", "x>=1", ".support>=1", "support>=a"] {
            #expect(!message { _ = try ChatGate(parsing: wrong) }.isEmpty, "\(wrong)")
        }
    }
}
