import Finding
import Goals
import Schedules
import Testing

@testable import Find

/// What a search over all kinds looks for, and what operators let through.
@Suite struct FindQuestions {
    /// Friday, 27 November 2026, noon in UTC.
    private static let now = Instant(seconds: 1_795_780_800)

    private static let rule: DayRule = {
        guard let rule = DayRule(zone: .utc) else { fatalError("a day begins at midnight") }
        return rule
    }()

    private func question(_ text: String) -> FindQuestion {
        FindQuestion(text, rule: Self.rule, firstWeekday: 1, now: Self.now)
    }

    @Test func `words that carry the text must be there, others decide among equals`() {
        let asked = question("Why do I wake at night?")
        #expect(asked.text == "Why do I wake at night?")
        #expect(asked.groups == [["wake"], ["night"]])
        #expect(asked.words.filter { $0.weight == 1 }.map(\.text) == ["wake", "night"])
        #expect(question("what is it").groups == [["what"], ["is"], ["it"]])
        #expect(question("雨").groups == [["雨"]])
        #expect(question("12:30 https://a.example/b").groups.count == 2)
    }

    @Test func `phrases and choices are groups of their own`() {
        let asked = question(#""the spring tide" moon OR sun gauge -storm"#)
        #expect(asked.groups == [["the spring tide"], ["moon", "sun"], ["gauge"]])
        #expect(asked.text == "the spring tide gauge moon sun")
    }

    @Test func `days are seconds of the person's days`() {
        let asked = question("on:2026-11-26")
        #expect(asked.since == 1_795_651_200 && asked.until == 1_795_737_599)
        #expect(question("before:2026").since == nil && question("tide").until == nil)
    }

    @Test(arguments: [
        ("tag:sea", true), ("tag:#SEA", true), ("tag:se", false), ("-tag:sea", false), ("-tag:work", true),
        ("tag:sea tag:moon", true), ("tag:sea tag:work", false), ("type:Idea type:reference", true),
        ("type:idea", false),
        ("thread:gauge", true), ("thread:7", true), ("in:gau", true), ("source:log", true), ("-source:log", false),
        ("title:tide", true), ("title:bread", false), ("has:task", true), ("-has:task", false), ("book:x", false),
        ("on:2026-11", true), ("before:2026-11-26", false), ("after:2026-11-25", true), (#""THE MOON""#, true),
        (#""moon the""#, false), ("-moon", false), ("-storm", true), ("sun OR moon", true), ("sun OR storm", false),
        ("-tide", false), ("moon", true), ("absent", true),
    ])
    func `filters are the same for all kinds`(text: String, passes: Bool) {
        var candidate = FindCandidate(id: "1", title: "Tide tables", text: "About the moon")
        candidate.labels.tags = ["#sea", "moon"]
        candidate.labels.types = ["reference"]
        candidate.labels.threads = ["Tide gauge", "7"]
        candidate.labels.places = ["Tide gauge"]
        candidate.labels.source = "journal/log.md"
        candidate.labels.hasTask = true
        candidate.labels.time = 1_795_700_000
        #expect(FindFilter(question(text)).passes(candidate) == passes, "\(text)")
        // What a kind does not know, it does not have.
        let plain = FindCandidate(id: "1", title: "", text: "About the moon")
        for filter in [
            "tag:sea", "-tag:sea", "type:x", "thread:x", "source:x", "book:x", "in:x", "has:task", "on:2026", "title:x",
        ] {
            #expect(!FindFilter(question(filter)).passes(plain), "\(filter)")
        }
    }

    @Test func `evidence counts words by their weights`() {
        let asked = question("the spring tide")
        let candidate = FindCandidate(id: "1", title: "Spring", text: "THE TIDE")
        let evidence = FindEvidence(candidate, rank: 3, words: asked.words, text: "the spring tide")
        #expect(evidence.words == ["the", "spring", "tide"] && evidence.coverage == 1 && evidence.rank == 3)
        #expect(abs(evidence.title - 1 / 2.1) < 1e-9 && !evidence.isExactTitle)
        let exact = FindCandidate(id: "1", title: "The Spring Tide", text: "")
        #expect(FindEvidence(exact, rank: 1, words: asked.words, text: "the spring tide").isExactTitle)
    }
}
