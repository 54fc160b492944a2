import TestSupport
import Testing

@testable import Goals

struct CalendarTests {
    private func day(_ text: String) throws -> LocalDay { try #require(LocalDay(parsing: text)) }

    @Test(
        arguments: [
            ("2026-11-22", 0), ("2024-02-29", 4), ("1900-01-01", 1), ("2399-12-31", 5), ("2000-02-29", 2),
            ("2026-02-29", nil), ("1900-02-29", nil), ("2026-13-01", nil), ("2026-1-1", nil), ("20261122", nil),
            ("1899-12-31", nil), ("2400-01-01", nil), ("", nil), ("2026-11-22T", nil), ("２026-11-2", nil),
        ] as [(String, Int?)])
    func `days are read`(text: String, weekday: Int?) {
        let day = LocalDay(parsing: text)
        #expect(day?.weekday == weekday)
        if let day { #expect(day.description == text) }
    }

    @Test func `days are clamped and never overflow`() {
        #expect(LocalDay(number: .max) == .latest && LocalDay(number: .min) == .earliest)
        #expect(LocalDay.latest.adding(.max) == .latest && LocalDay.earliest.adding(.min) == .earliest)
        #expect(LocalDay.earliest.description == "1900-01-01" && LocalDay.latest.description == "2399-12-31")
        #expect(TermSpan(first: .latest).advanced(by: .max).last == .latest)
        #expect(TermSpan(first: .earliest).advanced(by: .min).first == .earliest)
    }

    @Test(arguments: [
        ("2026-11-22", 2026, 47), ("2027-01-01", 2026, 53), ("2021-01-03", 2020, 53), ("2024-12-30", 2025, 1),
        ("2026-01-01", 2026, 1), ("2023-01-01", 2022, 52), ("2028-01-02", 2027, 52), ("2032-12-31", 2032, 53),
    ])
    func `weeks have ISO numbers`(text: String, year: Int, week: Int) throws {
        let number = Week.isoNumber(of: try day(text))
        #expect(number.year == year && number.week == week)
    }

    @Test func `seventy years of weeks count on without a hole`() throws {
        var day = try day("1990-01-01")
        var expected = (year: 1990, week: 1)
        while day.date.year < 2061 {
            if day.weekday == 1, day.number != 7305 {
                // ISO 8601: a year's last week is the 53rd if January 1 is a Thursday, in leap years also a Wednesday.
                let newYear = try #require(LocalDay(year: expected.year, month: 1, day: 1)).weekday
                let isLeap = LocalDay(year: expected.year, month: 2, day: 29) != nil
                let weeks = newYear == 4 || (newYear == 3 && isLeap) ? 53 : 52
                expected = expected.week == weeks ? (expected.year + 1, 1) : (expected.year, expected.week + 1)
            }
            let number = Week.isoNumber(of: day)
            guard number == expected else {
                Issue.record("\(day): \(number), expected \(expected)")
                return
            }
            for first in 0...6 {
                let week = Week(containing: day, firstWeekday: first)
                guard week.first.weekday == first, week.first <= day, day <= week.last else {
                    Issue.record("\(day) in weeks from \(first)")
                    return
                }
            }
            day = day.adding(1)
        }
    }

    @Test func `seventy years are 366 terms, each day in one of them`() throws {
        var generator = SeededGenerator(6)
        for _ in 0..<20 {
            let birth = try day("1956-02-29").adding(Int.random(in: 0..<10_000, using: &generator))
            let first = TermSpan(first: birth)
            var next = birth
            for number in 0..<366 {
                let span = first.advanced(by: number)
                #expect(span.first == next && span.first.weekday == birth.weekday)
                next = span.last.adding(1)
                for inner in [span.first, span.last, span.first.adding(Int.random(in: 0..<70, using: &generator))] {
                    #expect(first.offset(of: inner) == number)
                    #expect(span.week(of: inner) == span.first.days(until: inner) / 7 + 1)
                }
            }
            #expect(birth.days(until: next) == 366 * 70)
            #expect(first.offset(of: birth.adding(-1)) == -1 && first.offset(of: birth.adding(-70)) == -1)
            #expect(first.offset(of: birth.adding(-71)) == -2)
            #expect(first.week(of: next) == nil)
        }
    }

    @Test func `a change never rewrites the past`() throws {
        let today = try day("2026-11-22")
        var target = Timeline(10)
        try target.set(12, from: today, today: today)
        try target.set(15, from: today.adding(30), today: today)
        try target.set(13, from: today, today: today)
        #expect(target.value(on: today.adding(-1)) == 10)
        #expect(target.value(on: today) == 13 && target.value(on: today.adding(29)) == 13)
        #expect(target.value(on: today.adding(30)) == 15 && target.value(on: .latest) == 15)
        let before = target
        let error = #expect(throws: InvalidFields.self) { try target.set(1, from: today.adding(-1), today: today) }
        #expect(error?.description == "change: field \"from\": expected today (2026-11-22) or later, got 2026-11-21")
        #expect(target == before)
    }

    @Test func `changes in any order give the same timeline`() {
        var generator = SeededGenerator(7)
        var changes = (0..<100).map { Timeline<Int>.Change(from: LocalDay(number: 20_000 + $0 * 3), value: $0) }
        let sorted = Timeline(-1, changes: changes)
        for _ in 0..<20 {
            changes.shuffle(using: &generator)
            #expect(Timeline(-1, changes: changes) == sorted)
        }
        for number in 19_990..<20_310 {
            let expected = number < 20_000 ? -1 : min((number - 20_000) / 3, 99)
            #expect(sorted.value(on: LocalDay(number: number)) == expected)
        }
    }

    @Test func `schedules say on which days something is due`() throws {
        let monday = try day("2026-11-16")
        let days = (0..<14).map { monday.adding($0) }
        #expect(days.filter(GoalSchedule.daily.isDue).count == 14)
        #expect(days.filter(GoalSchedule.weekdays([1, 3]).isDue).map(\.weekday) == [1, 3, 1, 3])
        #expect(days.filter(GoalSchedule.every(days: 5, from: monday.adding(1)).isDue).map(\.date.day) == [17, 22, 27])
        #expect(days.filter(GoalSchedule.every(days: 0, from: monday).isDue).count == 14)
        #expect(days.filter(GoalSchedule.weekdays([]).isDue).isEmpty)
    }
}
