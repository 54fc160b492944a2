import Testing

@testable import Schedules

struct RecurrenceTests {
    private func times(_ text: String, _ start: String, count: Int = 4) throws -> String {
        let start = try #require(WallTime(parsing: start))
        let rule = try RecurrenceRule(parsing: text, start: start)
        let schedule = try Schedule(rule: .recurrence(rule), zone: .utc)
        return try schedule.occurrences(in: .earliest..<Instant.latest, limit: count)
            .map { String($0.wall.description.dropLast(3)) }.joined(separator: " ")
    }

    /// Rules of RFC 5545, section 3.8.5.3, and what they name according to it.
    @Test(arguments: [
        ("FREQ=DAILY;INTERVAL=10;COUNT=5", "1997-09-02 1997-09-12 1997-09-22 1997-10-02 1997-10-12"),
        ("FREQ=WEEKLY;INTERVAL=2;WKST=SU", "1997-09-02 1997-09-16 1997-09-30 1997-10-14 1997-10-28"),
        (
            "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH",
            "1997-09-02 1997-09-04 1997-09-16 1997-09-18 1997-09-30"
        ),
        ("FREQ=MONTHLY;COUNT=10;BYDAY=1FR", "1997-09-05 1997-10-03 1997-11-07 1997-12-05 1998-01-02"),
        ("FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU", "1997-09-07 1997-09-28 1997-11-02 1997-11-30 1998-01-04"),
        ("FREQ=MONTHLY;BYMONTHDAY=-3", "1997-09-28 1997-10-29 1997-11-28 1997-12-29 1998-01-29"),
        ("FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1", "1997-09-30 1997-10-01 1997-10-31 1997-11-01 1997-11-30"),
        ("FREQ=YEARLY;COUNT=10;BYMONTH=6,7", "1998-06-02 1998-07-02 1999-06-02 1999-07-02 2000-06-02"),
        ("FREQ=YEARLY;BYDAY=20MO", "1998-05-18 1999-05-17 2000-05-15 2001-05-14 2002-05-20"),
        ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "1998-02-13 1998-03-13 1998-11-13 1999-08-13 2000-10-13"),
        ("FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "1997-11-04 2001-11-06 2005-11-08"),
        ("FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "1997-09-04 1997-10-07 1997-11-06"),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2", "1997-09-29 1997-10-30 1997-11-27 1997-12-30 1998-01-29"),
        ("FREQ=DAILY;UNTIL=19970904T090000Z", "1997-09-02 1997-09-03 1997-09-04"),
        ("FREQ=DAILY;UNTIL=19970903", "1997-09-02 1997-09-03"),
    ])
    func `the examples of the RFC`(text: String, expected: String) throws {
        let days = expected.split(separator: " ")
        let found = try times(text, "19970902T090000", count: days.count)
        #expect(found == days.map { "\($0)T09:00" }.joined(separator: " "))
    }

    @Test(arguments: [
        ("FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000Z", "1997-09-02T09:00 1997-09-02T12:00 1997-09-02T15:00"),
        ("FREQ=MINUTELY;INTERVAL=90;COUNT=3", "1997-09-02T09:00 1997-09-02T10:30 1997-09-02T12:00"),
        ("FREQ=DAILY;BYHOUR=9,16;BYMINUTE=0,20", "1997-09-02T09:00 1997-09-02T09:20 1997-09-02T16:00 1997-09-02T16:20"),
        (
            "rrule:freq=hourly;byminute=0,30;bysetpos=-1",
            "1997-09-02T09:30 1997-09-02T10:30 1997-09-02T11:30 1997-09-02T12:30"
        ),
        ("FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3", "1997-10-31T09:00 1997-12-31T09:00 1998-01-31T09:00"),
        ("FREQ=YEARLY;BYDAY=MO,1TU;BYMONTH=12", "1997-12-01T09:00 1997-12-02T09:00 1997-12-08T09:00 1997-12-15T09:00"),
    ])
    func `times of day and edges`(text: String, expected: String) throws {
        #expect(try times(text, "19970902T090000") == expected)
    }

    @Test(arguments: [
        ("", "FREQ"), ("FREQ=SECONDLY", "FREQ"), ("FREQ=DAILY;FREQ=DAILY", "twice"), ("FREQ", "NAME=VALUE"),
        ("FREQ=DAILY;INTERVAL=0", "INTERVAL: expected 1"), ("FREQ=DAILY;COUNT=1;UNTIL=20260101T000000", "got both"),
        ("FREQ=DAILY;BYMONTH=13", "BYMONTH: expected 1 to 12"), ("FREQ=DAILY;BYMONTHDAY=0", "BYMONTHDAY"),
        ("FREQ=DAILY;BYMONTHDAY=-32", "BYMONTHDAY"), ("FREQ=WEEKLY;BYDAY=1MO", "MONTHLY or YEARLY"),
        ("FREQ=MONTHLY;BYDAY=54MO", "1 to 53"), ("FREQ=MONTHLY;BYDAY=XX", "SU, MO"), ("FREQ=MONTHLY;BYDAY=", "SU, MO"),
        ("FREQ=DAILY;BYHOUR=24", "0 to 23"), ("FREQ=DAILY;BYSETPOS=0", "BYSETPOS"), ("FREQ=DAILY;BYSETPOS=1", "needs"),
        ("FREQ=DAILY;BYWEEKNO=1", "not supported"), ("FREQ=DAILY;UNTIL=soon", "UNTIL"),
        ("FREQ=WEEKLY;BYMONTHDAY=1", "WEEKLY"),
        ("FREQ=DAILY;COUNT=10001", "10000"), ("FREQ=DAILY;INTERVAL=99999999999999999999", "INTERVAL"),
        ("FREQ=DAILY;WKST=1", "WKST"), ("FREQ=DAILY;BYHOUR=" + String(repeating: "1,", count: 1100) + "1", "2048"),
    ])
    func `other rules are rejected`(text: String, expected: String) throws {
        let start = try #require(WallTime(parsing: "20260101T000000"))
        let error = #expect(throws: ScheduleError.self) { try RecurrenceRule(parsing: text, start: start) }
        #expect(error?.kind == .syntax)
        #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31", "FREQ=MONTHLY;BYDAY=6MO",
        "FREQ=MINUTELY;INTERVAL=60;BYMINUTE=0", "FREQ=MINUTELY;BYMONTH=4;BYMONTHDAY=31",
        "FREQ=HOURLY;INTERVAL=24;BYHOUR=1", "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6", "FREQ=DAILY;UNTIL=20200101T000000",
        "FREQ=DAILY;UNTIL=20200101T000000Z", "FREQ=MINUTELY;INTERVAL=1000000;BYMONTH=2;BYMONTHDAY=30",
    ])
    func `a rule that never fires says so`(text: String) throws {
        let start = try #require(WallTime(parsing: "20260101T023000"))
        let rule = try RecurrenceRule(parsing: text, start: start)
        let error = #expect(throws: ScheduleError.self) { try Schedule(rule: .recurrence(rule), zone: .utc) }
        #expect(error?.kind == .neverFires)
        #expect(error?.description.contains("never fires") == true)
    }
}
