import Goals
import TestSupport
import Testing

@testable import Questions

/// Operators of a search text.
@Suite struct Operators {
    /// Friday, 27 November 2026.
    private static let today = LocalDay(year: 2026, month: 11, day: 27) ?? .earliest
    private static let places = CalendarPlaces(today: today, firstWeekday: 1)

    private func read(_ text: String) -> OperatorQuery { OperatorReader.read(text, Self.places) }

    private func day(_ text: String) -> LocalDay? { LocalDay(parsing: text) }

    @Test func `each operator is read`() {
        let query = read(
            #"harbour "spring tide" -storm -"neap tide" moon OR sun tag:#sea -tag:work type:reference thread:"Tide gauge" "#
                + #"source:journal title:log book:Whale in:Trips has:task from:(notes|chats) -from:chats"#)
        #expect(query.terms == [.word("harbour"), .phrase("spring tide")])
        #expect(query.excluded == [.word("storm"), .phrase("neap tide")])
        #expect(query.choices == [[.word("moon"), .word("sun")]])
        #expect(
            query.filters == [
                .init(.tag, "sea"), .init(.tag, "work", isExcluded: true), .init(.type, "reference"),
                .init(.thread, "Tide gauge"), .init(.source, "journal"), .init(.title, "log"), .init(.book, "Whale"),
                .init(.in, "Trips"), .init(.has, "task"),
            ])
        #expect(query.wantedKinds == [.notes] && query.hasOperators && query.phrases == ["spring tide"])
        #expect(query.text(of: "?") == "harbour spring tide moon sun")
    }

    @Test(
        arguments: [
            ("on:2026", "2026-01-01", "2026-12-31"), ("on:2026-02", "2026-02-01", "2026-02-28"),
            ("on:2026-01-31", "2026-01-31", "2026-01-31"), ("on:yesterday", "2026-11-26", "2026-11-26"),
            ("on:gestern", "2026-11-26", "2026-11-26"), ("on:last-week", "2026-11-16", "2026-11-22"),
            (#"on:"March 2025""#, "2025-03-01", "2025-03-31"), ("on:14.3.2026", "2026-03-14", "2026-03-14"),
            ("ON:2026-01..2026-03", "2026-01-01", "2026-03-31"), ("after:2026-01-31", "2026-02-01", nil),
            ("before:2026-01-31", nil, "2026-01-30"), ("after:2025 before:2026-07", "2026-01-01", "2026-06-30"),
            ("on:2026-06.. before:2026-06", "2026-06-01", "2026-05-31"), ("on:..2026", nil, "2026-12-31"),
        ] as [(String, String?, String?)])
    func `days are those of the person's calendar`(text: String, first: String?, last: String?) {
        let query = read(text)
        #expect(query.days == CalendarStretch(first.flatMap(day), last.flatMap(day)), "\(text)")
        #expect(query.terms == [])
    }

    @Test(arguments: [
        "why do I wake at night", "tag:", "foo:bar", "http://example.org/a?b=c", "12:30", "before:soonish", "on:",
        "has:x",
        "from:anna", "from:(chats anna)", "e-mail", "- x", "--flag", "OR x", "x OR", "  two  spaces\n", "it's", "",
        "☔️ 雨",
        "after:2026-13-01", "on:1899", "5\" screw", "\"\"", "“ ”", "before:1900-01-01", "in:", "-", "tag:#",
    ])
    func `other text is words, as it was written`(_ text: String) {
        let query = read(text)
        #expect(!query.hasOperators && query.text(of: text) == text)
    }

    @Test func `a half operator is a word beside others`() {
        #expect(read("tag: sea").terms == [.word("tag:"), .word("sea")])
        #expect(read(#"before:"next thing""#).terms == [.word("before:"), .phrase("next thing")])
        #expect(read("from:(chats anna)").terms == [.word("from:"), .word("(chats"), .word("anna)")])
        #expect(read("-foo:bar").excluded == [.word("foo:bar")])
        #expect(read("-before:2026").excluded == [.word("before:2026")])
        #expect(read("a OR -b").terms == [.word("a"), .word("or")])
    }

    @Test(arguments: [
        #""spring tide""#, "“spring tide”", "„spring tide“", "«spring  tide»", "»spring\ntide«", "\"spring tide”",
    ])
    func `quotation marks of all keyboards are one`(_ text: String) {
        #expect(read(text).terms == [.phrase("spring tide")])
    }

    @Test func `kinds have the names that people use`() {
        #expect(read("from:chat").kinds == [.chats] && read("in:book").kinds == [.books])
        #expect(read("from:notes,goals").kinds == [.notes, .goals])
        #expect(read("from:(memory OR threads)").kinds == [.memories, .threads])
        #expect(read("-from:books").wantedKinds == Set(OperatorQuery.Kind.allCases).subtracting([.books]))
    }

    /// Texts of pieces that matter, in any order, with and without spaces between them.
    @Test func `what is read is written as a text that reads the same`() {
        let pieces = [
            "tag:", "-", "--", "\"", "“", "”", "„", "«", "»", "from:", "(", ")", "chats", "notes", "|", ",", "OR", "or",
            "in:",
            "before:", "after:", "on:", "2026", "2026-02-30", "2026-01", "..", "yesterday", "last week", "has:", "task",
            "#",
            "title:", "Tide gauge", "a", "é", "雨", "☔️", "'", ":", "foo:", "type:", "1900", "2399-12-31", "\t", "book:",
            "12:30", "source:", "e\u{301}", "\u{0}", "-tag:x", "-\"q\"", "thread:",
        ]
        var generator = SeededGenerator(36)
        for round in 0..<Gear.rounds(20_000) {
            var text = ""
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                text += pieces.randomElement(using: &generator) ?? ""
                if Bool.random(using: &generator) { text += " " }
            }
            let query = read(text)
            #expect(read(query.description) == query, "round \(round): \(text.debugDescription) → \(query)")
            #expect(query.hasOperators || query.text(of: text) == text)
        }
    }

    @Test func `random bytes are no error`() {
        var generator = SeededGenerator(37)
        for _ in 0..<Gear.rounds(5000) {
            let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let query = read(text)
            #expect(read(query.description) == query, "\(text.debugDescription)")
        }
    }
}
