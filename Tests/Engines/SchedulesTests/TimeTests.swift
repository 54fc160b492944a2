import Testing

@testable import Schedules

struct TimeTests {
    @Test func `days count through the calendar without a hole`() {
        var number = CivilDay(year: 1899, month: 1, day: 1).number
        for year in 1899...2401 {
            for month in 1...12 {
                for day in 1...CivilDay.length(ofMonth: month, year: year) {
                    let civil = CivilDay(year: year, month: month, day: day)
                    guard civil.number == number, civil.date == (year, month, day) else {
                        Issue.record("\(year)-\(month)-\(day)")
                        return
                    }
                    number += 1
                }
            }
        }
        #expect(CivilDay(year: 1970, month: 1, day: 1).number == 0)
        #expect(CivilDay(year: 2026, month: 11, day: 22).weekday == 0)
    }

    @Test(
        arguments: [
            ("2026-03-08T02:30", "2026-03-08T02:30:00"), ("2026-03-08 02:30:59", "2026-03-08T02:30:59"),
            ("20260308T023000", "2026-03-08T02:30:00"), ("2024-02-29T00:00", "2024-02-29T00:00:00"),
            ("2026-02-29T00:00", nil), ("2026-13-01T00:00", nil), ("2026-01-01T24:00", nil), ("2026-01-01", nil),
            ("20260308T0230", nil), ("2026-03-08T02:30:00Z", nil), ("1899-01-01T00:00", nil), ("2026-03-08T0２:30", nil),
            ("", nil),
        ] as [(String, String?)])
    func `wall times are read`(text: String, expected: String?) {
        #expect(WallTime(parsing: text)?.description == expected)
    }

    @Test func `instants are clamped and never overflow`() {
        #expect(Instant(seconds: .max) == .latest)
        #expect(Instant(seconds: .min) == .earliest)
        #expect(Instant.latest.adding(seconds: .max) == .latest)
        #expect(Instant.earliest.adding(milliseconds: .min) == .earliest)
        #expect(Instant.latest.description == "2399-12-31T23:59:59.999Z")
        #expect(Instant.earliest.description == "1900-01-01T00:00:00Z")
        #expect(Instant(milliseconds: -1).seconds == -1)
        #expect(Instant(milliseconds: -1000).seconds == -1)
        #expect(Instant(milliseconds: -1001).description == "1969-12-31T23:59:58.999Z")
    }
}
