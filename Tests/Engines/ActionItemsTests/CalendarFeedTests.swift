import Goals
import Testing

@testable import ActionItems

/// Tasks as an iCalendar object.
@Suite struct CalendarFeeds {
    /// The content lines, unfolded as RFC 5545 says.
    private func lines(_ text: String) -> [String] {
        // By bytes: a mark at the start of a line would join the space before it.
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            bytes.append(byte)
            if bytes.suffix(3) == [13, 10, 32] { bytes.removeLast(3) }
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    @Test func `a task has its title, day, thread and state`() {
        let text = CalendarFeed.text(
            name: "Selene",
            entries: [
                .init(
                    uid: "task-4@selene", title: "Call the surveyor", due: LocalDay(year: 2026, month: 11, day: 27),
                    created: 1_763_856_000, category: "House"),
                .init(uid: "task-5@selene", title: "Done", created: 0, completed: 1_763_859_661),
            ])
        #expect(
            lines(text) == [
                "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Selene//Tasks//EN", "CALSCALE:GREGORIAN", "NAME:Selene",
                "X-WR-CALNAME:Selene", "BEGIN:VTODO", "UID:task-4@selene", "DTSTAMP:20251123T000000Z",
                "CREATED:20251123T000000Z", "SUMMARY:Call the surveyor", "DUE;VALUE=DATE:20261127", "CATEGORIES:House",
                "STATUS:NEEDS-ACTION", "END:VTODO", "BEGIN:VTODO", "UID:task-5@selene", "DTSTAMP:20251123T010101Z",
                "CREATED:19700101T000000Z", "SUMMARY:Done", "STATUS:COMPLETED", "COMPLETED:20251123T010101Z",
                "PERCENT-COMPLETE:100", "END:VTODO", "END:VCALENDAR",
            ])
        #expect(text.hasSuffix("END:VCALENDAR\r\n"))
    }

    @Test func `marks are escaped and control characters left out`() {
        #expect(CalendarFeed.escaped("a,b;c\\d\ne\r\nf\rg\u{7}\th:\"") == "a\\,b\\;c\\\\d\\ne\\nf\\ng h:\"")
        let text = CalendarFeed.text(name: "x", entries: [.init(uid: "1", title: "a\r\nEND:VCALENDAR\r\nBEGIN:VEVENT")])
        #expect(!lines(text).contains("BEGIN:VEVENT"))
    }

    @Test(arguments: ["x", "ä", "🌧", "\u{1F469}\u{200D}\u{1F33E}", ","])
    func `no line has more than 75 octets, and none cuts a character`(unit: String) {
        for count in [1, 60, 67, 68, 69, 70, 140, 141, 142, 143, 300] {
            let title = String(repeating: unit, count: count)
            let text = CalendarFeed.text(name: "n", entries: [.init(uid: "1", title: title)])
            for line in text.split(separator: "\r\n") {
                #expect(line.utf8.count <= CalendarFeed.maxLine)
                #expect(!line.unicodeScalars.contains("\u{FFFD}"))
            }
            #expect(lines(text).contains("SUMMARY:" + CalendarFeed.escaped(title)))
        }
    }
}
