import Testing

@testable import Goals

/// Which texts may tell of a deed, a plan or a goal.
@Suite struct UtteranceTopics {
    private let parser = UtteranceParser(today: LocalDay(parsing: "2026-11-22") ?? .earliest)

    @Test(arguments: [
        "I want to run twice a week", "ran 5 km yesterday", "Ich bin heute 5 km gelaufen.", "meditated",
        "2 glasses of water",
        "I sat still for 20 minutes", "ich möchte jeden Tag meditieren", "Log that I talked to my mother",
        "Please floss-proof me: I floss daily", "plan a new term", "Ich habe mir vorgenommen, früher aufzustehen",
        "How far am I with my goals?", "What a day! I swam.", "When I swam, it rained", "Should I run?",
        "What about 5 km of running?", "Wie weit bin ich mit meinem Ziel?", "undo that", "How much is 5-6 miles?",
        "for my novel goal", "no running today", "I called mum twice",
    ])
    func `these may`(_ text: String) { #expect(parser.mayConcernGoals(text)) }

    @Test(arguments: [
        "When is the tide highest?", "Who repaired the harbour gauge?", "What did I write about the lighthouse?",
        "hello there!", "Wo liegt das Boot?", "and why is that?", "How much flour does the bread need?",
        "Wann habe ich das gelesen?", "Summarise the notes about the harbour.", "", "   ", "?",
        "Where was the lamp lit in 2019?",
    ])
    func `these do not`(_ text: String) { #expect(!parser.mayConcernGoals(text)) }

    @Test func `a text that the parser does not read may`() {
        #expect(parser.mayConcernGoals(String(repeating: "tide ", count: UtteranceParser.maxBytes)))
    }
}
