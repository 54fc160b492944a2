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

    @Test func `a rewriting is used if it is one short line`() {
        #expect(QuestionContext.usable("Query: \"spring tide\"\nBecause …") == "spring tide")
        #expect(QuestionContext.usable("„Springtide“") == "Springtide")
        for text in ["", "  ", "?", String(repeating: "x", count: 501), "\n"] {
            #expect(QuestionContext.usable(text) == nil, "\(text.prefix(10))")
        }
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
