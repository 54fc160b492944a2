import GatewayAPI
import Testing

@testable import Chat

/// The rules that decide what is searched.
@Suite struct SearchRules {
    @Test(arguments: [
        "hello", "Hi there!", "Guten Morgen", "thanks a lot", "Vielen Dank für deine Hilfe... danke", "ok", "👍", "  ",
        "What did I ask before the last one?", "who are you", "Kürzer bitte", "repeat that",
    ])
    func `greetings and questions about the conversation need no notes`(message: String) {
        #expect(SmallTalk.covers(message))
    }

    @Test(arguments: [
        "hello, when is the tide highest", "thanks, and what about the gauge?", "Is the bread good?", "tide",
        "Was hat Anna im Mai repariert?", "What did I write about whales?", "no idea what the gauge says",
    ])
    func `anything else is searched`(message: String) { #expect(!SmallTalk.covers(message)) }

    @Test func `a long message is never small talk`() {
        #expect(!SmallTalk.covers(String(repeating: "hello ", count: 100)))
    }

    @Test(arguments: [
        ("and why?", true), ("Why is that so in the spring months?", true), ("tell me more", true),
        ("Wann war das im letzten Jahr genau?", false), ("Und im Herbst, was sagt der Pegel dort?", true),
        ("When is the greatest range of tides?", false), ("Is it higher in the spring than in summer?", true),
    ])
    func `a question that points back is told from one that stands alone`(question: String, pointsBack: Bool) {
        #expect(QuestionContext.needs(question) == pointsBack)
    }

    private static let history = ["When is the spring tide at Sandgate?", "The spring tide is highest in March."]

    private func usable(_ rewriting: String) -> String? {
        QuestionContext.usable(rewriting, question: "and why?", history: Self.history)
    }

    @Test(arguments: [
        "spring tide", "Query: \"spring tide\"\nBecause …", "„spring tide“", "Here is the search query: spring tide",
        "Here is the search query:\nspring tide", "Sure! Here's the rewritten query:\n\n\"spring tide\"",
        "- spring tide",
        "1. spring tide\n2. moon", "```\nspring tide\n```", "```text\nspring tide\n```", "**spring tide**",
        "**Search query:** spring tide", "{\"query\": \"spring tide\"}", "> spring tide", "# spring tide",
        "The user asks why.\nspring tide", "We need to find the spring tide query.</think>\nspring tide",
        "`spring tide`",
        "Suchanfrage: spring tide", "Standalone question: spring tide", "Certainly:\n* spring tide",
        "\n\n  spring tide  \n",
    ])
    func `a rewriting is found among what models put around it`(answer: String) {
        #expect(usable(answer) == "spring tide")
    }

    @Test(arguments: [
        "", "  ", "?", "\n", "Here is the search query:", "Here is the search query", "Sure!",
        "I cannot help with that.",
        "best pizza in Naples", "The user wants to know about the spring tide.", "```", "Query:", "what is it", "…",
    ])
    func `an answer without a word of the conversation is no rewriting`(answer: String) {
        #expect(usable(answer) == nil)
    }

    @Test func `a long rewriting, and one in other forms of the words`() {
        #expect(usable(String(repeating: "tide ", count: 120)) == nil)
        #expect(usable("highest tides in March") == "highest tides in March")
        #expect(QuestionContext.usable("春の潮", question: "なぜ?", history: ["春の潮はいつ?"]) == "春の潮")
    }

    @Test func `own words beside a rewriting`() {
        #expect(
            ContextualQuery("spring tide at Sandgate", own: "and the oak staircase?").own == "and the oak staircase?")
        #expect(ContextualQuery("spring tide at Sandgate", own: "and why?").own == nil)
        #expect(RankedLists.alternating([1, 2, 3], [9, 1, 4], isSame: ==) == [1, 9, 2, 3, 4])
    }

    @Test func `without a rewriting the question before goes along`() {
        let history = [
            Message(id: 1, sessionID: "s", role: "user", content: "the tide?"),
            Message(id: 2, sessionID: "s", role: "assistant", content: "high"),
        ]
        #expect(QuestionContext.joined("and why?", after: history) == "the tide?\nand why?")
        #expect(QuestionContext.joined("and why?", after: []) == "and why?")
    }

    @Test func `a title is the first words of the question`() {
        #expect(SessionTitle.of("  When\n is it? ") == "When is it?")
        let long = SessionTitle.of(String(repeating: "tide ", count: 40))
        #expect(long.hasSuffix("tide…") && long.utf8.count <= 84)
        #expect(SessionTitle.of(String(repeating: "潮", count: 200)) == String(repeating: "潮", count: 20) + "…")
    }
}
