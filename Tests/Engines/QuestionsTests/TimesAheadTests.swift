import Goals
import Testing

@testable import Questions

/// A question about a time to come selects no notes by their days: they were written before it.
@Suite struct TimesAhead {
    /// Friday, 27 November 2026.
    static let friday = LocalDay(year: 2026, month: 11, day: 27) ?? .earliest
    static let monday = LocalDay(year: 2026, month: 11, day: 23) ?? .earliest

    private func stretch(_ question: String, _ today: LocalDay) -> CalendarStretch? {
        QuestionAnalysis(question, today: today, firstWeekday: 1).stretch
    }

    @Test(arguments: [
        "what is planned for next friday", "coming friday", "the coming Friday", "this coming friday",
        "upcoming Monday",
        "what have I planned for the next two weeks?", "next week", "plans for next month", "what is on next weekend?",
        "what do I have in two weeks", "in 3 days", "tomorrow", "the day after tomorrow",
        "what is due tomorrow morning?",
        "a week from now", "one week from Monday", "Friday next week", "the Friday after next", "due by next Friday",
        "before next Tuesday", "next December", "next summer", "what will I do in the coming year",
        "nächsten Freitag", "am kommenden Freitag", "was ist nächste Woche", "kommende Woche", "in zwei Wochen",
        "in drei Tagen", "übermorgen", "bis morgen", "Montag nächster Woche", "übernächsten Montag",
        "im kommenden Jahr", "nächsten Monat", "in den nächsten Tagen", "was ist am Freitag fällig?",
        "what is due on Monday?", "what is scheduled for Tuesday", "3 March 2027", "in December 2026",
    ])
    func `no stretch of days`(_ question: String) {
        for today in [Self.friday, Self.monday] {
            #expect(stretch(question, today) == nil, "\(today)")
        }
    }

    @Test func `a day of this week that is to come is none, either`() {
        #expect(stretch("what is on this Friday?", Self.monday) == nil)
        #expect(stretch("what is on this Friday?", Self.friday)?.first == Self.friday)
        #expect(stretch("diesen Samstag", Self.friday) == nil)
        #expect(stretch("dieses Wochenende", Self.monday) == nil)
    }

    @Test func `times that are past still count`() {
        #expect(stretch("what did I write last Friday?", Self.friday)?.first == Self.friday.adding(-7))
        #expect(stretch("what did I plan on Monday?", Self.friday)?.first == Self.friday.adding(-4))
        #expect(stretch("what was due on Monday?", Self.friday)?.first == Self.friday.adding(-4))
        #expect(stretch("since Tuesday, about next week", Self.friday)?.first == Self.friday.adding(-3))
        #expect(stretch("what did I say yesterday about next Friday", Self.friday)?.first == Self.friday.adding(-1))
        #expect(stretch("in the last two weeks", Self.friday)?.last == Self.friday)
        #expect(stretch("vor zwei Wochen", Self.friday) != nil)
        #expect(stretch("on Monday in the last two weeks", Self.friday)?.first == Self.friday.adding(-4))
        #expect(stretch("on Monday in last two weeks", Self.friday)?.first == Self.friday.adding(-4))
        #expect(stretch("on Monday in two weeks", Self.friday) == nil)
    }
}
