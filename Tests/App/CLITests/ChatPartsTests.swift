import GatewayAPI
import GatewayClient
import Testing

@testable import CLI

@Suite struct ChatParts {
    private static let text =
        "Range peaks after full moon [1]. It rose 4 m [1]. Boats sink [2][9]. Nobody knows the reason why."

    private static func passage(_ number: Int, _ title: String, _ text: String) -> ChatPassage {
        ChatPassage(
            number: number, note: Int64(number + 6), title: title, date: "2026-03-14", text: text,
            range: 0..<text.utf8.count, why: .init(meaning: 0.825, words: 2, terms: ["tide"]), source: "search")
    }

    private static func sentence(_ range: Range<Int>, _ verdict: ChatVerdict, _ differences: [String] = [])
        -> ChatSentence
    {
        ChatSentence(range: range, verdict: verdict, support: nil, score: 0.5, differences: differences)
    }

    /// A run whose answer has a citation of every worth.
    private static var run: ChatRun {
        var run = ChatRun(id: "r", session: "s", question: "q", kind: "ask", model: "m", createdAt: "")
        run.state = .done
        run.text = text
        var record = ChatRecord()
        record.passages = [
            passage(1, "Tide\u{1B}[2J", "The greatest range comes after full moon. It rose 3 m."),
            passage(2, "Boats", "Oak floats."),
        ]
        record.citations = [
            ChatCitation(
                marker: 28..<31, number: 1, note: 7, verdict: .supported, evidence: [.init(number: 1, range: 0..<41)]),
            ChatCitation(marker: 45..<48, number: 1, note: 7, verdict: .altered),
            ChatCitation(marker: 61..<64, number: 2, note: 8, verdict: .misattributed, belongsTo: 1),
            ChatCitation(marker: 64..<67, number: 9, note: nil, verdict: .invented),
        ]
        record.sentences = [
            sentence(0..<32, .supported), sentence(33..<49, .altered, ["number"]), sentence(50..<68, .invented),
            sentence(69..<97, .uncited),
        ]
        run.record = record
        return run
    }

    @Test func `citations are listed with their worth, and unsupported sentences are named`() {
        #expect(
            AnswerReport.lines(of: Self.run).map(\.raw) == [
                "[1] Tide[2J  2026-03-14 · note 7 · supported; altered: number",
                "[2] Boats  2026-03-14 · note 8 · not what the note says: belongs to [1]",
                "[9] invented: there is no such note",
                "unsupported: “Boats sink [2][9].”",
                "unsupported: “Nobody knows the reason why.”",
            ])
    }

    @Test func `what was searched, left out and withheld is said`() {
        var run = Self.run
        run.strict = true
        run.record?.citations = [ChatCitation(marker: 32..<32, number: 1, note: 7, verdict: .supported)]
        run.record?.sentences = (0..<7).map { _ in Self.sentence(50..<68, .unsupported) }
        run.record?.search = ChatSearch(
            query: "boats", rewritten: true, source: "keyword_fallback", fallbackReason: "Ollama is away")
        run.record?.leftOut = [
            .init(part: "history", count: 12), .init(part: "passage", count: 1, note: 4),
            .init(part: "passage", count: 1, note: 5), .init(part: "summary", count: 1),
        ]
        run.record?.withheld = [3]
        let sentence = "unsupported: “Boats sink [2][9].”"
        #expect(
            AnswerReport.lines(of: run).map(\.raw) == [
                "[1] Tide[2J  2026-03-14 · note 7 · supported, cited by the gateway",
                "strict: 0 of 7 sentences are supported and count as the answer",
                sentence, sentence, sentence, sentence, sentence, "unsupported: 2 more sentences",
                "searched for “boats”", "notes by keywords only: Ollama is away",
                "left out of the prompt: 12 earlier messages, 2 passages, the summary of the conversation",
                "withheld from m: 1 private note",
            ])
        // Without notes nothing can be supported.
        run.record = ChatRecord()
        #expect(AnswerReport.lines(of: run).isEmpty)
        run.record = nil
        #expect(AnswerReport.lines(of: run).isEmpty)
    }

    @Test func `a cited passage is shown with what supports the answer`() throws {
        let run = Self.run
        let passage = try #require(run.record?.passages.first)
        #expect(
            PassageText.cited(passage, in: run).raw == """
                [1] Tide[2J  2026-03-14 · note 7
                    »The greatest range comes after full moon.« It rose 3 m.
                “Range peaks after full moon [1].” · supported
                “It rose 4 m [1].” · altered: number
                """)
        #expect(
            PassageText.listed(passage).raw == """
                [1] Tide[2J  2026-03-14 · note 7 · meaning 82%, words #2 “tide”
                    The greatest range comes after full moon. It rose 3 m.
                """)
    }

    @Test func `marks are placed at valid ranges only`() {
        func marked(_ ranges: [[Int]], isBold: Bool = false) -> String {
            PassageText.marked("é潮 tide", ranges, isBold: isBold).raw
        }
        #expect(marked([]) == "é潮 tide")
        #expect(marked([[6, 10], [0, 2]]) == "»é«潮 »tide«")
        #expect(marked([[0, 5], [2, 7], [3, 4]]) == "»é潮«» t«ide")
        #expect(marked([[1, 2], [5], [7, 6], [-1, 3], [0, 11], [.max, .min], [4, 4]]) == "é潮 tide")
        #expect(marked([[2, 5]], isBold: true) == "é\u{1B}[1m潮\u{1B}[0m tide")
    }

    @Test func `progress is said in a few words`() {
        func words(_ state: ChatRun.State, place: Int? = nil, _ events: [ChatRunEvent.Content] = []) -> String? {
            var answer = ChatAnswer()
            answer.apply(ChatRunEvent(.state(.init(state: state, progress: 0, place: place))))
            for event in events { answer.apply(ChatRunEvent(event)) }
            return ProgressLine.words(for: answer, model: "m")
        }
        #expect(words(.queued, place: 3) == "queued, place 3 …" && words(.waiting, place: 1) == "waiting for m, next …")
        #expect(words(.searching) == "searching notes …" && words(.loadingModel) == "loading m …")
        #expect(words(.thinking, [.passages([Self.passage(1, "a", "b")])]) == "1 passage · thinking …")
        let call = ChatToolUse(id: "1", name: "read_note", arguments: nil, state: .running)
        #expect(words(.tools, [.tool(call)]) == "using read_note …" && words(.tools) == "using tools …")
        #expect(words(.answering) == nil && words(.done) == nil)
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
