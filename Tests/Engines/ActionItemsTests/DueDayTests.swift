import Goals
import Testing

@testable import ActionItems

/// Days that sentences name, read on Monday, 2026-11-23.
@Suite struct DueDays {
    private func due(_ text: String, on day: String = "2026-11-23") throws -> String? {
        let day = try #require(LocalDay(parsing: day))
        return ActionItemFinder(writtenOn: day).find(in: text).first?.due?.description
    }

    @Test(
        arguments: [
            ("Call Anna today", "2026-11-23"), ("Call Anna tomorrow morning", "2026-11-24"),
            ("Call Anna the day after tomorrow", "2026-11-25"), ("Call Anna by Monday", "2026-11-30"),
            ("Call Anna this weekend", "2026-11-29"), ("Call Anna next weekend", "2026-12-06"),
            ("Call Anna by the end of next week", "2026-12-06"), ("Call Anna by 3/4", nil),
            ("Call Anna by the end of November", "2026-11-30"), ("Call Anna by the end of February", "2027-02-28"),
            ("Call Anna by December 1st", "2026-12-01"), ("Call Anna on the 22nd", "2026-12-22"),
            ("Call Anna by 1 November", "2027-11-01"), ("Call Anna in two months", "2027-01-23"),
            ("Call Anna in 10 days", "2026-12-03"), ("Call Anna before tomorrow", "2026-11-23"),
            ("Call Anna by 2027-02-30", nil), ("Call Anna every Friday", nil),
            ("Call Anna on Friday, 4 December", "2026-12-04"),
            ("Anna bis Monatsende anrufen", "2026-11-30"), ("Anna bis Ende nächster Woche anrufen", "2026-12-06"),
            ("Anna bis zum 5. anrufen", "2026-12-05"), ("Anna am 3.12. anrufen", "2026-12-03"),
            ("Anna bis 03.12.26 anrufen", "2026-12-03"), ("Anna jeden Freitag anrufen", nil),
            ("Anna am Morgen anrufen", nil), ("Anna morgen früh anrufen", "2026-11-24"),
            ("Anna in einer Woche anrufen", "2026-11-30"), ("Anna nächsten Montag anrufen", "2026-11-30"),
        ] as [(String, String?)])
    func `a day is relative to the note's`(text: String, day: String?) throws {
        #expect(ActionItemFinder(writtenOn: try #require(LocalDay(parsing: "2026-11-23"))).find(in: text).count == 1)
        #expect(try due(text) == day)
    }

    @Test func `months without such a day, and the ends of the calendar`() throws {
        #expect(try due("Call Anna in one month", on: "2027-01-31") == "2027-02-28")
        #expect(try due("Call Anna by 29 February", on: "2027-03-01") == "2028-02-29")
        for day in ["1900-01-01", "2399-12-31"] {
            for text in [
                "Call Anna by Friday", "Call Anna next month", "Call Anna in 1000 years", "Call Anna by 31.12.",
            ] {
                #expect(ActionItemFinder(writtenOn: try #require(LocalDay(parsing: day))).find(in: text).count == 1)
            }
        }
    }
}

/// Tasks in texts of several sentences.
@Suite struct TasksInTexts {
    private let finder = ActionItemFinder(writtenOn: LocalDay(year: 2026, month: 11, day: 23) ?? .earliest)

    @Test func `each sentence has its place in the text`() {
        let text = """
            # Call the surveyor

            Grüße aus Köln 🌧. I need to call the surveyor by Friday. It rained.
            - [ ] Öl kaufen
            - [x] Milch kaufen

            ```
            TODO: not this
            ```
            Ruf Anna morgen an!
            """
        let items = finder.find(in: text)
        #expect(items.map(\.title) == ["Call the surveyor", "Öl kaufen", "Ruf Anna an"])
        for item in items {
            #expect(String(decoding: Array(text.utf8)[item.range], as: UTF8.self) == item.source)
        }
    }

    @Test func `limits hold, and odd text does no harm`() {
        #expect(finder.find(in: String(repeating: "Call Anna by Friday. ", count: 500)).count == ActionItem.maxItems)
        #expect(finder.find(in: "Call Anna " + String(repeating: "and Bo ", count: 300)).isEmpty)
        for text in [
            "", "\u{0}", "- [ ]", "TODO:", "Call", "bis", "by by by", "\r\n\r\n- [ ] \u{301}", "🇩🇪 anrufen", "1. 2. 3.",
        ] {
            _ = finder.find(in: text)
        }
        let long = finder.find(in: "- [ ] " + String(repeating: "ä", count: 450))
        #expect(long.allSatisfy { $0.title.utf8.count <= ActionItem.maxTitleBytes })
    }

    @Test func `text cut anywhere is read`() {
        let text = "Ich muss bis Freitag den Gutachter anrufen. Don’t forget to pay by 12 December 2026!"
        for end in text.indices { _ = finder.find(in: String(text[..<end])) }
        for start in text.indices { _ = finder.find(in: String(text[start...])) }
    }
}
