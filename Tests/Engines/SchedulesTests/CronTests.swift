import TestSupport
import Testing

@testable import Schedules

struct CronTests {
    /// The first times after 2026-01-01T00:00 on the wall; the first of January is a Thursday.
    @Test(arguments: [
        ("*/20 * * * *", "2026-01-01T00:00:00 2026-01-01T00:20:00 2026-01-01T00:40:00 2026-01-01T01:00:00"),
        ("5/25 3 * * *", "2026-01-01T03:05:00 2026-01-01T03:30:00 2026-01-01T03:55:00 2026-01-02T03:05:00"),
        ("0 0 13 * FRI", "2026-01-02T00:00:00 2026-01-09T00:00:00 2026-01-13T00:00:00 2026-01-16T00:00:00"),
        ("0 0 */13 * FRI", "2026-02-27T00:00:00 2026-03-27T00:00:00 2026-05-01T00:00:00 2026-08-14T00:00:00"),
        ("0 0 ? * fri-sun", "2026-01-02T00:00:00 2026-01-03T00:00:00 2026-01-04T00:00:00 2026-01-09T00:00:00"),
        ("0 0 L-1 * *", "2026-01-30T00:00:00 2026-02-27T00:00:00 2026-03-30T00:00:00 2026-04-29T00:00:00"),
        ("0 0 1W * *", "2026-01-01T00:00:00 2026-02-02T00:00:00 2026-03-02T00:00:00 2026-04-01T00:00:00"),
        ("0 0 31W * *", "2026-01-30T00:00:00 2026-03-31T00:00:00 2026-05-29T00:00:00 2026-07-31T00:00:00"),
        ("0 0 LW * *", "2026-01-30T00:00:00 2026-02-27T00:00:00 2026-03-31T00:00:00 2026-04-30T00:00:00"),
        ("0 0 * * FRI#5", "2026-01-30T00:00:00 2026-05-29T00:00:00 2026-07-31T00:00:00 2026-10-30T00:00:00"),
        ("0 0 * * 7L", "2026-01-25T00:00:00 2026-02-22T00:00:00 2026-03-29T00:00:00 2026-04-26T00:00:00"),
        ("0 0 29 feb *", "2028-02-29T00:00:00 2032-02-29T00:00:00 2036-02-29T00:00:00 2040-02-29T00:00:00"),
        ("0 0 29 2 */7", "2032-02-29T00:00:00 2060-02-29T00:00:00 2088-02-29T00:00:00 2128-02-29T00:00:00"),
        (" @Weekly ", "2026-01-04T00:00:00 2026-01-11T00:00:00 2026-01-18T00:00:00 2026-01-25T00:00:00"),
        ("@hourly", "2026-01-01T00:00:00 2026-01-01T01:00:00 2026-01-01T02:00:00 2026-01-01T03:00:00"),
    ])
    func `an expression names these times`(text: String, expected: String) throws {
        let expression = try CronExpression(parsing: text)
        var wall = try #require(WallTime(parsing: "2026-01-01T00:00"))
        var found: [String] = []
        while found.count < 4, let next = expression.first(atOrAfter: wall) {
            found.append(next.description)
            wall = WallTime(seconds: next.seconds + 1)
        }
        #expect(found.joined(separator: " ") == expected)
    }

    @Test(arguments: [
        ("", "expected 5 fields"), ("* * * *", "got 4"), ("* * * * * *", "got 6"), ("60 * * * *", "expected 0 to 59"),
        ("* 24 * * *", "hour"), ("* * 0 * *", "1 to 31"), ("* * * 13 *", "a name such as JAN"),
        ("* * * * 8", "0 to 7"), ("*/0 * * * *", "step"), ("5-1 * * * *", "ascend"), ("1,,2 * * * *", "minute"),
        ("-1 * * * *", "minute"), ("1- * * * *", "minute"), ("*/ * * * *", "step"), ("1/2/3 * * * *", "step"),
        ("* * * * MON#6", "1 to 5"), ("* * L-31 * *", "L-"), ("* * * * L", "day-of-week"), ("@reboot", "@daily"),
        ("٣ * * * *", "0 to 59"), ("99999999999999999999 * * * *", "0 to 59"),
        (String(repeating: "1,", count: 200) + "1 * * * *", "256 bytes"),
    ])
    func `other text is rejected`(text: String, expected: String) {
        let error = #expect(throws: ScheduleError.self) { try CronExpression(parsing: text) }
        #expect(error?.kind == .syntax)
        #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 31W 2 *", "0 0 L-29 2 *"])
    func `days that no year has never fire`(text: String) {
        let error = #expect(throws: ScheduleError.self) { try CronExpression(parsing: text) }
        #expect(error?.kind == .neverFires)
    }

    /// Days of each kind, against a look at each day of some years.
    @Test(.slow) func `day fields are those of a slow reading`() throws {
        var generator = SeededGenerator(11)
        func ofMonth(_ day: CivilDay, _ field: String) -> Bool {
            let (year, month, number) = day.date
            let length = CivilDay.length(ofMonth: month, year: year)
            return field.split(separator: ",").contains { item in
                if item == "*" { return true }
                if item == "l" { return number == length }
                if item.hasPrefix("l-") { return number == length - (Int(item.dropFirst(2)) ?? 99) }
                if item.hasSuffix("w") {
                    // The weekday of the month with the least distance; of two the one on the same side of Sunday.
                    let target = item == "lw" ? length : Int(item.dropLast()) ?? 99
                    guard target <= length else { return false }
                    let distances = (1...length).filter {
                        (1...5).contains(CivilDay(year: year, month: month, day: $0).weekday)
                    }
                    let nearest = distances.filter { item != "lw" || $0 <= length }.min {
                        abs($0 - target) < abs($1 - target)
                    }
                    return number == (item == "lw" ? distances.last : nearest)
                }
                return number == Int(item)
            }
        }
        func ofWeek(_ day: CivilDay, _ field: String) -> Bool {
            let (year, month, number) = day.date
            return field.split(separator: ",").contains { item in
                if item == "*" { return true }
                guard let weekday = item.first?.wholeNumberValue, weekday % 7 == day.weekday else { return false }
                if item.hasSuffix("l") { return number + 7 > CivilDay.length(ofMonth: month, year: year) }
                if item.contains("#") { return item.last?.wholeNumberValue == (number - 1) / 7 + 1 }
                return true
            }
        }
        let months = ["*", "l", "l-2", "lw", "15w", "1w", "31w", "3", "31", "29", "1,15w,l"]
        let weeks = ["*", "1", "7", "0,3", "5l", "2#1", "6#5,1", "0l"]
        for _ in 0..<150 {
            let month = months.randomElement(using: &generator) ?? "*"
            let week = weeks.randomElement(using: &generator) ?? "*"
            let expression = try CronExpression(parsing: "0 0 \(month.uppercased()) * \(week)")
            let first = CivilDay(year: Int.random(in: 1970...2100, using: &generator), month: 1, day: 1)
            var wall = WallTime(day: first, secondOfDay: 0)
            for day in (0..<400).map(first.adding) {
                let isBoth = month == "*" || week == "*"
                let matches =
                    ofMonth(day, month) && ofWeek(day, week) || !isBoth && (ofMonth(day, month) || ofWeek(day, week))
                guard matches else { continue }
                let next = try #require(expression.first(atOrAfter: wall))
                guard next.day == day else {
                    Issue.record("\(month) \(week): \(next), expected \(day.date)")
                    break
                }
                wall = WallTime(seconds: next.seconds + 1)
            }
        }
    }
}
